#include <cmath>

#include "codegen/elemental/math/complex/complex.h"
#include "codegen/elemental/math/core.h"
#include "codegen/elemental/math/functions.h"

namespace subfloor::codegen::elemental {
namespace {

V IsInfinite(const V& x) { return Eq(Abs(x), HUGE_VAL); }
V IsFiniteNumber(const V& x) { return Lt(Abs(x), HUGE_VAL); }

/// The exponent of the larger part; 0 where that is zero or no finite number.
V ExponentOf(const C& z) {
  V a = Abs(z.re), b = Abs(z.im);
  V larger = Select(Gt(a, b), a, b);
  return FloorLog2(Select(Gt(larger, 0.0) & IsFiniteNumber(larger), larger, 1.0));
}
/// z 2^-n for an exponent n of z.
C ScaledDown(const C& z, const V& n) { return {ScaleByPowerOfTwo(z.re, -n), ScaleByPowerOfTwo(z.im, -n)}; }

}  // namespace

C operator+(const C& a, const C& b) { return {a.re + b.re, a.im + b.im}; }
C operator-(const C& a, const C& b) { return {a.re - b.re, a.im - b.im}; }
C operator*(const C& a, const C& b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
C Select(const V& condition, const C& if_true, const C& if_false) {
  return {Select(condition, if_true.re, if_false.re), Select(condition, if_true.im, if_false.im)};
}

C CallComplex(std::string_view name, std::initializer_list<C> args,
              const std::function<C(std::span<const C>)>& body) {
  std::vector<V> flat;
  for (const C& arg : args) flat.push_back(arg.re), flat.push_back(arg.im);
  std::vector<V> result = CallHelper("complex." + std::string(name), flat, [&](std::span<const V> parts) {
    std::vector<C> numbers;
    for (size_t i = 0; i < parts.size(); i += 2) numbers.push_back({parts[i], parts[i + 1]});
    C value = body(numbers);
    return std::vector<V>{value.re, value.im};
  });
  return {result[0], result[1]};
}

// Both sides are brought near one by powers of two, so that the plain formula neither overflows nor vanishes.
C Divide(const C& a, const C& b) {
  return CallComplex("divide", {a, b}, [](std::span<const C> args) {
    const C &a = args[0], &b = args[1];
    V a_exponent = ExponentOf(a), b_exponent = ExponentOf(b);
    C x = ScaledDown(a, a_exponent), y = ScaledDown(b, b_exponent);
    V norm = Fma(y.re, y.re, y.im * y.im);
    const int most = 2 * Bias(norm), least = 4 - most;
    V n = a_exponent - b_exponent;
    n = Select(Gt(n, most), most, Select(Lt(n, least), least, n));
    C quotient = {ScaleByPowerOfTwo((x.re * y.re + x.im * y.im) / norm, n),
                  ScaleByPowerOfTwo((x.im * y.re - x.re * y.im) / norm, n)};

    // Where the formula gives no number at all: a zero divisor, infinite parts.
    V lost = IsNan(quotient.re) & IsNan(quotient.im);
    V by_zero = Eq(b.re, 0.0) & Eq(b.im, 0.0) & ~(IsNan(a.re) & IsNan(a.im));
    V infinity = CopySign(Num(b.re, HUGE_VAL), b.re);
    C over_zero = {infinity * a.re, infinity * a.im};
    auto boxed = [](const C& z) {  // infinite parts become 1, finite ones 0, with their signs
      auto part = [](const V& v) { return CopySign(Select(IsInfinite(v), Num(v, 1.0), Num(v, 0.0)), v); };
      return C{part(z.re), part(z.im)};
    };
    V a_infinite = IsInfinite(a.re) | IsInfinite(a.im), b_infinite = IsInfinite(b.re) | IsInfinite(b.im);
    V a_finite = IsFiniteNumber(a.re) & IsFiniteNumber(a.im),
      b_finite = IsFiniteNumber(b.re) & IsFiniteNumber(b.im);
    auto times_conjugate = [](const C& u, const C& v, double factor) {
      return C{factor * (u.re * v.re + u.im * v.im), factor * (u.im * v.re - u.re * v.im)};
    };
    C of_infinity = times_conjugate(boxed(a), b, HUGE_VAL);
    C by_infinity = times_conjugate(a, boxed(b), 0.0);
    C repaired =
        Select(b_infinite & a_finite, by_infinity, Select(a_infinite & b_finite, of_infinity, quotient));
    repaired = Select(by_zero, over_zero, repaired);
    return Select(lost, repaired, quotient);
  });
}

V Modulus(const C& z) {
  V a = Abs(z.re), b = Abs(z.im);
  V n = ExponentOf(z);
  C scaled = ScaledDown({a, b}, n);
  V result = ScaleByPowerOfTwo(Sqrt(Fma(scaled.re, scaled.re, scaled.im * scaled.im)), n);
  return Select(IsInfinite(a) | IsInfinite(b), HUGE_VAL, result);
}

C Sign(const C& z) {
  C scaled = ScaledDown(z, ExponentOf(z));
  V length = Sqrt(Fma(scaled.re, scaled.re, scaled.im * scaled.im));
  V zero = Eq(z.re, 0.0) & Eq(z.im, 0.0);
  return Select(zero, z, {scaled.re / length, scaled.im / length});
}

V LogHypot(const V& x, const V& y) {
  V a = Abs(x), b = Abs(y);
  V larger = Select(Gt(b, a), b, a), smaller = Select(Gt(b, a), a, b);
  // Near the unit circle x^2 + y^2 - 1 is what counts.
  V near = Ge(larger, 0.5) & Lt(larger, 2.0);
  V one = Num(x, 1.0), zero = Num(x, 0.0);
  V near_larger = Select(near, larger, one), near_smaller = Select(near, smaller, zero);
  Pair first = TwoProduct(near_larger - 1.0, near_larger + 1.0),
       second = TwoProduct(near_smaller, near_smaller);
  Pair sum = TwoSum(first.hi, second.hi);
  V close = 0.5 * Log1p(sum.hi + (sum.lo + (first.lo + second.lo)));
  V usual = IsFiniteNumber(larger) & Gt(larger, 0.0);
  V n = FloorLog2(Select(usual, larger, one));
  C scaled = ScaledDown({Select(usual, larger, one), smaller}, n);
  V far = 0.5 * LogCore(Fma(scaled.re, scaled.re, scaled.im * scaled.im), V(), n + n);
  V result = Select(near, close, far);
  result = Select(Eq(larger, 0.0) & ~IsNan(smaller), -HUGE_VAL, result);
  result = Select(IsNan(x) | IsNan(y), Num(x, NAN), result);
  return Select(IsInfinite(a) | IsInfinite(b), HUGE_VAL, result);
}

// Scaled by an even power of two, with t = sqrt((|re| + |z|) / 2).
C Sqrt(const C& z) {
  return CallComplex("sqrt", {z}, [](std::span<const C> args) {
    const C& z = args[0];
    V n = Sar(ExponentOf(z), 1);
    C scaled = ScaledDown(z, n + n);
    V a = Abs(scaled.re), b = Abs(scaled.im);
    V t = Sqrt(0.5 * (a + Sqrt(Fma(a, a, b * b))));
    V other = Select(Eq(b, 0.0), 0.0, 0.5 * b / t);
    V right = Ge(z.re, 0.0);
    V re = ScaleByPowerOfTwo(Select(right, t, other), n);
    V im = ScaleByPowerOfTwo(Select(right, other, t), n);
    V zero = Eq(z.re, 0.0) & Eq(z.im, 0.0);
    C result = {Select(zero, 0.0, re), CopySign(Select(zero, 0.0, im), z.im)};
    // Infinities: an infinite imaginary part wins.
    V infinity = Num(z.re, HUGE_VAL);
    V left_infinite = Eq(z.re, -HUGE_VAL), right_infinite = Eq(z.re, HUGE_VAL);
    V nan_im = IsNan(z.im);
    result = Select(right_infinite, {infinity, Select(nan_im, z.im, CopySign(Num(z.im, 0.0), z.im))}, result);
    result = Select(left_infinite, {Select(nan_im, z.im, 0.0), CopySign(infinity, z.im)}, result);
    return Select(IsInfinite(z.im), {infinity, z.im}, result);
  });
}

C Rsqrt(const C& z) { return Divide({Num(z.re, 1.0), Num(z.re, 0.0)}, Sqrt(z)); }

}  // namespace subfloor::codegen::elemental
