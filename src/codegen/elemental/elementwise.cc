#include <vector>

#include "codegen/elemental/elemental.h"
#include "codegen/elemental/ops/ops.h"
#include "codegen/elemental/value.h"
#include "hlo/attributes.h"

namespace subfloor::codegen::elemental {
namespace {

using hlo::Opcode;

/// The ops whose meaning lies in the element type alone.
Result<Element> PlainOp(mlir::ImplicitLocOpBuilder& b, Opcode opcode, std::span<const Element> x) {
  if (IsPred(x[0].type)) return PredOp(b, opcode, x);
  if (IsIntegral(x[0].type)) return IntegerOp(b, opcode, x);
  if (IsFloat(x[0].type)) return FloatOp(b, opcode, x);
  if (IsComplex(x[0].type)) return ComplexOp(b, opcode, x);
  return TypeNotTaken(opcode, x[0].type);
}

/// minimum(maximum(low, x), high)
Result<Element> Clamp(mlir::ImplicitLocOpBuilder& b, std::span<const Element> x) {
  const Element raised = SF_TRY(PlainOp(b, Opcode::kMaximum, std::array{x[0], x[1]}));
  return PlainOp(b, Opcode::kMinimum, std::array{raised, x[2]});
}

/// Float operands of several types, which some ops allow, become the widest of them.
Status UnifyFloats(mlir::ImplicitLocOpBuilder& b, std::span<Element> x, ElementType to) {
  for (Element& element : x) {
    if (element.type == to || !IsFloat(element.type) || !IsFloat(to)) continue;
    element = SF_TRY(EmitConvert(b, element, to));
  }
  return {};
}

Result<Element> Emit(mlir::ImplicitLocOpBuilder& b, const hlo::Instruction& instruction,
                     std::span<Element> x) {
  const ElementType result = instruction.shape().element_type();
  switch (instruction.opcode()) {
    case Opcode::kCopy:
      return x[0];
    case Opcode::kConvert:
      return EmitConvert(b, x[0], result);
    case Opcode::kBitcastConvert:
      return BitcastConvert(b, x[0], result);
    case Opcode::kIsFinite:
      return IsFinite(b, x[0]);
    case Opcode::kReducePrecision: {
      const auto& attributes = instruction.As<hlo::ReducePrecisionAttributes>();
      return ReducePrecision(b, x[0], static_cast<int>(attributes.exponent_bits),
                             static_cast<int>(attributes.mantissa_bits));
    }
    case Opcode::kStochasticConvert:
      return StochasticConvert(b, x[0], x[1], result);
    case Opcode::kCompare: {
      const auto& attributes = instruction.As<hlo::CompareAttributes>();
      return Compare(b, attributes.direction, attributes.type == hlo::ComparisonType::kTotalOrder, x[0],
                     x[1]);
    }
    case Opcode::kSelect:
      SF_CHECK(UnifyFloats(b, x.subspan(1), result));
      return Select(b, x[0].value, x[1], x[2]);
    case Opcode::kClamp:
      SF_CHECK(UnifyFloats(b, x, result));
      return Clamp(b, x);
    case Opcode::kComplex:
      return Element{result, x[0].value, x[1].value};
    case Opcode::kReal:
      return Element{ComponentType(x[0].type), x[0].value, {}};
    case Opcode::kImag:
      if (x[0].imag) return Element{ComponentType(x[0].type), x[0].imag, {}};
      return EmitNumber(b, x[0].type, 0.0, LanesOf(x[0]));
    default:
      if (x.size() == 2) SF_CHECK(UnifyFloats(b, x, result));
      return PlainOp(b, instruction.opcode(), x);
  }
}

}  // namespace

std::unexpected<Error> TypeNotTaken(Opcode opcode, ElementType type) {
  return NotSupported("{} of {}; convert to a type that the op takes", ToString(opcode), ToString(type));
}

Result<Element> EmitElementwise(mlir::ImplicitLocOpBuilder& b, const hlo::Instruction& instruction,
                                std::span<const Element> operands) {
  if (!instruction.IsElementwise() && instruction.opcode() != Opcode::kBitcastConvert)
    return InternalError("{} is no elementwise op", ToString(instruction.opcode()));
  if (operands.empty() || operands.size() != static_cast<size_t>(instruction.operand_count()))
    return InternalError("{} was given {} operands for its {}", ToString(instruction.opcode()),
                         operands.size(), instruction.operand_count());
  std::vector<Element> spread(operands.begin(), operands.end());
  // A condition that is the same in every lane chooses whole vectors.
  const size_t first = instruction.opcode() == Opcode::kSelect && LanesOf(operands[0]) == 0 ? 1 : 0;
  int64_t lanes = 0;
  for (const Element& operand : operands) lanes = std::max(lanes, LanesOf(operand));
  for (size_t i = first; i < spread.size(); ++i) spread[i] = Splat(b, spread[i], lanes);
  auto result = Emit(b, instruction, spread);
  if (!result) result.error().In(instruction.name());
  return result;
}

Result<Element> Combine(mlir::ImplicitLocOpBuilder& b, Opcode opcode, const Element& lhs,
                        const Element& rhs) {
  return PlainOp(b, opcode, std::array{lhs, rhs});
}

ElementType AccumulatorType(Opcode opcode, ElementType type) {
  const bool rounds = opcode == Opcode::kAdd || opcode == Opcode::kMultiply;
  return rounds && IsFloat(type) && BitWidth(type) < 32 ? ElementType::kF32 : type;
}

}  // namespace subfloor::codegen::elemental
