#include "types/narrow.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace subfloor {
namespace {

__extension__ using Uint128 = unsigned __int128;

// A number taken apart: a finite one is (-1)^negative * significand * 2^exponent.
struct Parts {
  enum Kind { kFinite, kInfinite, kNan } kind = kFinite;
  bool negative = false;
  Uint128 significand = 0;
  int exponent = 0;
  uint64_t payload = 0;  // of a NaN: its mantissa field, moved up so that the quiet bit is bit 63
};

uint64_t Mask(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

int BitLength(Uint128 value) {
  const auto high = static_cast<uint64_t>(value >> 64);
  return high != 0 ? 128 - std::countl_zero(high) : 64 - std::countl_zero(static_cast<uint64_t>(value));
}

// value / 2^shift to the nearest integer, ties to even.
Uint128 ShiftRightRoundEven(Uint128 value, int shift) {
  if (shift <= 0) return value << -shift;
  if (shift > 128) return 0;  // below a quarter
  const Uint128 half = Uint128{1} << (shift - 1);
  const Uint128 quotient = shift == 128 ? 0 : value >> shift;
  const Uint128 rest = value - (shift == 128 ? 0 : quotient << shift);
  return quotient + (rest > half || (rest == half && (quotient & 1) != 0) ? 1 : 0);
}

uint64_t SignBit(ElementType type) { return uint64_t{1} << (BitWidth(type) - 1); }

// f8e8m0fnu spends no pattern on zero: its exponent field 0 is a normal number. It is treated as a format of
// one exponent more below, whose patterns start at 1.
uint64_t FirstPattern(const FloatFormat& format) { return format.has_sign ? 0 : 1; }

// The exponent of the least normal number (of the imagined zero's neighbour, for f8e8m0fnu).
int MinExponent(const FloatFormat& format) { return format.has_sign ? 1 - format.bias : -format.bias; }

Parts TakeApart(ElementType type, uint64_t bits) {
  const FloatFormat format = FormatOf(type);
  Parts parts;
  if (IsNan(type, bits)) {
    parts.kind = Parts::kNan;
    parts.negative = format.has_sign && (bits & SignBit(type)) != 0;
    parts.payload = format.has_infinity ? bits << (64 - format.mantissa_bits) : uint64_t{1} << 63;
    return parts;
  }
  parts.negative = format.has_sign && (bits & SignBit(type)) != 0;
  if (IsInfinity(type, bits)) {
    parts.kind = Parts::kInfinite;
    return parts;
  }
  const uint64_t magnitude = format.has_sign ? bits & ~SignBit(type) : bits + FirstPattern(format);
  const uint64_t field = magnitude >> format.mantissa_bits;
  const uint64_t mantissa = magnitude & Mask(format.mantissa_bits);
  parts.significand = field == 0 ? mantissa : mantissa | uint64_t{1} << format.mantissa_bits;
  parts.exponent =
      MinExponent(format) - format.mantissa_bits + (field == 0 ? 0 : static_cast<int>(field) - 1);
  return parts;
}

uint64_t PutTogetherFloat(ElementType type, const Parts& parts) {
  const FloatFormat format = FormatOf(type);
  const uint64_t sign = parts.negative && format.has_sign ? SignBit(type) : 0;
  if (parts.kind == Parts::kNan) {
    if (!format.has_infinity)
      return format.has_negative_zero && format.has_nan ? QuietNan(type) | sign : QuietNan(type);
    return QuietNan(type) | sign | parts.payload >> (64 - format.mantissa_bits);
  }
  if (!format.has_sign && (parts.negative || (parts.kind == Parts::kFinite && parts.significand == 0))) {
    return QuietNan(type);
  }
  if (parts.kind == Parts::kInfinite) return Infinity(type, parts.negative);
  if (parts.significand == 0) return format.has_negative_zero ? sign : 0;

  // Round to a multiple of the unit in the last place that the result's exponent has. Counting patterns
  // upwards from zero then needs no special case: a carry out of the mantissa is the next exponent.
  const int exponent = BitLength(parts.significand) - 1 + parts.exponent;
  const int unit = std::max(exponent, MinExponent(format)) - format.mantissa_bits;
  const Uint128 rounded = ShiftRightRoundEven(parts.significand, unit - parts.exponent);
  const auto steps = static_cast<int64_t>(unit + format.mantissa_bits - MinExponent(format));
  // Far beyond every type's range the pattern would not fit; any overflowing value serves.
  if (steps > 4096) return Infinity(type, parts.negative);
  uint64_t magnitude =
      (static_cast<uint64_t>(steps) << format.mantissa_bits) + static_cast<uint64_t>(rounded);
  if (!format.has_sign) magnitude = std::max<uint64_t>(magnitude, 1) - 1;
  if (magnitude > MaxFinite(type)) return Infinity(type, parts.negative);
  if (magnitude == 0 && format.has_sign && !format.has_negative_zero) return 0;
  return magnitude | sign;
}

uint64_t PutTogetherInteger(ElementType type, const Parts& parts) {
  if (IsPred(type)) return parts.kind != Parts::kFinite || parts.significand != 0;
  if (parts.kind == Parts::kNan) return 0;
  const uint64_t end = parts.negative ? MinInt(type) : MaxInt(type);
  if (parts.kind == Parts::kInfinite) return end;
  if (BitLength(parts.significand) + parts.exponent > 64) return end;
  const int shift = -parts.exponent;
  const Uint128 magnitude =
      shift <= 0 ? parts.significand << -shift : (shift >= 128 ? Uint128{0} : parts.significand >> shift);
  // The distance from zero to the end on this side.
  const uint64_t limit = parts.negative ? (uint64_t{0} - MinInt(type)) & Mask(BitWidth(type)) : MaxInt(type);
  if (magnitude > limit) return end;
  const auto value = static_cast<uint64_t>(magnitude);
  return (parts.negative ? uint64_t{0} - value : value) & Mask(BitWidth(type));
}

uint64_t PutTogether(ElementType type, const Parts& parts) {
  return IsFloat(type) ? PutTogetherFloat(type, parts) : PutTogetherInteger(type, parts);
}

Parts PartsOfMagnitude(bool negative, uint64_t magnitude) {
  Parts parts;
  parts.negative = negative;
  parts.significand = magnitude;
  return parts;
}

}  // namespace

bool IsNan(ElementType type, uint64_t bits) {
  if (!IsFloat(type)) return false;
  const FloatFormat format = FormatOf(type);
  if (!format.has_nan) return false;
  if (!format.has_sign) return bits == 0xff;
  if (!format.has_negative_zero) return bits == SignBit(type);
  return (bits & ~SignBit(type)) > (format.has_infinity ? Infinity(type) : MaxFinite(type));
}

bool IsInfinity(ElementType type, uint64_t bits) {
  if (!IsFloat(type) || !FormatOf(type).has_infinity) return false;
  return (bits & ~SignBit(type)) == Infinity(type);
}

uint64_t QuietNan(ElementType type) {
  const FloatFormat format = FormatOf(type);
  if (!format.has_sign) return 0xff;
  if (!format.has_nan || !format.has_negative_zero) return SignBit(type);
  if (!format.has_infinity) return Mask(BitWidth(type) - 1);
  return Infinity(type) | uint64_t{1} << (format.mantissa_bits - 1);
}

uint64_t Infinity(ElementType type, bool negative) {
  const FloatFormat format = FormatOf(type);
  if (!format.has_sign) return 0xff;
  if (format.has_infinity)
    return Mask(format.exponent_bits) << format.mantissa_bits | (negative ? SignBit(type) : 0);
  if (!format.has_nan) return MaxFinite(type) | (negative ? SignBit(type) : 0);
  return format.has_negative_zero ? QuietNan(type) | (negative ? SignBit(type) : 0) : QuietNan(type);
}

uint64_t MaxFinite(ElementType type) {
  const FloatFormat format = FormatOf(type);
  if (!format.has_sign) return 0xfe;
  if (format.has_infinity) return (Mask(format.exponent_bits) << format.mantissa_bits) - 1;
  // The kinds without infinity use every pattern, but for the one NaN of f8e4m3fn.
  return Mask(BitWidth(type) - 1) - (format.has_nan && format.has_negative_zero ? 1 : 0);
}

uint64_t SmallestPositive(ElementType type) { return FormatOf(type).has_sign ? 1 : 0; }

uint64_t MinInt(ElementType type) { return IsSigned(type) ? SignBit(type) : 0; }

uint64_t MaxInt(ElementType type) {
  if (IsPred(type)) return 1;
  return Mask(IsSigned(type) ? BitWidth(type) - 1 : BitWidth(type));
}

uint64_t FromDouble(ElementType type, double value) {
  const auto source = std::bit_cast<uint64_t>(value);
  const auto field = static_cast<int>(source >> 52 & 0x7ff);
  const FloatFormat format = IsFloat(type) ? FormatOf(type) : FloatFormat{};
  // The common case in 64-bit steps: a normal number to a narrower float with a sign that does not overflow.
  if (IsFloat(type) && format.has_sign && format.mantissa_bits < 52 && field != 0 && field != 0x7ff) {
    const int exponent = field - 1023, least = MinExponent(format);
    const int shift = 52 - format.mantissa_bits + std::max(least - exponent, 0);
    const uint64_t significand = (source & Mask(52)) | uint64_t{1} << 52;
    // 53 bits shifted out by 54 or more are below half of the least subnormal.
    const uint64_t quotient = shift > 53 ? 0 : significand >> shift;
    const uint64_t rest = shift > 53 ? 0 : significand & Mask(shift),
                   half = shift > 53 ? 1 : uint64_t{1} << (shift - 1);
    const uint64_t rounded = quotient + (rest > half || (rest == half && (quotient & 1) != 0) ? 1 : 0);
    const int64_t steps = std::max(exponent - least, 0);
    const uint64_t magnitude = (static_cast<uint64_t>(steps) << format.mantissa_bits) + rounded;
    if (magnitude <= MaxFinite(type) && (magnitude != 0 || format.has_negative_zero)) {
      return magnitude | (source >> 63 << (BitWidth(type) - 1));
    }
  }
  return PutTogether(type, TakeApart(ElementType::kF64, std::bit_cast<uint64_t>(value)));
}

uint64_t FromQuad(ElementType type, __float128 value) {
  const auto bits = std::bit_cast<Uint128>(value);
  const auto field = static_cast<int>(bits >> 112) & 0x7fff;
  const Uint128 mantissa = bits & ((Uint128{1} << 112) - 1);
  Parts parts;
  parts.negative = (bits >> 127) != 0;
  if (field == 0x7fff) {
    parts.kind = mantissa == 0 ? Parts::kInfinite : Parts::kNan;
    parts.payload = static_cast<uint64_t>(mantissa >> (112 - 64));
  } else {
    parts.significand = field == 0 ? mantissa : mantissa | Uint128{1} << 112;
    parts.exponent = std::max(field, 1) - 16383 - 112;
  }
  return PutTogether(type, parts);
}

uint64_t FromInt(ElementType type, int64_t value) {
  if (IsIntegral(type)) return static_cast<uint64_t>(value) & Mask(BitWidth(type));
  const auto unsigned_value = static_cast<uint64_t>(value);
  return PutTogether(type,
                     PartsOfMagnitude(value < 0, value < 0 ? uint64_t{0} - unsigned_value : unsigned_value));
}

uint64_t FromUint(ElementType type, uint64_t value) {
  if (IsIntegral(type)) return value & Mask(BitWidth(type));
  return PutTogether(type, PartsOfMagnitude(false, value));
}

double ToDouble(ElementType type, uint64_t bits) {
  if (type == ElementType::kF64) return std::bit_cast<double>(bits);
  if (type == ElementType::kF32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (type == ElementType::kBF16) return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  if (IsFloat(type)) return std::bit_cast<double>(PutTogetherFloat(ElementType::kF64, TakeApart(type, bits)));
  if (IsSigned(type)) return static_cast<double>(ToInt(type, bits));
  return static_cast<double>(bits);
}

__float128 ToQuad(ElementType type, uint64_t bits) {
  if (type == ElementType::kU64) return static_cast<__float128>(bits);
  if (!IsFloat(type)) return static_cast<__float128>(ToInt(type, bits));
  return static_cast<__float128>(ToDouble(type, bits));
}

int64_t ToInt(ElementType type, uint64_t bits) {
  if (IsFloat(type))
    return static_cast<int64_t>(PutTogetherInteger(ElementType::kS64, TakeApart(type, bits)));
  if (!IsSigned(type)) return static_cast<int64_t>(bits);
  const int unused = 64 - BitWidth(type);
  return static_cast<int64_t>(bits << unused) >> unused;
}

uint64_t ConvertBits(ElementType from, ElementType to, uint64_t bits) {
  if (from == to) return bits;
  if (IsFloat(from)) return PutTogether(to, TakeApart(from, bits));
  return IsSigned(from) ? FromInt(to, ToInt(from, bits)) : FromUint(to, bits);
}

}  // namespace subfloor
