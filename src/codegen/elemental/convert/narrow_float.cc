#include <cmath>

#include "codegen/elemental/convert/convert.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace subfloor::codegen::elemental {
namespace {

constexpr int64_t kF32Infinity = 0x7f800000;
constexpr int64_t kF32QuietNan = 0x7fc00000;

int StorageBits(ElementType type) { return 8 * ByteWidth(type); }
int64_t SignBit(ElementType type) { return int64_t{1} << (BitWidth(type) - 1); }

/// The pattern an overflow of the positive side turns into.
int64_t OverflowPattern(ElementType type, const FloatFormat& format) {
  if (format.has_infinity) return ((int64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
  if (!format.has_nan) return SignBit(type) - 1;                        // the largest finite value
  return format.has_negative_zero ? SignBit(type) - 1 : SignBit(type);  // f8e4m3fn; the fnuz kinds
}
/// The largest finite pattern.
int64_t LargestPattern(ElementType type, const FloatFormat& format) {
  if (format.has_infinity) return OverflowPattern(type, format) - 1;
  return SignBit(type) - 1 - (format.has_nan && format.has_negative_zero ? 1 : 0);
}

V WidenPowerOfTwo(const V& bits) {
  V code = ZExt(bits, 32);
  V pattern = Select(Eq(code, 0), Num(code, 0x00400000), Shl(code, 23));  // 2^-127 is subnormal in f32
  return AsFloat(Select(Eq(code, 255), Num(code, kF32QuietNan), pattern));
}

V NarrowToPowerOfTwo(const V& x) {
  V u = AsInt(x);
  V normal = Shr(u + 0x00400000, 23);  // ties go up
  V code =
      Select(ULt(u, Num(u, 0x00800000)), Select(UGe(u, Num(u, 0x00600000)), Num(u, 1), Num(u, 0)), normal);
  V valid = Gt(u, 0) & Le(u, kF32Infinity);  // positive, no NaN
  return TruncTo(Select(valid, code, Num(u, 0xff)), 8);
}

constexpr int64_t kUpperHalf = static_cast<int32_t>(0xffff0000);

// To bf16, in the upper half of the bits; the lower half is anything. To nearest even by a carry into the
// upper half; the sign rides along, as no finite pattern carries into it.
V RoundToUpperHalf(const V& x) {
  V u = AsInt(x);
  return Select(IsNan(x), u | (kF32QuietNan - kF32Infinity), u + (Shr(u, 16) & 1) + 0x7fff);
}
V NarrowBf16(const V& x) { return TruncTo(Shr(RoundToUpperHalf(x), 16), 16); }

// What RoundToUpperHalf made, if `bits` are what NarrowBf16 made of it.
V Rounded(const V& bits) {
  auto low = bits.get().getDefiningOp<mlir::arith::TruncIOp>();
  auto upper = low ? low.getIn().getDefiningOp<mlir::arith::ShRUIOp>() : nullptr;
  auto rounded = upper ? upper.getLhs().getDefiningOp<mlir::arith::SelectOp>() : nullptr;
  auto is_nan = rounded ? rounded.getCondition().getDefiningOp<mlir::arith::CmpFOp>() : nullptr;
  auto quiet = rounded ? rounded.getTrueValue().getDefiningOp<mlir::arith::OrIOp>() : nullptr;
  auto number = quiet ? quiet.getLhs().getDefiningOp<mlir::arith::BitcastOp>() : nullptr;
  llvm::APInt shift;
  const bool ours = is_nan && number && is_nan.getLhs() == number.getIn() &&
                    is_nan.getRhs() == number.getIn() && bits.bits() == 16 &&
                    mlir::matchPattern(upper.getRhs(), mlir::m_ConstantInt(&shift)) && shift == 16;
  if (!ours) return {};
  return V(bits.builder(), rounded);
}

// bf16 is the upper half of an f32. The processor's own compare finds the NaNs, which become quiet; those of
// a value that was rounded just now are.
V WidenBf16(const V& bits) {
  if (V rounded = Rounded(bits)) return AsFloat(rounded & kUpperHalf);
  V u = Shl(ZExt(bits, 32), 16);
  return AsFloat(Select(IsNan(AsFloat(u)), u | (kF32QuietNan - kF32Infinity), u));
}

}  // namespace

V Widen(ElementType from, const V& bits) {
  if (from == ElementType::kF32 || from == ElementType::kF64) return bits;
  if (from == ElementType::kBF16) return WidenBf16(bits);
  if (from == ElementType::kF8E8M0FNU) return WidenPowerOfTwo(bits);
  const FloatFormat format = FormatOf(from);
  const int shift = 23 - format.mantissa_bits;
  V u = ZExt(bits, 32);
  V sign = Shl(u & SignBit(from), 32 - BitWidth(from));
  V magnitude = u & (SignBit(from) - 1);
  V shifted = Shl(magnitude, shift);
  // A subnormal is an integer number of units; going through f32 subnormals instead would be slow on some
  // machines.
  V normal = shifted + (int64_t{127 - format.bias} << 23);
  const double unit = std::ldexp(1.0, 1 - format.bias - format.mantissa_bits);
  V subnormal = AsInt(SIntToFloat(magnitude, u.builder().getF32Type()) * unit);
  V result = Select(Lt(magnitude, int64_t{1} << format.mantissa_bits), subnormal, normal);
  if (format.has_infinity) {
    const int64_t infinity = OverflowPattern(from, format);
    result = Select(Ge(magnitude, infinity), shifted | kF32Infinity, result);
    result = Select(Gt(magnitude, infinity), result | (kF32QuietNan - kF32Infinity), result);
  } else if (format.has_nan && format.has_negative_zero) {
    result = Select(Eq(magnitude, SignBit(from) - 1), Num(u, kF32QuietNan), result);
  } else if (format.has_nan) {
    result = Select(Eq(u, SignBit(from)), Num(u, kF32QuietNan), result);  // takes the sign below
  }
  return AsFloat(result | sign);
}

V NarrowF32(const V& x, ElementType to) {
  if (to == ElementType::kF32 || to == ElementType::kF64) return x;
  if (to == ElementType::kBF16) return NarrowBf16(x);
  if (to == ElementType::kF8E8M0FNU) return NarrowToPowerOfTwo(x);
  const FloatFormat format = FormatOf(to);
  const int shift = 23 - format.mantissa_bits;
  V u = AsInt(x);
  V magnitude = u & 0x7fffffff;
  V sign = Shr(u & static_cast<int64_t>(0x80000000), 32 - BitWidth(to));

  // To nearest even on the pattern: a carry out of the mantissa is the next exponent.
  V rebased = magnitude - (int64_t{127 - format.bias} << 23);
  V code = Shr(rebased + ((int64_t{1} << (shift - 1)) - 1) + (Shr(rebased, shift) & 1), shift);
  // Adding a power of two whose unit is the type's least subnormal lets the addition round.
  V adder = Num(x, std::ldexp(1.0, 24 - format.bias - format.mantissa_bits));
  V subnormal = AsInt(AsFloat(magnitude) + adder) - AsInt(adder);
  V is_subnormal = Lt(magnitude, int64_t{128 - format.bias} << 23);
  code = Select(is_subnormal, subnormal, code);
  code = Select(Gt(code, LargestPattern(to, format)), Num(code, OverflowPattern(to, format)), code);

  V is_nan = Gt(magnitude, kF32Infinity);
  if (format.has_infinity) {
    const int64_t infinity = OverflowPattern(to, format);
    V payload = Shr(magnitude & 0x007fffff, shift);
    code = Select(is_nan, payload | (infinity | int64_t{1} << (format.mantissa_bits - 1)), code);
    code = code | sign;
  } else if (format.has_nan && format.has_negative_zero) {
    code = Select(is_nan, Num(u, SignBit(to) - 1), code) | sign;
  } else if (format.has_nan) {
    code = Select(Eq(code, 0), code, code | sign);  // 0x80 is the NaN, not a zero
    code = Select(is_nan, Num(u, SignBit(to)), code);
  } else {
    code = Select(is_nan, Num(u, SignBit(to)), code | sign);  // no NaN to give: -0
  }
  return TruncTo(code, StorageBits(to));
}

V ToF32Odd(const V& x) {
  V nearest = ToF32(x);
  V back = Abs(ToF64(nearest));
  V pattern = AsInt(nearest);
  // An inexact result whose last bit is even gives way to its odd neighbour on the side of x. NaNs compare
  // false.
  V step =
      Select(Gt(Abs(x), back), Num(pattern, 1), Select(Lt(Abs(x), back), Num(pattern, -1), Num(pattern, 0)));
  return AsFloat(Select(Eq(pattern & 1, 0), pattern + step, pattern));
}

}  // namespace subfloor::codegen::elemental
