#include "evaluator/products.h"

#include "types/narrow.h"

namespace subfloor::evaluator {
namespace {

enum class NumberKind { kWhole, kReal, kComplexNumber };

NumberKind KindOf(ElementType type) {
  if (IsComplex(type)) return NumberKind::kComplexNumber;
  return IsFloat(type) ? NumberKind::kReal : NumberKind::kWhole;
}

}  // namespace

WideKind ProductKind(ElementType result, ElementType lhs, ElementType rhs) {
  if (KindOf(result) == NumberKind::kWhole) return WideKind::kInt;
  bool quad = false;
  for (ElementType type : {result, lhs, rhs}) quad |= ComponentType(type) == ElementType::kF64;
  if (IsComplex(result)) return quad ? WideKind::kComplexQuad : WideKind::kComplexDouble;
  return quad ? WideKind::kQuad : WideKind::kDouble;
}

Result<Literal> AsProductOperand(const Literal& operand, ElementType result) {
  const ElementType type = operand.element_type();
  const NumberKind from = KindOf(type), to = KindOf(result);
  if (from == to || (from == NumberKind::kReal && to == NumberKind::kComplexNumber)) return operand;
  if (from == NumberKind::kComplexNumber) {
    return BadInput("an operand of type {} for a product of type {}", ToString(type), ToString(result));
  }
  const ElementType part = ComponentType(result);
  Literal converted = SF_TRY(Literal::Zeros(operand.shape().WithElementType(part)));
  for (int64_t i = 0; i < operand.shape().element_count(); ++i) {
    SetBits(converted, i, ConvertBits(type, part, GetBits(operand, i)));
  }
  return converted;
}

}  // namespace subfloor::evaluator
