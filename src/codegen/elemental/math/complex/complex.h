#pragma once

#include "codegen/elemental/value.h"

/// Complex arithmetic and functions on (real, imaginary) of f32 or f64, scalar or vector. Errors count in
/// units of the result's modulus (at most 4); nothing overflows where the result is finite; zeros and
/// infinities as in C's Annex G.
namespace subfloor::codegen::elemental {

struct C {
  V re, im;
};

C operator+(const C& a, const C& b);
C operator-(const C& a, const C& b);
C operator*(const C& a, const C& b);  ///< the four-product formula, each op rounded
C Divide(const C& a, const C& b);
C Select(const V& condition, const C& if_true, const C& if_false);

V Modulus(const C& z);
C Sign(const C& z);  ///< z / |z|, 0 for 0

C Exp(const C& z);
C Expm1(const C& z);
C Log(const C& z);
C Log1p(const C& z);
C Logistic(const C& z);
C Sqrt(const C& z);
C Rsqrt(const C& z);
C Power(const C& a, const C& b);
C Atan2(const C& y, const C& x);  ///< -i log((x + i y) / sqrt(x^2 + y^2))

C Sin(const C& z);
C Cos(const C& z);
C Tan(const C& z);
C Sinh(const C& z);
C Cosh(const C& z);
C Tanh(const C& z);
C Asin(const C& z);
C Acos(const C& z);
C Asinh(const C& z);
C Acosh(const C& z);
C Atanh(const C& z);

/// log(sqrt(x^2 + y^2)).
V LogHypot(const V& x, const V& y);
/// Calls the module's copy of a function of complex numbers.
C CallComplex(std::string_view name, std::initializer_list<C> args,
              const std::function<C(std::span<const C>)>& body);

}  // namespace subfloor::codegen::elemental
