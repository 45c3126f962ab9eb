#include <algorithm>
#include <cmath>

#include "codegen/elemental/convert/convert.h"
#include "codegen/elemental/lanes.h"
#include "codegen/elemental/ops/ops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

/// Ops that look at patterns: is-finite, reduce-precision, stochastic-convert, bitcast-convert.
namespace subfloor::codegen::elemental {

Result<Element> IsFinite(mlir::ImplicitLocOpBuilder& b, const Element& x) {
  if (!IsFloat(x.type)) return TypeNotTaken(hlo::Opcode::kIsFinite, x.type);
  V wide = Widen(x.type, V(b, x.value));
  return Element{ElementType::kPred, Lt(Abs(wide), HUGE_VAL).get(), {}};
}

Result<Element> ReducePrecision(mlir::ImplicitLocOpBuilder& b, const Element& x, int exponent_bits,
                                int mantissa_bits) {
  if (!IsFloat(x.type)) return TypeNotTaken(hlo::Opcode::kReducePrecision, x.type);
  // On the type's own pattern where it has IEEE's places for infinity and NaN, else on f32's.
  const FloatFormat own = FormatOf(x.type);
  const ElementType worked = own.has_infinity ? x.type : ElementType::kF32;
  const FloatFormat format = FormatOf(worked);
  const int own_mantissa = format.mantissa_bits;
  V value(b, x.value);
  V bits = AsInt(worked == x.type ? value : Widen(x.type, value));
  const int width = bits.bits();
  bits = ZExt(bits, std::max(width, 32));
  const auto sign_bit = static_cast<int64_t>(uint64_t{1} << (width - 1));
  V sign = bits & sign_bit;
  V magnitude = bits ^ sign;
  V rounded = magnitude;
  if (mantissa_bits < own_mantissa) {
    const int shift = own_mantissa - mantissa_bits;
    V bias = (Shr(magnitude, shift) & 1) + ((int64_t{1} << (shift - 1)) - 1);
    rounded = (magnitude + bias) & ~((int64_t{1} << shift) - 1);
  }
  const int64_t infinity = (int64_t{2} * format.bias + 1) << own_mantissa;
  if (exponent_bits < own.exponent_bits) {
    const int64_t bias = (int64_t{1} << (exponent_bits - 1)) - 1;
    // Beyond the target's range: infinity above, and zero below, for it keeps no subnormals here.
    const int64_t largest = (format.bias + bias) << own_mantissa | ((int64_t{1} << own_mantissa) - 1);
    const int64_t least = (format.bias + 1 - bias) << own_mantissa;
    rounded = Select(Gt(rounded, largest), infinity, Select(Lt(rounded, least), 0, rounded));
  }
  // A NaN stays the NaN it was, unless the target has no mantissa to tell it from infinity.
  V is_nan = Gt(magnitude, infinity);
  V result = Select(is_nan, mantissa_bits == 0 ? Num(bits, infinity) : bits, rounded | sign);
  result = TruncTo(result, width);
  if (worked != x.type) return Element{x.type, NarrowF32(AsFloat(result), x.type).get(), {}};
  return Element{x.type, (value.is_float() ? AsFloat(result) : result).get(), {}};
}

Result<Element> StochasticConvert(mlir::ImplicitLocOpBuilder& b, const Element& x, const Element& random,
                                  ElementType to) {
  if (!IsFloat(x.type) || !IsUnsigned(random.type) || BitWidth(random.type) != BitWidth(x.type) ||
      !IsSigned(to))
    return NotSupported(
        "stochastic-convert of {} with {} to {}; a float, an unsigned integer of its width and a signed "
        "result are",
        ToString(x.type), ToString(random.type), ToString(to));
  // |x| is split at the point; it goes up where the random number is below the fraction, both taken as parts
  // of one.
  V wide = ToF64(Widen(x.type, V(b, x.value)));
  V magnitude = Abs(wide);
  V whole = Trunc(magnitude);
  V fraction = magnitude - whole;
  // fraction 2^bits is an exact integer or has a part that decides nothing: random < f  <=>  random <
  // ceil(f).
  V scaled = Ceil(fraction * std::ldexp(1.0, BitWidth(x.type)));
  V limit(b, FloatToInteger(scaled, ElementType::kU64).get());
  V up = ULt(ZExt(V(b, random.value), 64), limit);
  V rounded = Select(up, whole + 1.0, whole);
  return Element{to, FloatToInteger(CopySign(rounded, wide), to).get(), {}};
}

Result<Element> BitcastConvert(mlir::ImplicitLocOpBuilder& b, const Element& x, ElementType to) {
  if (x.type == to) return x;
  if (BitWidth(x.type) != BitWidth(to) || IsComplex(x.type) != IsComplex(to))
    return NotSupported("bitcast-convert of one {} to {}; types of equal width are", ToString(x.type),
                        ToString(to));
  V bits(b, x.value);
  if (IsPred(x.type)) bits = ZExt(bits, 8);
  bits = AsInt(bits);
  if (IsPred(to)) return Element{to, Ne(bits, 0).get(), {}};
  if (BitWidth(to) < 8 && !IsIntegral(to)) bits = bits & ((int64_t{1} << BitWidth(to)) - 1);
  V result = to == ElementType::kF32 || to == ElementType::kF64 ? AsFloat(bits) : Normalize(to, bits);
  return Element{to, result.get(), {}};
}

}  // namespace subfloor::codegen::elemental
