#include <cmath>

#include "codegen/elemental/math/complex/complex.h"
#include "codegen/elemental/math/core.h"
#include "codegen/elemental/math/functions.h"

namespace subfloor::codegen::elemental {
namespace {

/// a b, where a zero wins over infinities and NaNs.
V ZeroProduct(const V& a, const V& b) {
  V product_sign = CopySign(Num(a, 1.0), a) * CopySign(Num(b, 1.0), b);
  return Select(Eq(a, 0.0) | Eq(b, 0.0), CopySign(Num(a, 0.0), product_sign), a * b);
}

V IsFiniteNumber(const V& x) { return Lt(Abs(x), HUGE_VAL); }

/// e^x = mantissa 2^k with k kept apart, for x far enough out that a factor as small as a cosine can be still
/// counts.
struct Stretched {
  V mantissa, k;
};
Stretched ExpStretched(const V& x) {
  // k stays within what ScaleByPowerOfTwo takes; NaN passes through.
  ExpParts parts = ExpCore(ClampNumber(x, Pick(x, -170.0, -1400.0), Pick(x, 175.0, 1410.0)), V());
  return {parts.mantissa.hi, parts.k};
}

/// cosh(x) 2^-k and sinh(x) 2^-k.
struct CoshSinh {
  V cosh, sinh, k;
};
CoshSinh CoshSinhStretched(const V& x) {
  V a = Abs(x);
  V large = Gt(a, Pick(x, 12.0, 25.0));
  V small = Select(large, 0.0, x);
  Stretched e = ExpStretched(Select(large, a, 20.0));
  return {Select(large, e.mantissa, Cosh(small)), Select(large, CopySign(e.mantissa, x), Sinh(small)),
          Select(large, e.k - 1, Num(e.k, 0))};
}

/// (h_re t_re, h_im t_im) 2^k for hyperbolic h and trigonometric t.
C Products(const V& h_re, const V& t_re, const V& h_im, const V& t_im, const V& k) {
  return {ScaleByPowerOfTwo(ZeroProduct(h_re, t_re), k), ScaleByPowerOfTwo(ZeroProduct(h_im, t_im), k)};
}

}  // namespace

C Exp(const C& z) {
  return CallComplex("exp", {z}, [](std::span<const C> args) {
    const C& z = args[0];
    SinCosPair turn = SinCos(z.im);
    Stretched e = ExpStretched(z.re);
    C result = {ScaleByPowerOfTwo(e.mantissa * turn.cos, e.k), ScaleByPowerOfTwo(e.mantissa * turn.sin, e.k)};
    result.im = Select(Eq(z.im, 0.0), z.im, result.im);
    V no_angle = ~IsFiniteNumber(z.im);
    V zero = Num(z.re, 0.0), infinity = Num(z.re, HUGE_VAL), nan = Num(z.re, NAN);
    result = Select(Eq(z.re, HUGE_VAL),
                    {Select(no_angle, infinity, CopySign(infinity, turn.cos)),
                     Select(no_angle, nan, Select(Eq(z.im, 0.0), z.im, CopySign(infinity, turn.sin)))},
                    result);
    return Select(
        Eq(z.re, -HUGE_VAL),
        {CopySign(zero, Select(no_angle, zero, turn.cos)), CopySign(zero, Select(no_angle, zero, turn.sin))},
        result);
  });
}

// Real part near zero: (e^x - 1) cos y - 2 sin^2(y / 2).
C Expm1(const C& z) {
  return CallComplex("expm1", {z}, [](std::span<const C> args) {
    const C& z = args[0];
    C far = Exp(z);
    SinCosPair turn = SinCos(z.im);
    V half_sine = SinCos(0.5 * z.im).sin;
    V near_re = Fma(Expm1(z.re), turn.cos, -2.0 * half_sine * half_sine);
    return C{Select(Lt(Abs(z.re), 1.0), near_re, far.re - 1.0), far.im};
  });
}

C Log(const C& z) {
  return CallComplex("log", {z}, [](std::span<const C> args) {
    return C{LogHypot(args[0].re, args[0].im), Atan2(args[0].im, args[0].re)};
  });
}

C Log1p(const C& z) {
  return CallComplex("log1p", {z}, [](std::span<const C> args) {
    const C& z = args[0];
    V above = z.re + 1.0;
    V small = Lt(Abs(z.re), 0.5) & Lt(Abs(z.im), 0.5);
    V near = 0.5 * Log1p(Fma(z.im, z.im, z.re * (z.re + 2.0)));
    return C{Select(small, near, LogHypot(above, z.im)), Atan2(z.im, above)};
  });
}

// e^(z/2) / (2 cosh(z/2)), which does not cancel near the poles; far out 1 / (1 + e^-z) or e^z / (1 + e^z).
C Logistic(const C& z) {
  return CallComplex("logistic", {z}, [](std::span<const C> args) {
    const C& z = args[0];
    V right = Ge(z.re, 0.0);
    V far = Gt(Abs(z.re), 20.0);
    C half = {0.5 * Select(far, 0.0, z.re), 0.5 * z.im};
    C cosh = Cosh(half);
    C near = Divide(Exp(half), {cosh.re + cosh.re, cosh.im + cosh.im});
    C e = Exp(Select(right, {-z.re, -z.im}, z));
    C one = {Num(z.re, 1.0), Num(z.re, 0.0)};
    return Select(far, Divide(Select(right, one, e), one + e), near);
  });
}

C Power(const C& a, const C& b) {
  return CallComplex("power", {a, b}, [](std::span<const C> args) {
    const C &a = args[0], &b = args[1];
    C result = Exp(b * Log(a));
    V zero_base = Eq(a.re, 0.0) & Eq(a.im, 0.0);
    C zero = {Num(a.re, 0.0), Num(a.re, 0.0)}, one = {Num(a.re, 1.0), Num(a.re, 0.0)};
    result = Select(zero_base & Gt(b.re, 0.0), zero, result);
    return Select(Eq(b.re, 0.0) & Eq(b.im, 0.0), one, result);
  });
}

C Atan2(const C& y, const C& x) {
  return CallComplex("atan2", {y, x}, [](std::span<const C> args) {
    const C &y = args[0], &x = args[1];
    C sum = {x.re - y.im, x.im + y.re};  // x + i y
    C logarithm = Log(Divide(sum, Sqrt(x * x + y * y)));
    return C{logarithm.im, -logarithm.re};
  });
}

C Sinh(const C& z) {
  return CallComplex("sinh", {z}, [](std::span<const C> args) {
    CoshSinh h = CoshSinhStretched(args[0].re);
    SinCosPair turn = SinCos(args[0].im);
    return Products(h.sinh, turn.cos, h.cosh, turn.sin, h.k);
  });
}

C Cosh(const C& z) {
  return CallComplex("cosh", {z}, [](std::span<const C> args) {
    CoshSinh h = CoshSinhStretched(args[0].re);
    SinCosPair turn = SinCos(args[0].im);
    return Products(h.cosh, turn.cos, h.sinh, turn.sin, h.k);
  });
}

// (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y); far out 1 + i 4 sin y cos y e^-2|x|.
C Tanh(const C& z) {
  return CallComplex("tanh", {z}, [](std::span<const C> args) {
    const C& z = args[0];
    V a = Abs(z.re);
    V large = Gt(a, Pick(a, 12.0, 25.0));
    V x = Select(large, 0.0, z.re);
    V sinh = Sinh(x), cosh = Cosh(x);
    SinCosPair turn = SinCos(z.im);
    V norm = Fma(sinh, sinh, turn.cos * turn.cos);
    V product = turn.sin * turn.cos;
    C moderate = {sinh * cosh / norm, product / norm};
    V far_im = 4.0 * product * Exp(-2.0 * a);
    far_im =
        Select(Eq(a, HUGE_VAL), CopySign(Num(a, 0.0), Select(IsFiniteNumber(z.im), product, z.im)), far_im);
    C result = Select(large, {CopySign(Num(a, 1.0), z.re), far_im}, moderate);
    return C{result.re, Select(Eq(z.im, 0.0), z.im, result.im)};
  });
}

// sin z = -i sinh(i z), and so on: a quarter turn of the arguments.
C Sin(const C& z) {
  C turned = Sinh(C{z.im, z.re});  // sinh(y + i x) = (sinh y cos x, cosh y sin x)
  return {turned.im, turned.re};
}
C Cos(const C& z) {
  C turned = Cosh(C{z.im, z.re});  // (cosh y cos x, sinh y sin x)
  return {turned.re, -turned.im};
}
C Tan(const C& z) {
  C turned = Tanh(C{z.im, z.re});
  return {turned.im, turned.re};
}

}  // namespace subfloor::codegen::elemental
