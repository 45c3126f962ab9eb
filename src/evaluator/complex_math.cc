// Complex functions: from the C library and libquadmath where they have them, composed here where not. The
// wide types' exponent range exceeds that of c64 and c128, so plain formulas neither overflow nor underflow;
// only cancellation needs care.

#include "evaluator/wide_math.h"

namespace subfloor::evaluator {
namespace {

using ComplexDouble = _Complex double;
typedef _Complex float ComplexQuad __attribute__((mode(TC)));  // in an alias declaration the mode is lost

extern "C" {
#define SUBFLOOR_COMPLEX(name)       \
  ComplexDouble name(ComplexDouble); \
  ComplexQuad name##q(ComplexQuad);
SUBFLOOR_COMPLEX(cacos)
SUBFLOOR_COMPLEX(cacosh)
SUBFLOOR_COMPLEX(casin)
SUBFLOOR_COMPLEX(casinh)
SUBFLOOR_COMPLEX(catanh)
SUBFLOOR_COMPLEX(ccos)
SUBFLOOR_COMPLEX(ccosh)
SUBFLOOR_COMPLEX(cexp)
SUBFLOOR_COMPLEX(clog)
SUBFLOOR_COMPLEX(csin)
SUBFLOOR_COMPLEX(csinh)
SUBFLOOR_COMPLEX(csqrt)
SUBFLOOR_COMPLEX(ctan)
SUBFLOOR_COMPLEX(ctanh)
#undef SUBFLOOR_COMPLEX
}

template <typename C, typename R>
C ToC(Complex<R> z) {
  C c;
  __real__ c = z.re;
  __imag__ c = z.im;
  return c;
}
template <typename R, typename C>
Complex<R> FromC(C c) {
  return {__real__ c, __imag__ c};
}

template <typename R>
R CopySign(R magnitude, R sign) {
  return SignBit(magnitude) == SignBit(sign) ? magnitude : -magnitude;
}
template <typename R>
bool IsInf(R x) {
  return !IsNaN(x) && !IsFinite(x);
}

/// C's Annex G: a number divided by zero is an infinity, a finite one divided by an infinity is zero.
template <typename R>
Complex<R> DivideWide(Complex<R> a, Complex<R> b) {
  const R denominator = b.re * b.re + b.im * b.im;
  Complex<R> q = {(a.re * b.re + a.im * b.im) / denominator, (a.im * b.re - a.re * b.im) / denominator};
  if (!IsNaN(q.re) || !IsNaN(q.im)) return q;
  const R infinity = static_cast<R>(__builtin_inf());
  if (denominator == 0 && (!IsNaN(a.re) || !IsNaN(a.im))) {
    return {CopySign(infinity, b.re) * a.re, CopySign(infinity, b.re) * a.im};
  }
  if ((IsInf(a.re) || IsInf(a.im)) && IsFinite(b.re) && IsFinite(b.im)) {
    const Complex<R> unit = {CopySign(R{IsInf(a.re) ? 1.0 : 0.0}, a.re),
                             CopySign(R{IsInf(a.im) ? 1.0 : 0.0}, a.im)};
    return {infinity * (unit.re * b.re + unit.im * b.im), infinity * (unit.im * b.re - unit.re * b.im)};
  }
  if ((IsInf(b.re) || IsInf(b.im)) && IsFinite(a.re) && IsFinite(a.im)) {
    const Complex<R> unit = {CopySign(R{IsInf(b.re) ? 1.0 : 0.0}, b.re),
                             CopySign(R{IsInf(b.im) ? 1.0 : 0.0}, b.im)};
    return {0 * (a.re * unit.re + a.im * unit.im), 0 * (a.im * unit.re - a.re * unit.im)};
  }
  return q;
}

template <typename R>
Complex<R> Expm1Wide(Complex<R> z) {
  if (z.im == 0) return {Expm1(z.re), z.im};
  const R half_sine = Sin(z.im / 2);
  return {Expm1(z.re) * Cos(z.im) - 2 * half_sine * half_sine, Exp(z.re) * Sin(z.im)};
}

/// log|1+z| from |1+z|² - 1 = re (2 + re) + im², which is formed in binary128: near the circle |1+z| = 1 the
/// two terms cancel.
template <typename R>
Complex<R> Log1pWide(Complex<R> z) {
  const Quad re = z.re, im = z.im;
  const Quad excess = re * (2 + re) + im * im;
  Quad log_modulus;
  if (IsFinite(excess)) {
    log_modulus = log1pq(excess) / 2;
  } else {
    log_modulus = logq(hypotq(1 + re, im));
  }
  return {static_cast<R>(log_modulus), Atan2(z.im, 1 + z.re)};
}

template <typename R>
Complex<R> SignWide(Complex<R> z) {
  const R modulus = Hypot(z.re, z.im);
  if (modulus == 0) return {0, 0};
  return {z.re / modulus, z.im / modulus};
}

template <typename R>
Complex<R> PowerWide(Complex<R> base, Complex<R> exponent) {
  if (exponent.re == 0 && exponent.im == 0) return {1, 0};
  if (base.re == 1 && base.im == 0) return {1, 0};
  if (base.re == 0 && base.im == 0 && exponent.im == 0) {
    return exponent.re > 0 ? Complex<R>{0, 0} : Divide(Complex<R>{1, 0}, base);
  }
  if (base.re == 0 && base.im == 0 && exponent.re > 0) return {0, 0};
  return Exp(exponent * Log(base));
}

template <typename R>
Complex<R> Atan2Wide(Complex<R> y, Complex<R> x) {
  const Complex<R> ratio = Divide(x + Complex<R>{-y.im, y.re}, Sqrt(x * x + y * y));
  const Complex<R> log = Log(ratio);
  return {log.im, -log.re};
}

}  // namespace

#define SUBFLOOR_COMPLEX(Name, name)                                                             \
  Complex<double> Name(Complex<double> z) { return FromC<double>(name(ToC<ComplexDouble>(z))); } \
  Complex<Quad> Name(Complex<Quad> z) { return FromC<Quad>(name##q(ToC<ComplexQuad>(z))); }
SUBFLOOR_COMPLEX(Acos, cacos)
SUBFLOOR_COMPLEX(Acosh, cacosh)
SUBFLOOR_COMPLEX(Asin, casin)
SUBFLOOR_COMPLEX(Asinh, casinh)
SUBFLOOR_COMPLEX(Atanh, catanh)
SUBFLOOR_COMPLEX(Cos, ccos)
SUBFLOOR_COMPLEX(Cosh, ccosh)
SUBFLOOR_COMPLEX(Exp, cexp)
SUBFLOOR_COMPLEX(Log, clog)
SUBFLOOR_COMPLEX(Sin, csin)
SUBFLOOR_COMPLEX(Sinh, csinh)
SUBFLOOR_COMPLEX(Sqrt, csqrt)
SUBFLOOR_COMPLEX(Tan, ctan)
SUBFLOOR_COMPLEX(Tanh, ctanh)
#undef SUBFLOOR_COMPLEX

#define SUBFLOOR_BOTH(R)                                                                       \
  Complex<R> Divide(Complex<R> a, Complex<R> b) { return DivideWide(a, b); }                   \
  Complex<R> Expm1(Complex<R> z) { return Expm1Wide(z); }                                      \
  Complex<R> Log1p(Complex<R> z) { return Log1pWide(z); }                                      \
  Complex<R> Sign(Complex<R> z) { return SignWide(z); }                                        \
  Complex<R> Logistic(Complex<R> z) {                                                          \
    const Complex<R> e = Exp(-z);                                                              \
    return Divide(Complex<R>{1, 0}, Complex<R>{1 + e.re, e.im});                               \
  }                                                                                            \
  Complex<R> Rsqrt(Complex<R> z) { return Divide(Complex<R>{1, 0}, Sqrt(z)); }                 \
  Complex<R> Power(Complex<R> base, Complex<R> exponent) { return PowerWide(base, exponent); } \
  Complex<R> Atan2(Complex<R> y, Complex<R> x) { return Atan2Wide(y, x); }
SUBFLOOR_BOTH(double)
SUBFLOOR_BOTH(Quad)
#undef SUBFLOOR_BOTH

}  // namespace subfloor::evaluator
