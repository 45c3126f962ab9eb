#include "codegen/elemental/math/core.h"
#include "codegen/elemental/math/functions.h"

namespace subfloor::codegen::elemental {
namespace {

/// log(x) for finite positive x to more than the format's precision: y log(x) must be right to a last place
/// of e^(y log x).
Pair LogPair(const V& x) {
  const auto ln2 = Pick(x, kLn2F32, kLn2F64);
  const auto two_thirds = Pick(x, kTwoThirdsF32, kTwoThirdsF64);
  Split normal = Normalized(x);
  Split split = SplitNearOne(normal.m);
  V k = SIntToFloat(split.k - normal.k, x.element());
  V f = split.m - 1.0;
  // log m = 2s + 2/3 s^3 + s^5 (...) for s = f / (2 + f).
  Pair s = DividePairs({f, Num(x, 0.0)}, TwoSum(Num(x, 2.0), f));
  s = FastTwoSum(s.hi, s.lo);
  Pair z = TwoProduct(s.hi, s.hi);
  z.lo = Fma(s.hi, s.lo + s.lo, z.lo);
  Pair inner = FastTwoSum(Num(x, two_thirds[0]), z.hi * Polynomial(z.hi, Pick(x, kLogTailF32, kLogTailF64)));
  inner.lo = inner.lo + two_thirds[1];
  Pair w = TwoProduct(z.hi, inner.hi);
  w.lo = w.lo + (z.hi * inner.lo + z.lo * inner.hi);
  Pair cubic = TwoProduct(s.hi, w.hi);
  cubic.lo = cubic.lo + (s.hi * w.lo + s.lo * w.hi);
  Pair log_m = FastTwoSum(s.hi + s.hi, cubic.hi);
  log_m.lo = log_m.lo + (s.lo + s.lo + cubic.lo);
  Pair sum = TwoSum(k * ln2[0], log_m.hi);
  return FastTwoSum(sum.hi, sum.lo + Fma(k, ln2[1], log_m.lo));
}

/// |x|^y for finite non-zero x and finite y.
V PowerOfMagnitude(const V& x, const V& y) {
  Pair log_x = LogPair(x);
  V exponent = y * log_x.hi;
  V exponent_lo = Fma(y, log_x.hi, -exponent) + y * log_x.lo;
  // Far outside, the low part is of no interest and may be no number.
  const double low = ExpLowest(x), high = ExpHighest(x);
  V inside = Gt(exponent, low) & Lt(exponent, high);
  ExpParts parts = ExpCore(ClampNumber(exponent, low, high), Select(inside, exponent_lo, 0.0));
  return ScaleByPowerOfTwo(parts.mantissa.hi, parts.k);
}

}  // namespace

V Power(const V& x, const V& y) {
  return CallHelper1("power", {x, y}, [](std::span<const V> args) {
    const V &x = args[0], &y = args[1];
    V one = Num(x, 1.0), zero = Num(x, 0.0), infinity = Num(x, HUGE_VAL);
    V a = Abs(x);
    V y_infinite = Eq(Abs(y), HUGE_VAL);
    V usual = Lt(a, HUGE_VAL) & Gt(a, 0.0) & ~y_infinite;
    V result = PowerOfMagnitude(Select(usual, a, one), Select(usual, y, one));
    // The ends: as a limit grows or shrinks.
    V grows = Gt(a, 1.0) ^ Lt(y, 0.0);
    result = Select(usual, result, Select(grows, infinity, zero));
    result = Select(Eq(a, 1.0), one, result);

    V whole = Eq(Trunc(y), y);
    V half = 0.5 * y;
    V odd = whole & Ne(Trunc(half), half) & ~y_infinite;
    V negative = Lt(AsInt(x), 0);
    result = Select(negative & odd, -result, result);
    V no_number = (Lt(x, 0.0) & Lt(a, HUGE_VAL) & ~whole) | IsNan(x) | IsNan(y);
    result = Select(no_number, Num(x, NAN), result);
    return Select(Eq(x, 1.0) | Eq(y, 0.0), one, result);
  });
}

}  // namespace subfloor::codegen::elemental
