#include "passes/inline_body.h"

namespace subfloor::passes {

using hlo::Instruction;

BodyCopy CopyBody(const hlo::Computation& body, std::span<Instruction* const> arguments,
                  hlo::Computation& into) {
  BodyCopy copies;
  for (const Instruction* original : body.MakePostOrder()) {
    if (original->IsParameter()) {
      copies.of[original] = arguments[static_cast<size_t>(original->parameter_number())];
      continue;
    }
    std::vector<Instruction*> operands;
    operands.reserve(static_cast<size_t>(original->operand_count()));
    for (const Instruction* operand : original->operands()) operands.push_back(copies[operand]);
    Instruction* copy = into.AddClone(*original, original->shape(), operands);
    for (const Instruction* before : original->control_predecessors()) {
      if (!before->IsParameter()) copies[before]->AddControlSuccessor(copy);
    }
    copies.of[original] = copy;
    copies.instructions.push_back(copy);
  }
  return copies;
}

Instruction* InlineBody(Instruction& caller) {
  const BodyCopy copies = CopyBody(*caller.called(), caller.operands(), *caller.parent());
  for (Instruction* copy : copies.instructions) {
    for (Instruction* before : caller.control_predecessors()) before->AddControlSuccessor(copy);
    for (Instruction* after : caller.control_successors()) copy->AddControlSuccessor(after);
  }
  return copies[caller.called()->root()];
}

}  // namespace subfloor::passes
