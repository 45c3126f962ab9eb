#include "codegen/elemental/math/core.h"
#include "codegen/elemental/math/functions.h"

namespace subfloor::codegen::elemental {

V Rsqrt(const V& x) { return 1.0 / Sqrt(x); }

// x = m 2^(3q) with m in [1, 8). w = m^(-1/3) by Newton without division; y = m w^2 is then put right with
// its exact rest.
V Cbrt(const V& x) {
  const int mantissa = MantissaBits(x);
  const int raise = x.is_f64() ? 54 : 24;  // a multiple of 3
  V a = Abs(x);
  V subnormal = Lt(a, std::ldexp(1.0, 1 - Bias(x)));
  V bits = AsInt(Select(subnormal, a * std::ldexp(1.0, raise), a));
  V exponent = SIntToFloat(Shr(bits, mantissa) - Bias(x), x.element());
  V third = FloatToSInt(Floor((exponent + 0.5) * (1.0 / 3.0)), x.bits());
  V m = AsFloat(bits - Shl(third * 3, mantissa));
  V w = Polynomial(m, Pick(x, kInverseCbrtF32, kInverseCbrtF64));
  for (int i = 0; i < (x.is_f64() ? 3 : 2); ++i) w = Fma(w * (1.0 / 3.0), Fma(-m * w, w * w, 1.0), w);
  V y = m * w * w;
  Pair square = TwoProduct(y, y);
  Pair cube = TwoProduct(square.hi, y);
  V rest = (cube.hi - m) + Fma(square.lo, y, cube.lo);
  y = y - rest * (w * w) * (1.0 / 3.0);
  V shift = third - Select(subnormal, Num(third, raise / 3), Num(third, 0));
  V result = CopySign(y * PowerOfTwo(x, shift), x);
  V plain = Lt(a, HUGE_VAL) & Gt(a, 0.0);
  return Select(plain, result, x);
}

// x + x q(x^2) up to 1, then 1 - e^p(|x|) with p the logarithm of erfc.
V Erf(const V& x) {
  V a = Abs(x);
  V z = x * x;
  V small = Fma(x, Polynomial(z, Pick(x, kErfF32, kErfF64)), x);
  V t = ClampNumber(a, 0.0, Pick(x, 4.0, 6.0)) - 2.0;
  ExpParts parts = ExpCore(Polynomial(t, Pick(x, kLogErfcF32, kLogErfcF64)), V());
  V large = CopySign(1.0 - parts.mantissa.hi * PowerOfTwo(x, parts.k), x);
  return Select(Lt(a, 1.0), small, large);
}

}  // namespace subfloor::codegen::elemental
