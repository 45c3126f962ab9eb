#pragma once

#include <cmath>

#include "evaluator/number.h"

/// Elementary functions under one name for both wide reals and both wide complex types.
///
/// Reals come from the C library (double) and libquadmath (binary128): far more exact than the type that the
/// result is rounded to. Complex functions come from the same two libraries, which follow C's Annex G on the
/// axes and at infinity; what they lack is composed in complex_math.cc.
namespace subfloor::evaluator {

extern "C" {
Quad acosq(Quad);
Quad acoshq(Quad);
Quad asinq(Quad);
Quad asinhq(Quad);
Quad atan2q(Quad, Quad);
Quad atanhq(Quad);
Quad cbrtq(Quad);
Quad ceilq(Quad);
Quad cosq(Quad);
Quad coshq(Quad);
Quad erfq(Quad);
Quad expq(Quad);
Quad expm1q(Quad);
Quad floorq(Quad);
Quad fmodq(Quad, Quad);
Quad frexpq(Quad, int*);
Quad hypotq(Quad, Quad);
Quad ldexpq(Quad, int);
Quad logq(Quad);
Quad log1pq(Quad);
Quad powq(Quad, Quad);
Quad rintq(Quad);
Quad roundq(Quad);
Quad sinq(Quad);
Quad sinhq(Quad);
Quad sqrtq(Quad);
Quad tanq(Quad);
Quad tanhq(Quad);
Quad truncq(Quad);
}

#define SUBFLOOR_REAL(Name, function)                       \
  inline double Name(double x) { return std::function(x); } \
  inline Quad Name(Quad x) { return function##q(x); }
SUBFLOOR_REAL(Acos, acos)
SUBFLOOR_REAL(Acosh, acosh)
SUBFLOOR_REAL(Asin, asin)
SUBFLOOR_REAL(Asinh, asinh)
SUBFLOOR_REAL(Atanh, atanh)
SUBFLOOR_REAL(Cbrt, cbrt)
SUBFLOOR_REAL(Ceil, ceil)
SUBFLOOR_REAL(Cos, cos)
SUBFLOOR_REAL(Cosh, cosh)
SUBFLOOR_REAL(Erf, erf)
SUBFLOOR_REAL(Exp, exp)
SUBFLOOR_REAL(Expm1, expm1)
SUBFLOOR_REAL(Floor, floor)
SUBFLOOR_REAL(Log, log)
SUBFLOOR_REAL(Log1p, log1p)
SUBFLOOR_REAL(RoundEven, rint)
SUBFLOOR_REAL(RoundAway, round)
SUBFLOOR_REAL(Sin, sin)
SUBFLOOR_REAL(Sinh, sinh)
SUBFLOOR_REAL(Sqrt, sqrt)
SUBFLOOR_REAL(Tan, tan)
SUBFLOOR_REAL(Tanh, tanh)
SUBFLOOR_REAL(Trunc, trunc)
#undef SUBFLOOR_REAL

inline double Atan2(double y, double x) { return std::atan2(y, x); }
inline Quad Atan2(Quad y, Quad x) { return atan2q(y, x); }
inline double Fmod(double x, double y) { return std::fmod(x, y); }
inline Quad Fmod(Quad x, Quad y) { return fmodq(x, y); }
inline double Hypot(double x, double y) { return std::hypot(x, y); }
inline Quad Hypot(Quad x, Quad y) { return hypotq(x, y); }
inline double Power(double x, double y) { return std::pow(x, y); }
inline Quad Power(Quad x, Quad y) { return powq(x, y); }
inline double Frexp(double x, int* exponent) { return std::frexp(x, exponent); }
inline Quad Frexp(Quad x, int* exponent) { return frexpq(x, exponent); }
inline double Ldexp(double x, int exponent) { return std::ldexp(x, exponent); }
inline Quad Ldexp(Quad x, int exponent) { return ldexpq(x, exponent); }

template <typename R>
bool IsNaN(R x) {
  return x != x;
}
template <typename R>
bool IsFinite(R x) {
  return x - x == 0;
}
inline bool SignBit(double x) { return __builtin_signbit(x); }
inline bool SignBit(Quad x) { return __builtin_signbit(x); }

/// 1/(1+exp(-x)); the wide exponent range makes both ends right.
template <typename R>
R Logistic(R x) {
  return 1 / (1 + Exp(-x));
}
template <typename R>
R Rsqrt(R x) {
  return 1 / Sqrt(x);
}

// Complex. --------------------------------------------------------------------------------------------------

template <typename R>
Complex<R> operator+(Complex<R> a, Complex<R> b) {
  return {a.re + b.re, a.im + b.im};
}
template <typename R>
Complex<R> operator-(Complex<R> a, Complex<R> b) {
  return {a.re - b.re, a.im - b.im};
}
/// The four-product formula.
template <typename R>
Complex<R> operator*(Complex<R> a, Complex<R> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <typename R>
Complex<R> operator-(Complex<R> a) {
  return {-a.re, -a.im};
}

#define SUBFLOOR_COMPLEX(Name)             \
  Complex<double> Name(Complex<double> z); \
  Complex<Quad> Name(Complex<Quad> z);
SUBFLOOR_COMPLEX(Acos)
SUBFLOOR_COMPLEX(Acosh)
SUBFLOOR_COMPLEX(Asin)
SUBFLOOR_COMPLEX(Asinh)
SUBFLOOR_COMPLEX(Atanh)
SUBFLOOR_COMPLEX(Cos)
SUBFLOOR_COMPLEX(Cosh)
SUBFLOOR_COMPLEX(Exp)
SUBFLOOR_COMPLEX(Expm1)
SUBFLOOR_COMPLEX(Log)
SUBFLOOR_COMPLEX(Log1p)
SUBFLOOR_COMPLEX(Logistic)
SUBFLOOR_COMPLEX(Rsqrt)
SUBFLOOR_COMPLEX(Sign)
SUBFLOOR_COMPLEX(Sin)
SUBFLOOR_COMPLEX(Sinh)
SUBFLOOR_COMPLEX(Sqrt)
SUBFLOOR_COMPLEX(Tan)
SUBFLOOR_COMPLEX(Tanh)
#undef SUBFLOOR_COMPLEX
Complex<double> Divide(Complex<double> a, Complex<double> b);
Complex<Quad> Divide(Complex<Quad> a, Complex<Quad> b);
Complex<double> Power(Complex<double> base, Complex<double> exponent);
Complex<Quad> Power(Complex<Quad> base, Complex<Quad> exponent);
/// atan2(y, x) = -i log((x + iy) / sqrt(x² + y²)).
Complex<double> Atan2(Complex<double> y, Complex<double> x);
Complex<Quad> Atan2(Complex<Quad> y, Complex<Quad> x);

}  // namespace subfloor::evaluator
