#include "codegen/elemental/math/core.h"

namespace subfloor::codegen::elemental {

Pair TwoSum(const V& a, const V& b) {
  V sum = a + b;
  V b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}
Pair FastTwoSum(const V& a, const V& b) {
  V sum = a + b;
  return {sum, b - (sum - a)};
}
Pair TwoProduct(const V& a, const V& b) {
  V product = a * b;
  return {product, Fma(a, b, -product)};
}
Pair DividePairs(const Pair& a, const Pair& b) {
  V quotient = a.hi / b.hi;
  V rest = Fma(-quotient, b.hi, a.hi) + (a.lo - quotient * b.lo);
  return {quotient, rest / b.hi};
}
Pair SqrtPair(const Pair& a) {
  V root = Sqrt(a.hi);
  V rest = Fma(-root, root, a.hi) + a.lo;
  return {root, Select(Eq(root, 0.0), 0.0, rest / (root + root))};
}

V PowerOfTwo(const V& like, const V& n) { return AsFloat(Shl(n + Bias(like), MantissaBits(like))); }

V ScaleByPowerOfTwo(const V& x, const V& n) {
  V half = Sar(n, 1);
  return x * PowerOfTwo(x, half) * PowerOfTwo(x, n - half);
}

V FloorLog2(const V& x) {
  const int mantissa_bits = MantissaBits(x);
  V subnormal = Lt(x, std::ldexp(1.0, 1 - Bias(x)));
  V scaled = Select(subnormal, x * std::ldexp(1.0, mantissa_bits + 1), x);
  V field = Shr(AsInt(scaled), mantissa_bits) - Bias(x);
  return Select(subnormal, field - (mantissa_bits + 1), field);
}

Whole RoundProduct(const V& x, double factor) {
  // Added to 1.5 2^mantissa a number rounds to a whole one, which then stands in the low bits.
  V shifter = Num(x, 1.5 * std::ldexp(1.0, MantissaBits(x)));
  V shifted = Fma(x, factor, shifter);
  return {shifted - shifter, AsInt(shifted) - AsInt(shifter)};
}

V ClampNumber(const V& x, double low, double high) {
  V above = Select(Gt(x, high), high, x);
  return Select(Lt(above, low), low, above);
}

V UnlessTiny(const V& x, int below_f32, int below_f64, const V& result) {
  return Select(Lt(Abs(x), std::ldexp(1.0, x.is_f64() ? below_f64 : below_f32)), x, result);
}

// r = x - n ln 2 has at most half of ln 2; e^r = 1 + r + r^2 p(r).
ExpParts ExpCore(const V& x, const V& x_lo) {
  const auto ln2 = Pick(x, kLn2F32, kLn2F64);
  Whole n = RoundProduct(x, M_LOG2E);
  V r_hi = Fma(-n.number, ln2[0], x);  // exact
  V r, r_lo;
  if (x_lo) {
    Pair sum = TwoSum(r_hi, Fma(-n.number, ln2[1], x_lo));
    r = sum.hi, r_lo = sum.lo;
  } else {
    r = Fma(-n.number, ln2[1], r_hi);
  }
  V tail = r * r * Polynomial(r, Pick(x, kExpF32, kExpF64));
  if (r_lo) tail = tail + r_lo;
  return {FastTwoSum(Num(x, 1.0), r + tail), n.integer};
}

// With s = 2^k / 4: (s - 1/4) + s r + s r^2 p(r), the first two added without loss.
Pair QuarterExpm1(const V& x) {
  const auto ln2 = Pick(x, kLn2F32, kLn2F64);
  Whole n = RoundProduct(x, M_LOG2E);
  V r = Fma(-n.number, ln2[1], Fma(-n.number, ln2[0], x));
  V r_squared = r * r;
  V s = PowerOfTwo(x, n.integer - 2);
  Pair sum = TwoSum(s - 0.25, s * r);
  return FastTwoSum(sum.hi, Fma(s, r_squared * Polynomial(r, Pick(x, kExpF32, kExpF64)), sum.lo));
}

Split SplitNearOne(const V& x) {
  V bits = AsInt(x);
  V root_half = AsInt(Num(x, M_SQRT1_2));
  V above = bits - root_half;
  V k = Sar(above, MantissaBits(x));
  return {AsFloat(bits - Shl(k, MantissaBits(x))), k};
}

Split Normalized(const V& x) {
  const int raise = MantissaBits(x) + 1;
  V subnormal = Lt(x, std::ldexp(1.0, 1 - Bias(x)));
  return {Select(subnormal, x * std::ldexp(1.0, raise), x),
          Select(subnormal, Num(AsInt(x), raise), Num(AsInt(x), 0))};
}

V LogCore(const V& u, const V& correction, const V& extra_k) {
  const auto ln2 = Pick(u, kLn2F32, kLn2F64);
  Split split = SplitNearOne(u);
  V k = SIntToFloat(extra_k ? split.k + extra_k : split.k, u.element());
  V f = split.m - 1.0;  // exact
  V half_square = 0.5 * f * f;
  V tail;  // log(1 + f) - f
  if (u.is_f64()) {
    // 2 atanh(s) for s = f / (2 + f), with 2s written as f - s f.
    V s = f / (2.0 + f);
    V z = s * s;
    tail = Fma(s, Fma(z, Polynomial(z, kLogSF64), half_square), -half_square);
  } else {
    tail = Fma(f * f, f * Polynomial(f, kLogF32), -half_square);
  }
  tail = Fma(k, ln2[1], tail);
  if (correction) tail = tail + correction;
  Pair sum = TwoSum(k * ln2[0], f);
  return sum.hi + (sum.lo + tail);
}

V Log1pPair(const Pair& w, const V& extra_k) {
  Pair u = TwoSum(Num(w.hi, 1.0), w.hi);
  V rest = w.lo ? u.lo + w.lo : u.lo;
  return LogCore(u.hi, rest / u.hi, extra_k);
}

}  // namespace subfloor::codegen::elemental
