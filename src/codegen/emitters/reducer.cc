#include "codegen/emitters/emission.h"

namespace subfloor::codegen::emitters {
namespace {

using hlo::Instruction;
using hlo::Opcode;

const Instruction* SkipConverts(const Instruction* op) {
  while (op->opcode() == Opcode::kConvert || op->opcode() == Opcode::kCopy) op = op->operand(0);
  return op;
}

// convert(a) where a is the parameter: only widening keeps the meaning of the op on it.
bool ReadsParameter(const Instruction* operand, int64_t number, ElementType at_least) {
  const Instruction* source = SkipConverts(operand);
  if (!source->IsParameter() || source->parameter_number() != number) return false;
  return IsFloat(source->shape().element_type()) == IsFloat(operand->shape().element_type()) &&
         BitWidth(operand->shape().element_type()) >= BitWidth(source->shape().element_type()) &&
         (operand == source || IsFloat(at_least));
}

}  // namespace

Reducer Recognise(const hlo::Computation& computation) {
  Reducer reducer{&computation, {}};
  std::vector<const Instruction*> results;
  const Instruction* root = computation.root();
  if (root->opcode() == Opcode::kTuple) {
    for (const Instruction* operand : root->operands()) results.push_back(operand);
  } else {
    results.push_back(root);
  }
  const auto count = static_cast<int64_t>(results.size());
  if (computation.parameter_count() != 2 * count) return reducer;
  std::vector<Opcode> ops;
  for (int64_t i = 0; i < count; ++i) {
    const Instruction* result = results[static_cast<size_t>(i)];
    const Instruction* op = SkipConverts(result);
    switch (op->opcode()) {
      case Opcode::kAdd:
      case Opcode::kMultiply:
      case Opcode::kMinimum:
      case Opcode::kMaximum:
      case Opcode::kAnd:
      case Opcode::kOr:
      case Opcode::kXor:
        break;
      default:
        return reducer;
    }
    const ElementType type = op->shape().element_type();
    if (op != result && !(IsFloat(type) && IsFloat(result->shape().element_type()))) return reducer;
    const bool straight =
        ReadsParameter(op->operand(0), i, type) && ReadsParameter(op->operand(1), count + i, type);
    const bool crossed =
        ReadsParameter(op->operand(1), i, type) && ReadsParameter(op->operand(0), count + i, type);
    if (!straight && !crossed) return reducer;
    ops.push_back(op->opcode());
  }
  reducer.ops = std::move(ops);
  return reducer;
}

bool OrderIsFree(const hlo::Computation& computation) {
  if (Recognise(computation).recognised()) return true;
  const Instruction* root = computation.root();
  if (root->opcode() != Opcode::kTuple || root->operand_count() < 2) return false;
  bool breaks_ties = false;
  for (const Instruction* op : computation.instructions()) {
    switch (op->opcode()) {
      case Opcode::kParameter:
      case Opcode::kSelect:
      case Opcode::kTuple:
      case Opcode::kAnd:
      case Opcode::kOr:
      case Opcode::kNot:
        break;
      case Opcode::kCompare:
        breaks_ties |= op->As<hlo::CompareAttributes>().direction == hlo::ComparisonDirection::kEq;
        break;
      default:
        return false;
    }
  }
  return breaks_ties;
}

}  // namespace subfloor::codegen::emitters
