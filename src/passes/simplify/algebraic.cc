#include "passes/simplify/algebraic.h"

#include "passes/make.h"
#include "passes/simplify/algebra/rules.h"

namespace subfloor::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

bool Plain(const Shape& shape) {
  if (!shape.IsArray()) return true;
  return !shape.HasDynamicDimension() && !shape.IsOversized() &&
         (shape.layout() == nullptr || (shape.layout()->IsRowMajor() && shape.layout()->element_bits == 0));
}

bool MayTouch(const Instruction* instruction) {
  if (instruction->IsParameter() || HasControlEdges(instruction) || !Plain(instruction->shape()))
    return false;
  for (int64_t i = 0; i < instruction->operand_count(); ++i) {
    if (!Plain(instruction->operand(i)->shape())) return false;
  }
  return true;
}

Instruction* ByFamily(Instruction* instruction) {
  switch (instruction->opcode()) {
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMultiply:
    case Opcode::kDivide:
    case Opcode::kRemainder:
    case Opcode::kNegate:
    case Opcode::kAbs:
    case Opcode::kPower:
      return SimplifyArithmetic(instruction);
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kNot:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightLogical:
    case Opcode::kShiftRightArithmetic:
      return SimplifyLogic(instruction);
    case Opcode::kCompare:
    case Opcode::kSelect:
    case Opcode::kClamp:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return SimplifySelection(instruction);
    case Opcode::kConvert:
    case Opcode::kBitcastConvert:
    case Opcode::kReducePrecision:
    case Opcode::kReal:
    case Opcode::kImag:
    case Opcode::kComplex:
      return SimplifyConversion(instruction);
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kBroadcast:
    case Opcode::kReverse:
    case Opcode::kCopy:
    case Opcode::kIota:
      return SimplifyMover(instruction);
    case Opcode::kSlice:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kPad:
    case Opcode::kConcatenate:
      return SimplifySlicing(instruction);
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      return SimplifyReduction(instruction);
    case Opcode::kDot:
      return SimplifyProduct(instruction);
    case Opcode::kGather:
    case Opcode::kScatter:
    case Opcode::kGetDimensionSize:
    case Opcode::kCustomCall:
      return SimplifyIndexing(instruction);
    default:
      return nullptr;
  }
}

Instruction* Simplified(Instruction* instruction) {
  if (Instruction* value = SimplifyEmpty(instruction)) return value;
  if (Instruction* value = ByFamily(instruction)) return value;
  return instruction->IsElementwise() ? SinkBroadcast(instruction) : nullptr;
}

// One walk, operands first. What a rule made is looked at again at once, a bounded number of times.
bool SimplifyComputation(Computation& computation) {
  constexpr int kMaxSteps = 16;
  bool changed = false;
  for (Instruction* instruction : computation.MakePostOrder()) {
    if (instruction->use_count() == 0 && !instruction->IsRoot()) continue;  // dead: not worth a rewrite
    for (int step = 0; step < kMaxSteps && MayTouch(instruction); ++step) {
      Instruction* value = Simplified(instruction);
      if (value == nullptr || value == instruction) break;
      const bool made_now = value->id() > instruction->id() && value->use_count() == 0;
      // What loses its last use here has been walked over already: operands come first.
      computation.Replace(instruction, value);
      changed = true;
      if (!made_now) break;
      instruction = value;
    }
  }
  return changed;
}

}  // namespace

Result<bool> SimplifyAlgebra(hlo::Module& module, PassContext&) {
  bool changed = false;
  for (Computation* computation : module.computations()) changed |= SimplifyComputation(*computation);
  return changed;
}

}  // namespace subfloor::passes
