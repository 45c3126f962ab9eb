#include "gpu/wrap_for_device.h"

#include <algorithm>
#include <vector>

#include "passes/fuse/outline.h"

namespace subfloor::gpu {

using hlo::Instruction;
using hlo::Opcode;

Result<bool> WrapEntry(hlo::Module& module, passes::PassContext&) {
  hlo::Computation& entry = *module.entry();
  const Instruction* root = entry.root();
  std::vector<Instruction*> results = {entry.root()};
  if (root->opcode() == Opcode::kTuple) results = root->operands();
  std::vector<Instruction*> members;
  for (Instruction* instruction : entry.MakePostOrder()) {
    const bool tuple = instruction == root && root->opcode() == Opcode::kTuple;
    if (!instruction->IsParameter() && !tuple) members.push_back(instruction);
  }
  std::vector<Instruction*> outputs;
  for (Instruction* result : results) {
    if (!result->IsParameter() && std::ranges::find(outputs, result) == outputs.end())
      outputs.push_back(result);
  }
  if (outputs.empty()) return false;
  passes::OutlineFusion(members, outputs);
  return true;
}

Result<bool> WrapProducts(hlo::Module& module, passes::PassContext&) {
  std::vector<Instruction*> products;
  for (hlo::Computation* computation : module.MakePostOrder()) {
    if (computation->IsFusionBody()) continue;
    for (Instruction* instruction : computation->MakePostOrder()) {
      if (instruction->opcode() == Opcode::kDot || instruction->opcode() == Opcode::kConvolution)
        products.push_back(instruction);
    }
  }
  for (Instruction* product : products) passes::OutlineFusion({&product, 1}, {&product, 1});
  return !products.empty();
}

}  // namespace subfloor::gpu
