#pragma once

#include "codegen/elemental/value.h"

/// The elementary functions by name; see math.h for what they promise. x is f32 or f64, scalar or vector.
namespace subfloor::codegen::elemental {

V Exp(const V& x);
V Expm1(const V& x);
V Log(const V& x);
V Log1p(const V& x);
V Logistic(const V& x);  ///< 1 / (1 + e^-x)

V Sin(const V& x);
V Cos(const V& x);
V Tan(const V& x);
/// Both at once, with one reduction.
struct SinCosPair {
  V sin, cos;
};
SinCosPair SinCos(const V& x);

V Sinh(const V& x);
V Cosh(const V& x);
V Tanh(const V& x);
V Asinh(const V& x);
V Acosh(const V& x);
V Atanh(const V& x);

V Asin(const V& x);
V Acos(const V& x);
V Atan(const V& x);
V Atan2(const V& y, const V& x);

V Erf(const V& x);
V Cbrt(const V& x);
V Rsqrt(const V& x);
V Power(const V& x, const V& y);      ///< C's pow
V Remainder(const V& x, const V& y);  ///< C's fmod: exact

}  // namespace subfloor::codegen::elemental
