#include "codegen/elemental/math/core.h"
#include "codegen/elemental/math/functions.h"

namespace subfloor::codegen::elemental {
namespace {

Pair SinPair(const Pair& r) {
  V z = r.hi * r.hi;
  V tail = Fma(r.hi * z, Polynomial(z, Pick(z, kSinF32, kSinF64)), r.lo * (1.0 - 0.5 * z));
  return FastTwoSum(r.hi, tail);
}

Pair CosPair(const Pair& r) {
  Pair square = TwoProduct(r.hi, r.hi);
  V half = 0.5 * square.hi;
  Pair start = FastTwoSum(Num(half, 1.0), -half);
  V tail = square.hi * square.hi * Polynomial(square.hi, Pick(half, kCosF32, kCosF64));
  tail = tail - Fma(r.hi, r.lo, 0.5 * square.lo);
  return FastTwoSum(start.hi, start.lo + tail);
}

/// sin(x) if `turn` is 0, cos(x) if it is 1.
V SinFrom(const Quadrant& reduced, const Pair& sin, const Pair& cos, int turn) {
  V q = turn == 0 ? reduced.q : reduced.q + turn;
  V value = Select(Ne(q & 1, 0), cos.hi, sin.hi);
  V sign = Shl(q & 2, value.bits() - 2);
  return AsFloat(AsInt(value) ^ sign);
}

V OrNan(const V& x, const V& result) { return Select(Lt(Abs(x), HUGE_VAL), result, Num(x, NAN)); }

}  // namespace

SinCosPair SinCos(const V& x) {
  std::vector<V> both = CallHelper("sincos", std::array{x}, [](std::span<const V> args) {
    const V& x = args[0];
    Quadrant reduced = ReduceByHalfPi(x);
    Pair sin = SinPair(reduced.r), cos = CosPair(reduced.r);
    return std::vector<V>{UnlessTiny(x, -13, -28, OrNan(x, SinFrom(reduced, sin, cos, 0))),
                          OrNan(x, SinFrom(reduced, sin, cos, 1))};
  });
  return {both[0], both[1]};
}

V Sin(const V& x) {
  return CallHelper1("sin", {x}, [](std::span<const V> args) {
    const V& x = args[0];
    Quadrant reduced = ReduceByHalfPi(x);
    return UnlessTiny(x, -13, -28, OrNan(x, SinFrom(reduced, SinPair(reduced.r), CosPair(reduced.r), 0)));
  });
}

V Cos(const V& x) {
  return CallHelper1("cos", {x}, [](std::span<const V> args) {
    const V& x = args[0];
    Quadrant reduced = ReduceByHalfPi(x);
    return OrNan(x, SinFrom(reduced, SinPair(reduced.r), CosPair(reduced.r), 1));
  });
}

V Tan(const V& x) {
  return CallHelper1("tan", {x}, [](std::span<const V> args) {
    const V& x = args[0];
    Quadrant reduced = ReduceByHalfPi(x);
    Pair sin = SinPair(reduced.r), cos = CosPair(reduced.r);
    V odd = Ne(reduced.q & 1, 0);
    Pair above = {Select(odd, -cos.hi, sin.hi), Select(odd, -cos.lo, sin.lo)};
    Pair below = {Select(odd, sin.hi, cos.hi), Select(odd, sin.lo, cos.lo)};
    Pair quotient = DividePairs(above, below);
    return UnlessTiny(x, -13, -28, OrNan(x, quotient.hi + quotient.lo));
  });
}

}  // namespace subfloor::codegen::elemental
