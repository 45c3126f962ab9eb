#include "codegen/elemental/math/core.h"
#include "codegen/elemental/math/functions.h"

namespace subfloor::codegen::elemental {
namespace {

V Tanh32(const V& x) {
  V a = Abs(x);
  V z = x * x;
  V small = Fma(x * z, Polynomial(z, kTanhF32), x);
  ExpParts parts = ExpCore(2.0 * ClampNumber(a, 0.0, 10.0), V());
  V e = parts.mantissa.hi * PowerOfTwo(x, parts.k);
  V large = CopySign(1.0 - 2.0 / (e + 1.0), x);
  return Select(Lt(a, 0.625), small, large);
}

}  // namespace

// tanh |x| = m / (m + 2) for m = e^(2|x|) - 1.
V Tanh(const V& x) {
  if (!x.is_f64()) return UnlessTiny(x, -13, 0, Tanh32(x));
  Pair m = QuarterExpm1(2.0 * ClampNumber(Abs(x), 0.0, 20.0));
  Pair below = TwoSum(m.hi, Num(x, 0.5));
  Pair quotient = DividePairs(m, {below.hi, below.lo + m.lo});
  return UnlessTiny(x, -13, -28, CopySign(quotient.hi + quotient.lo, x));
}

// With m = e^|x| - 1: sinh |x| = (m + m / (m + 1)) / 2; all in quarters, so that nothing overflows too early.
V Sinh(const V& x) {
  V a = ClampNumber(Abs(x), 0.0, ExpHighest(x));
  Pair quarter = QuarterExpm1(a);
  Pair below = TwoSum(4.0 * quarter.hi, Num(x, 1.0));
  Pair second = DividePairs(quarter, {below.hi, Fma(quarter.lo, 4.0, below.lo)});
  Pair sum = TwoSum(quarter.hi, second.hi);
  V moderate = sum.hi + (sum.lo + (quarter.lo + second.lo));
  V large = Gt(a, Pick(x, 12.0, 25.0));
  V result = 2.0 * Select(large, quarter.hi + (quarter.lo + 0.25), moderate);
  return UnlessTiny(x, -13, -28, CopySign(result, x));
}

// With h = e^|x| / 2: cosh x = h + 1 / (4h).
V Cosh(const V& x) {
  V a = ClampNumber(Abs(x), 0.0, ExpHighest(x));
  Pair quarter = QuarterExpm1(a);
  Pair h = TwoSum(2.0 * quarter.hi, Num(x, 0.5));
  V reciprocal = 0.25 / h.hi;
  V h_lo = Fma(quarter.lo, 2.0, h.lo);
  V moderate = h.hi + (reciprocal + (h_lo - reciprocal / h.hi * h_lo));
  return Select(Gt(a, Pick(x, 12.0, 25.0)), 2.0 * (quarter.hi + (quarter.lo + 0.25)), moderate);
}

// log(|x| + sqrt(x^2 + 1)) = log1p(|x| + x^2 / (1 + sqrt(x^2 + 1))).
V Asinh(const V& x) {
  V a = Abs(x);
  V large = Gt(a, Pick(x, 16384.0, 268435456.0));
  V moderate = Select(large, 1.0, a);
  Pair square = TwoProduct(moderate, moderate);
  Pair sum = TwoSum(Num(x, 1.0), square.hi);
  Pair root = SqrtPair({sum.hi, sum.lo + square.lo});
  Pair below = TwoSum(Num(x, 1.0), root.hi);
  Pair quotient = DividePairs(square, {below.hi, below.lo + root.lo});
  Pair w = TwoSum(moderate, quotient.hi);
  Pair u = TwoSum(Num(x, 1.0), w.hi);
  V correction = (u.lo + (w.lo + quotient.lo)) / u.hi;
  V finite = Lt(a, HUGE_VAL);
  V result = LogCore(Select(large, Select(finite, a, 1.0), u.hi), Select(large, 0.0, correction),
                     Select(large, Num(AsInt(x), 1), Num(AsInt(x), 0)));
  result = Select(finite, result, a);
  return UnlessTiny(x, -13, -28, CopySign(result, x));
}

// With t = x - 1: log1p(t + sqrt(t (t + 2))).
V Acosh(const V& x) {
  V large = Gt(x, Pick(x, 16384.0, 268435456.0));
  Pair t = TwoSum(Select(large, 2.0, x), Num(x, -1.0));
  Pair two_more = TwoSum(t.hi, Num(x, 2.0));
  Pair product = TwoProduct(t.hi, two_more.hi);
  Pair root = SqrtPair({product.hi, product.lo + (t.hi * (two_more.lo + t.lo) + t.lo * two_more.hi)});
  Pair w = TwoSum(t.hi, root.hi);
  Pair u = TwoSum(Num(x, 1.0), w.hi);
  V correction = (u.lo + (w.lo + (t.lo + root.lo))) / u.hi;
  V finite = Lt(x, HUGE_VAL);
  V result = LogCore(Select(large, Select(finite, x, 1.0), u.hi), Select(large, 0.0, correction),
                     Select(large, Num(AsInt(x), 1), Num(AsInt(x), 0)));
  result = Select(finite, result, x);
  return Select(Lt(x, 1.0), Num(x, NAN), Select(Eq(x, 1.0), 0.0, result));
}

// log1p(2|x| / (1 - |x|)) / 2.
V Atanh(const V& x) {
  V a = Abs(x);
  V twice = a + a;
  V result = 0.5 * Log1pPair(DividePairs({twice, Num(x, 0.0)}, TwoSum(Num(x, 1.0), -a)));
  result = Select(Eq(a, 1.0), Num(x, HUGE_VAL), Select(Lt(a, 1.0), result, Num(x, NAN)));
  return UnlessTiny(x, -13, -28, CopySign(result, x));
}

}  // namespace subfloor::codegen::elemental
