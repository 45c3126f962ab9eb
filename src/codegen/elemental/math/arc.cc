#include "codegen/elemental/math/core.h"
#include "codegen/elemental/math/functions.h"

namespace subfloor::codegen::elemental {
namespace {

/// atan(q) - q for |q| up to tan(pi/8).
V AtanTail(const V& q) {
  V z = q * q;
  return q * z * Polynomial(z, Pick(q, kAtanF32, kAtanF64));
}

/// n pi/4 for a small whole number n.
Pair QuarterTurns(const V& n) {
  const auto half_pi = Pick(n, kHalfPiF32, kHalfPiF64);
  V hi = n * (half_pi[0] / 2);
  return {hi, Fma(n, half_pi[0] / 2, -hi) + n * (half_pi[1] / 2)};
}

/// asin(s) - s for |s| up to 1/2, with z = s^2 given.
V AsinTail(const V& s, const V& z) { return s * z * Polynomial(z, Pick(s, kAsinF32, kAsinF64)); }

/// For |x| beyond 1/2: asin(sqrt((1 - |x|) / 2)) as a pair.
Pair HalfComplement(const V& a) {
  V z = 0.5 - 0.5 * a;  // exact
  Pair s = SqrtPair({z, Num(a, 0.0)});
  return {s.hi, AsinTail(s.hi, z) + s.lo};
}

/// base - x - y, where the base is the largest.
V Minus(const Pair& base, const V& x, const V& y) {
  Pair difference = TwoSum(base.hi, -x);
  return difference.hi + (difference.lo - y + base.lo);
}

}  // namespace

// Beyond tan(pi/8) the angle is measured from pi/4, beyond tan(3 pi/8) from pi/2.
V Atan(const V& x) {
  V a = Abs(x);
  V middle = Gt(a, 0.41421356237309503), steep = Gt(a, 2.414213562373095);
  V above = Select(steep, -1.0, Select(middle, a - 1.0, a));
  V below = Select(steep, a, Select(middle, a + 1.0, 1.0));
  V q = above / below;
  Pair base = QuarterTurns(Select(steep, 2.0, Select(middle, 1.0, Num(x, 0.0))));
  return CopySign(base.hi + (q + (AtanTail(q) + base.lo)), x);
}

V Atan2(const V& y, const V& x) {
  return CallHelper1("atan2", {y, x}, [](std::span<const V> args) {
    const V &y = args[0], &x = args[1];
    V ax = Abs(x), ay = Abs(y);
    V swap = Gt(ay, ax);
    V large = Select(swap, ay, ax), small = Select(swap, ax, ay);
    // The quotient alone counts: infinities become 1 and 0, ends of the exponent range come in.
    V infinite = Eq(large, HUGE_VAL);
    small = Select(infinite, Select(Eq(small, HUGE_VAL), Num(x, 1.0), Num(x, 0.0)), small);
    large = Select(infinite | Eq(large, 0.0), 1.0, large);
    const double high = std::ldexp(1.0, Bias(x) - 2), low = std::ldexp(1.0, 2 * MantissaBits(x) - Bias(x));
    V scale = Select(Gt(large, high), Num(x, 0.125),
                     Select(Lt(large, low), Num(x, std::ldexp(1.0, MantissaBits(x) + 2)), Num(x, 1.0)));
    small = small * scale, large = large * scale;

    V middle = Gt(small, 0.41421356237309503 * large);
    Pair difference = TwoSum(small, -large), sum = TwoSum(small, large);
    V zero = Num(x, 0.0);
    Pair q = DividePairs({Select(middle, difference.hi, small), Select(middle, difference.lo, zero)},
                         {Select(middle, sum.hi, large), Select(middle, sum.lo, zero)});
    V tail = AtanTail(q.hi) + q.lo;
    // In quarter turns: from 0 or 1, mirrored at 1 (swap), then at 2 (x negative).
    V turns = Select(middle, Num(x, 1.0), zero);
    turns = Select(swap, 2.0 - turns, turns);
    V left = Lt(AsInt(x), 0);
    turns = Select(left, 4.0 - turns, turns);
    V mirrored = swap ^ left;
    Pair base = QuarterTurns(turns);
    Pair angle = TwoSum(base.hi, Select(mirrored, -q.hi, q.hi));
    V result = angle.hi + (angle.lo + (Select(mirrored, -tail, tail) + base.lo));
    return Select(IsNan(x) | IsNan(y), x + y, CopySign(result, y));
  });
}

V Asin(const V& x) {
  V a = Abs(x);
  V z = x * x;
  V small = x + AsinTail(x, z);
  Pair s = HalfComplement(a);
  V large = Minus(QuarterTurns(Num(x, 2.0)), 2.0 * s.hi, 2.0 * s.lo);
  return UnlessTiny(x, -13, -28, Select(Le(a, 0.5), small, CopySign(large, x)));
}

V Acos(const V& x) {
  V a = Abs(x);
  V small = Minus(QuarterTurns(Num(x, 2.0)), x, AsinTail(x, x * x));
  Pair s = HalfComplement(a);
  V right = 2.0 * (s.hi + s.lo);
  V left = Minus(QuarterTurns(Num(x, 4.0)), 2.0 * s.hi, 2.0 * s.lo);
  return Select(Le(a, 0.5), small, Select(Lt(x, 0.0), left, right));
}

}  // namespace subfloor::codegen::elemental
