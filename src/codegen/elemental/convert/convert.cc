#include "codegen/elemental/convert/convert.h"

#include <cmath>

#include "codegen/elemental/lanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace subfloor::codegen::elemental {
namespace {

V IntegerToInteger(ElementType from, const V& x, ElementType to) {
  const int bits = 8 * ByteWidth(to);
  V resized = x;
  if (bits < x.bits())
    resized = TruncTo(x, bits);
  else
    resized = IsSigned(from) ? SExt(x, bits) : ZExt(x, bits);
  return Normalize(to, resized);
}

/// A 64-bit magnitude as an f64 whose last bit says whether anything was cut off.
V MagnitudeToF64Odd(const V& magnitude) {
  V large = Ne(Shr(magnitude, 53), 0);
  V sticky = ZExt(Ne(magnitude & 0x7ff, 0), 64);
  V kept = Select(large, Shr(magnitude, 11) | sticky, magnitude);
  V value = SIntToFloat(kept, magnitude.builder().getF64Type());
  return value * Select(large, Num(value, 2048.0), Num(value, 1.0));
}

Element Real(ElementType type, const V& value) { return {type, value.get(), {}}; }

/// Between types of one number each.
Element ConvertPart(mlir::ImplicitLocOpBuilder& b, ElementType from, const V& x, ElementType to) {
  if (from == to) return Real(to, x);
  if (IsFloat(from)) {
    if (IsFloat(to)) return Real(to, FloatToFloat(from, x, to));
    V wide = Widen(from, x);
    return Real(to, IsPred(to) ? Ne(wide, 0.0) : FloatToInteger(wide, to));
  }
  if (IsPred(to)) return Real(to, Ne(x, 0));
  if (IsFloat(to)) return Real(to, IntegerToFloat(from, x, to));
  return Real(to, IntegerToInteger(from, x, to));
}

}  // namespace

V FloatToFloat(ElementType from, const V& x, ElementType to) {
  if (from == to) return x;
  if (from != ElementType::kF64) {
    V wide = Widen(from, x);
    return to == ElementType::kF64 ? ToF64(wide) : NarrowF32(wide, to);
  }
  return to == ElementType::kF32 ? ToF32(x) : NarrowF32(ToF32Odd(x), to);
}

V FloatToInteger(const V& x, ElementType to) {
  const bool is_signed = IsSigned(to);
  const double low = is_signed ? -std::ldexp(1.0, BitWidth(to) - 1) : 0.0;
  const double beyond = std::ldexp(1.0, is_signed ? BitWidth(to) - 1 : BitWidth(to));
  V whole = Trunc(x);
  V inside = Ge(whole, low) & Lt(whole, beyond);
  V safe = Select(inside, whole, 0.0);  // an out-of-range cast has no value at all
  const int bits = BitWidth(to) == 64 ? 64 : 32;
  V result;
  if (!is_signed && BitWidth(to) >= 32) {
    const double half = std::ldexp(1.0, bits - 1);
    V upper = Ge(safe, half);
    V flipped = FloatToSInt(Select(upper, safe - half, safe), bits);
    result = Select(upper, flipped ^ static_cast<int64_t>(~uint64_t{0} << (bits - 1)), flipped);
  } else {
    result = FloatToSInt(safe, bits);
  }
  result = TruncTo(result, 8 * ByteWidth(to));
  V outside = Select(Ge(whole, beyond), HighestOf(to, result),
                     Select(Lt(whole, low), LowestOf(to, result), Num(result, 0)));
  return Select(inside, result, outside);
}

V IntegerToFloat(ElementType from, const V& x, ElementType to) {
  mlir::ImplicitLocOpBuilder& b = x.builder();
  const int bits = IsPred(from) ? 1 : BitWidth(from);
  V value = x;
  if (bits < 32) value = IsSigned(from) ? SExt(x, 32) : ZExt(x, 32);
  const bool is_signed = IsSigned(from) || bits < 32;
  auto direct = [&](mlir::Type float_element) {
    return is_signed ? SIntToFloat(value, float_element) : UIntToFloat(value, float_element);
  };
  if (to == ElementType::kF64) return direct(b.getF64Type());
  if (to == ElementType::kF32) return direct(b.getF32Type());
  if (bits < 32) return NarrowF32(direct(b.getF32Type()), to);  // exact in f32
  if (bits == 32) return NarrowF32(ToF32Odd(direct(b.getF64Type())), to);
  if (!IsSigned(from)) return NarrowF32(ToF32Odd(MagnitudeToF64Odd(value)), to);
  V negative = Lt(value, 0);
  V magnitude = MagnitudeToF64Odd(Select(negative, -value, value));
  return NarrowF32(ToF32Odd(Select(negative, -magnitude, magnitude)), to);
}

Result<Element> EmitConvert(mlir::ImplicitLocOpBuilder& b, const Element& x, ElementType to) {
  if (x.type == to) return x;
  if (!IsArrayType(x.type) || !IsArrayType(to))
    return NotSupported("convert of {} to {}; arrays' types are", ToString(x.type), ToString(to));
  if (IsComplex(x.type) && !IsComplex(to))
    return NotSupported("convert of {} to {}; take real or imag first", ToString(x.type), ToString(to));
  const ElementType from_part = ComponentType(x.type), to_part = ComponentType(to);
  Element result = ConvertPart(b, from_part, V(b, x.value), to_part);
  result.type = to;
  if (IsComplex(to)) {
    V real(b, result.value);
    result.imag = x.imag ? ConvertPart(b, from_part, V(b, x.imag), to_part).value : Num(real, 0.0).get();
  }
  return result;
}

Result<Element> EmitFromIndex(mlir::ImplicitLocOpBuilder& b, mlir::Value index, ElementType to) {
  V value(b, index);
  if (mlir::isa<mlir::IndexType>(value.element()))
    value = V(b, mlir::arith::IndexCastOp::create(b, value.With(b.getI64Type()), index));
  const ElementType from = value.bits() == 64 ? ElementType::kS64 : ElementType::kS32;
  return EmitConvert(b, Real(from, SExt(value, from == ElementType::kS64 ? 64 : 32)), to);
}

}  // namespace subfloor::codegen::elemental
