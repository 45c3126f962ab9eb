#include "passes/inline_body.h"

#include <vector>

#include "absl/container/flat_hash_map.h"

namespace subfloor::passes {

using hlo::Instruction;

Instruction* InlineBody(Instruction& caller) {
  const hlo::Computation& body = *caller.called();
  hlo::Computation* computation = caller.parent();
  absl::flat_hash_map<const Instruction*, Instruction*> values;
  for (const Instruction* instruction : body.MakePostOrder()) {
    if (instruction->IsParameter()) {
      values[instruction] = caller.operand(instruction->parameter_number());
      continue;
    }
    std::vector<Instruction*> operands;
    operands.reserve(static_cast<size_t>(instruction->operand_count()));
    for (int64_t i = 0; i < instruction->operand_count(); ++i)
      operands.push_back(values[instruction->operand(i)]);
    Instruction* copy = computation->AddClone(*instruction, instruction->shape(), operands);
    for (const Instruction* before : instruction->control_predecessors()) {
      if (!before->IsParameter()) values[before]->AddControlSuccessor(copy);
    }
    for (Instruction* before : caller.control_predecessors()) before->AddControlSuccessor(copy);
    for (Instruction* after : caller.control_successors()) copy->AddControlSuccessor(after);
    values[instruction] = copy;
  }
  return values[body.root()];
}

}  // namespace subfloor::passes
