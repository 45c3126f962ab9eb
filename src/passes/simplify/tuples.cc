#include "passes/simplify/tuples.h"

#include "passes/make.h"

namespace subfloor::passes {
namespace {

using hlo::Instruction;
using hlo::Opcode;

// The tuple of which this `tuple` lists every element in order, or nullptr.
Instruction* WholeTuple(const Instruction* tuple) {
  if (tuple->operand_count() == 0) return nullptr;
  Instruction* whole = nullptr;
  for (int64_t i = 0; i < tuple->operand_count(); ++i) {
    const Instruction* element = tuple->operand(i);
    if (element->opcode() != Opcode::kGetTupleElement ||
        element->As<hlo::GetTupleElementAttributes>().index != i)
      return nullptr;
    if (whole != nullptr && element->operand(0) != whole) return nullptr;
    whole = element->operand(0);
  }
  return whole->shape() == tuple->shape() ? whole : nullptr;
}

Instruction* Simplified(const Instruction* instruction) {
  switch (instruction->opcode()) {
    case Opcode::kGetTupleElement: {
      Instruction* tuple = instruction->operand(0);
      if (tuple->opcode() != Opcode::kTuple) return nullptr;
      Instruction* element = tuple->operand(instruction->As<hlo::GetTupleElementAttributes>().index);
      return element->shape() == instruction->shape() ? element : nullptr;
    }
    case Opcode::kTuple:
      return WholeTuple(instruction);
    case Opcode::kDomain:
      return instruction->operand(0);
    default:
      return nullptr;
  }
}

bool ReplaceAll(hlo::Module& module, Instruction* (*simplified)(const Instruction*)) {
  bool changed = false;
  for (hlo::Computation* computation : module.computations()) {
    for (Instruction* instruction : computation->MakePostOrder()) {
      if (HasControlEdges(instruction)) continue;
      Instruction* value = simplified(instruction);
      if (value == nullptr) continue;
      // Operands left without uses stay for RemoveDeadCode: this walk may still come to them.
      instruction->ReplaceAllUsesWith(value);
      computation->Remove(instruction);
      changed = true;
    }
  }
  return changed;
}

}  // namespace

Result<bool> SimplifyTuples(hlo::Module& module, PassContext&) { return ReplaceAll(module, Simplified); }

Result<bool> RemoveBarriers(hlo::Module& module, PassContext&) {
  return ReplaceAll(module, [](const Instruction* instruction) {
    return instruction->opcode() == Opcode::kOptBarrier ? instruction->operand(0) : nullptr;
  });
}

}  // namespace subfloor::passes
