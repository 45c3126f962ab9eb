#include "dispatch/fusion_roots.h"

namespace subfloor::dispatch {

std::vector<const hlo::Instruction*> Roots(const hlo::Computation& body) {
  const hlo::Instruction* root = body.root();
  if (root->opcode() != hlo::Opcode::kTuple) return {root};
  std::vector<const hlo::Instruction*> roots;
  for (const hlo::Instruction* operand : root->operands()) roots.push_back(operand);
  return roots;
}

}  // namespace subfloor::dispatch
