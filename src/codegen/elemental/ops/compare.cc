#include "codegen/elemental/convert/convert.h"
#include "codegen/elemental/ops/ops.h"

namespace subfloor::codegen::elemental {
namespace {

using hlo::ComparisonDirection;

V Ordered(ComparisonDirection direction, const V& x, const V& y, bool is_unsigned) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return Eq(x, y);
    case ComparisonDirection::kNe:
      return Ne(x, y);
    case ComparisonDirection::kLt:
      return is_unsigned ? ULt(x, y) : Lt(x, y);
    case ComparisonDirection::kLe:
      return is_unsigned ? ULe(x, y) : Le(x, y);
    case ComparisonDirection::kGt:
      return is_unsigned ? UGt(x, y) : Gt(x, y);
    case ComparisonDirection::kGe:
      return is_unsigned ? UGe(x, y) : Ge(x, y);
  }
  return V();
}

/// Signed integers in IEEE's totalOrder: -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN.
V TotalOrderKey(ElementType type, const V& x) {
  const FloatFormat format = FormatOf(type);
  // Patterns of full width with a sign and IEEE's places for zero and NaN are ordered as they are; the rest
  // as f32.
  const bool own_bits = format.has_negative_zero && BitWidth(type) >= 8;
  V bits = AsInt(own_bits ? x : Widen(type, x));
  return bits ^ Shr(Sar(bits, bits.bits() - 1), 1);
}

}  // namespace

Result<Element> Compare(mlir::ImplicitLocOpBuilder& b, ComparisonDirection direction, bool total_order,
                        const Element& lhs, const Element& rhs) {
  V x(b, lhs.value), y(b, rhs.value);
  auto pred = [](const V& value) { return Element{ElementType::kPred, value.get(), {}}; };
  if (IsComplex(lhs.type)) {
    V xi(b, lhs.imag), yi(b, rhs.imag);
    if (direction == ComparisonDirection::kEq) return pred(Eq(x, y) & Eq(xi, yi));
    if (direction == ComparisonDirection::kNe) return pred(Ne(x, y) | Ne(xi, yi));
    return NotSupported("compare of {} by order; EQ and NE are", ToString(lhs.type));
  }
  if (IsFloat(lhs.type)) {
    if (total_order)
      return pred(Ordered(direction, TotalOrderKey(lhs.type, x), TotalOrderKey(rhs.type, y), false));
    return pred(Ordered(direction, Widen(lhs.type, x), Widen(rhs.type, y), false));
  }
  return pred(Ordered(direction, x, y, !IsSigned(lhs.type)));
}

}  // namespace subfloor::codegen::elemental
