#include "types/random_literal.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "types/narrow.h"

namespace subfloor {
namespace {

// SplitMix64's finalizer: any counter gives well-mixed bits.
uint64_t Mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

uint64_t OrdinaryFloat(ElementType type, uint64_t r) {
  if (type == ElementType::kF8E8M0FNU) return 124 + r % 7;
  const double uniform = static_cast<double>(r >> 11) * 0x1p-52 - 1.0;
  switch (r % 16) {
    case 0:
      return FromDouble(type, std::floor(uniform * 4) / 4);  // round numbers, so that ties happen
    case 1:
      return FromDouble(type, std::ldexp(uniform, -static_cast<int>(r / 16 % 10)));  // small ones
    default:
      return FromDouble(type, uniform);
  }
}

uint64_t OrdinaryInt(ElementType type, uint64_t r, const RandomLiteralOptions& options) {
  if (BitWidth(type) <= 2) return r >> 20 & ((uint64_t{1} << BitWidth(type)) - 1);
  int64_t low = options.int_min, high = std::max(options.int_min, options.int_max);
  if (BitWidth(type) < 64) {
    low = std::clamp(low, ToInt(type, MinInt(type)), ToInt(type, MaxInt(type)));
    high = std::clamp(high, ToInt(type, MinInt(type)), ToInt(type, MaxInt(type)));
  } else if (IsUnsigned(type)) {
    low = std::max<int64_t>(low, 0);
    high = std::max<int64_t>(high, 0);
  }
  const uint64_t count = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  return FromInt(type, static_cast<int64_t>(static_cast<uint64_t>(low) + (count == 0 ? r : r % count)));
}

// A pattern that tends to break things.
uint64_t EdgeFloat(ElementType type, uint64_t r) {
  const FloatFormat format = FormatOf(type);
  const uint64_t least_normal = uint64_t{1} << format.mantissa_bits;
  const uint64_t positive[] = {Infinity(type),
                               MaxFinite(type),
                               SmallestPositive(type),
                               least_normal - 1,
                               least_normal,
                               FromDouble(type, 1.0),
                               0,
                               FromDouble(type, 0.5)};
  if (r % 9 == 8) return QuietNan(type);
  const uint64_t bits = positive[r % 9];
  const bool negate = format.has_sign && (r >> 32 & 1) != 0 && (bits != 0 || format.has_negative_zero);
  return negate ? bits | uint64_t{1} << (BitWidth(type) - 1) : bits;
}

uint64_t EdgeInt(ElementType type, uint64_t r) {
  const uint64_t all = IsSigned(type) ? MinInt(type) | MaxInt(type) : MaxInt(type);
  const uint64_t values[] = {MinInt(type), MaxInt(type), 0, all, MinInt(type) + 1, MaxInt(type) - 1};
  return values[r % 6] & all;
}

uint64_t AnyPattern(ElementType type, uint64_t r) {
  const int width = BitWidth(type);
  const uint64_t bits = width == 64 ? r : r & ((uint64_t{1} << width) - 1);
  return IsNan(type, bits) ? QuietNan(type) : bits;  // never a signalling NaN
}

uint64_t Draw(ElementType type, uint64_t r, const RandomLiteralOptions& options) {
  if (IsPred(type)) return r >> 40 & 1;
  if (options.edge) {
    const uint64_t value = Mix(r);
    if (r % 4 == 0) return IsFloat(type) ? EdgeFloat(type, value) : EdgeInt(type, value);
    if (r % 4 == 1) return AnyPattern(type, value);
    r = value;
  }
  return IsFloat(type) ? OrdinaryFloat(type, r) : OrdinaryInt(type, r, options);
}

}  // namespace

Result<Literal> RandomLiteral(const Shape& shape, uint64_t seed, const RandomLiteralOptions& options) {
  Literal result = SF_TRY(Literal::Zeros(shape));
  std::vector<Literal*> pending = {&result};
  uint64_t leaf = 0;
  while (!pending.empty()) {
    Literal& literal = *pending.back();
    pending.pop_back();
    auto elements = literal.mutable_elements();
    for (size_t i = elements.size(); i-- > 0;) pending.push_back(&elements[i]);
    if (!literal.shape().IsArray()) continue;
    const ElementType type = literal.element_type();
    const uint64_t stream = Mix(seed ^ Mix(leaf++));
    for (int64_t i = 0; i < literal.shape().element_count(); ++i) {
      const uint64_t counter = stream + 2 * static_cast<uint64_t>(i);
      if (IsComplex(type)) {
        SetPartBits(literal, i, 0, Draw(ComponentType(type), Mix(counter), options));
        SetPartBits(literal, i, 1, Draw(ComponentType(type), Mix(counter + 1), options));
      } else {
        SetBits(literal, i, Draw(type, Mix(counter), options));
      }
    }
  }
  return result;
}

}  // namespace subfloor
