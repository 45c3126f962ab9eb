#include "passes/make.h"
#include "passes/simplify/algebra/rules.h"

namespace subfloor::passes {
namespace {

using hlo::ComparisonDirection;
using hlo::Instruction;
using hlo::Opcode;

Instruction* Constant(Instruction* like, bool value) {
  return MakeSplat(like->parent(), ScalarLiteral(ElementType::kPred, value), like->shape().dimensions());
}

std::optional<bool> BoolSplat(const Instruction* x) {
  if (!IsPred(x->shape().element_type())) return std::nullopt;
  const auto value = IntegerSplatOf(x);
  return value ? std::optional<bool>(*value != 0) : std::nullopt;
}

Instruction* SimplifyCompare(Instruction* compare) {
  Instruction *x = compare->operand(0), *y = compare->operand(1);
  const auto& attributes = compare->As<hlo::CompareAttributes>();
  const ElementType type = x->shape().element_type();
  const ComparisonDirection direction = attributes.direction;
  const bool natural =
      attributes.type == hlo::ComparisonType::kDefault ||
      attributes.type == (IsSigned(type) ? hlo::ComparisonType::kSigned : hlo::ComparisonType::kUnsigned);
  if (!IsIntegral(type) && !IsPred(type)) return nullptr;
  if (x == y) {
    return Constant(compare, direction == ComparisonDirection::kEq || direction == ComparisonDirection::kGe ||
                                 direction == ComparisonDirection::kLe);
  }
  if (!natural) return nullptr;
  if (IsUnsigned(type)) {
    const auto right = SplatOf(y);
    if (right && IsPositiveZero(*right) && direction == ComparisonDirection::kLt)
      return Constant(compare, false);
    if (right && IsPositiveZero(*right) && direction == ComparisonDirection::kGe)
      return Constant(compare, true);
  }
  if (IsPred(type) && (direction == ComparisonDirection::kEq || direction == ComparisonDirection::kNe)) {
    for (int side = 0; side < 2; ++side) {
      const auto value = BoolSplat(compare->operand(side));
      if (!value) continue;
      Instruction* other = compare->operand(1 - side);
      return *value == (direction == ComparisonDirection::kEq) ? other : MakeUnary(Opcode::kNot, other);
    }
  }
  return nullptr;
}

Instruction* SimplifySelect(Instruction* select) {
  Instruction *condition = select->operand(0), *on_true = select->operand(1), *on_false = select->operand(2);
  if (on_true == on_false) return on_true;
  if (const auto value = BoolSplat(condition)) return *value ? on_true : on_false;
  if (condition->opcode() == Opcode::kNot) return MakeSelect(condition->operand(0), on_false, on_true);
  if (condition->shape().SameDimensions(select->shape())) {
    const auto a = BoolSplat(on_true), b = BoolSplat(on_false);
    if (a && b) return *a == *b ? on_true : *a ? condition : MakeUnary(Opcode::kNot, condition);
  }
  return nullptr;
}

// The value that maximum (or minimum) never changes anything against: the type's least (largest), infinite
// where it has one.
bool IsExtremum(const Literal& scalar, bool least) {
  const ElementType type = scalar.element_type();
  const uint64_t bits = BitsAt(scalar, 0);
  if (IsPred(type)) return (bits != 0) != least;
  if (IsUnsigned(type)) return bits == (least ? 0 : BitsAt(ScalarLiteral(type, -1), 0));
  if (IsSigned(type)) {
    const uint64_t sign = uint64_t{1} << (BitWidth(type) - 1);
    return bits == (least ? sign : sign - 1);
  }
  if (!IsFloat(type) || !FormatOf(type).has_infinity) return false;
  const FloatFormat format = FormatOf(type);
  const uint64_t infinity = ((uint64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
  return bits == (least ? infinity | uint64_t{1} << (BitWidth(type) - 1) : infinity);
}

Instruction* SimplifyExtremum(Instruction* instruction) {
  const bool maximum = instruction->opcode() == Opcode::kMaximum;
  if (instruction->operand(0) == instruction->operand(1)) return instruction->operand(0);
  for (int side = 0; side < 2; ++side) {
    const auto splat = SplatOf(instruction->operand(side));
    if (splat && IsExtremum(*splat, /*least=*/maximum)) return instruction->operand(1 - side);
  }
  return nullptr;
}

}  // namespace

Instruction* SimplifySelection(Instruction* instruction) {
  switch (instruction->opcode()) {
    case Opcode::kCompare:
      return SimplifyCompare(instruction);
    case Opcode::kSelect:
      return SimplifySelect(instruction);
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return SimplifyExtremum(instruction);
    default:
      return nullptr;
  }
}

}  // namespace subfloor::passes
