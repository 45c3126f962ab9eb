#include "codegen/elemental/math/core.h"
#include "codegen/elemental/math/functions.h"

namespace subfloor::codegen::elemental {

V Exp(const V& x) {
  ExpParts parts = ExpCore(ClampNumber(x, ExpLowest(x), ExpHighest(x)), V());
  return ScaleByPowerOfTwo(parts.mantissa.hi, parts.k);
}

V Expm1(const V& x) {
  // Below the low end the result is -1 to the last bit.
  Pair quarter = QuarterExpm1(ClampNumber(x, -40.0, ExpHighest(x)));
  return UnlessTiny(x, -25, -54, 4.0 * quarter.hi);
}

V Log(const V& x) {
  Split normal = Normalized(x);
  V result = LogCore(normal.m, V(), -normal.k);
  result = Select(Lt(x, HUGE_VAL), result, x);  // +inf and NaN
  result = Select(Lt(x, 0.0), Num(x, NAN), result);
  return Select(Eq(x, 0.0), Num(x, -HUGE_VAL), result);
}

V Log1p(const V& x) {
  V result = Log1pPair({x, V()});
  result = Select(Lt(x, HUGE_VAL), result, x);
  result = Select(Lt(x, -1.0), Num(x, NAN), result);
  result = Select(Eq(x, -1.0), Num(x, -HUGE_VAL), result);
  return UnlessTiny(x, -25, -54, result);
}

// With e = e^-|x| in (0, 1]: 1 / (1 + e) on the right side, e / (1 + e) on the left; the quotient with its
// correction.
V Logistic(const V& x) {
  ExpParts parts = ExpCore(ClampNumber(-Abs(x), ExpLowest(x), 0.0), V());
  V e = ScaleByPowerOfTwo(parts.mantissa.hi, parts.k);
  V e_lo = ScaleByPowerOfTwo(parts.mantissa.lo, parts.k);
  Pair below = FastTwoSum(Num(x, 1.0), e);
  V right = Ge(x, 0.0);
  Pair above = {Select(right, 1.0, e), Select(right, 0.0, e_lo)};
  Pair quotient = DividePairs(above, {below.hi, below.lo + e_lo});
  V result = quotient.hi + quotient.lo;
  return Select(IsNan(x), x, result);
}

}  // namespace subfloor::codegen::elemental
