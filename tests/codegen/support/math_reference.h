#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "hlo/opcode.h"

/// What the elementary functions should give, by other libraries: the C library in f64 for f32, libquadmath
/// for f64.
namespace subfloor::testing {

using Quad = __float128;
extern "C" {
Quad expq(Quad), expm1q(Quad), logq(Quad), log1pq(Quad), sinq(Quad), cosq(Quad), tanq(Quad), sinhq(Quad),
    coshq(Quad), tanhq(Quad), asinq(Quad), acosq(Quad), atanq(Quad), asinhq(Quad), acoshq(Quad), atanhq(Quad),
    erfq(Quad), cbrtq(Quad), sqrtq(Quad), powq(Quad, Quad), atan2q(Quad, Quad), fmodq(Quad, Quad);
}

inline constexpr hlo::Opcode kUnaryFunctions[] = {
    hlo::Opcode::kExp,      hlo::Opcode::kExpm1, hlo::Opcode::kLog,    hlo::Opcode::kLog1p,
    hlo::Opcode::kLogistic, hlo::Opcode::kSin,   hlo::Opcode::kCosine, hlo::Opcode::kTan,
    hlo::Opcode::kSinh,     hlo::Opcode::kCosh,  hlo::Opcode::kTanh,   hlo::Opcode::kAsin,
    hlo::Opcode::kAcos,     hlo::Opcode::kAsinh, hlo::Opcode::kAcosh,  hlo::Opcode::kAtanh,
    hlo::Opcode::kErf,      hlo::Opcode::kCbrt,  hlo::Opcode::kRsqrt,  hlo::Opcode::kSqrt};
inline constexpr hlo::Opcode kBinaryFunctions[] = {hlo::Opcode::kPower, hlo::Opcode::kAtan2,
                                                   hlo::Opcode::kRemainder};

inline double Reference(hlo::Opcode opcode, double x) {
  switch (opcode) {
    case hlo::Opcode::kExp:
      return std::exp(x);
    case hlo::Opcode::kExpm1:
      return std::expm1(x);
    case hlo::Opcode::kLog:
      return std::log(x);
    case hlo::Opcode::kLog1p:
      return std::log1p(x);
    case hlo::Opcode::kLogistic:
      return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
    case hlo::Opcode::kSin:
      return std::sin(x);
    case hlo::Opcode::kCosine:
      return std::cos(x);
    case hlo::Opcode::kTan:
      return std::tan(x);
    case hlo::Opcode::kSinh:
      return std::sinh(x);
    case hlo::Opcode::kCosh:
      return std::cosh(x);
    case hlo::Opcode::kTanh:
      return std::tanh(x);
    case hlo::Opcode::kAsin:
      return std::asin(x);
    case hlo::Opcode::kAcos:
      return std::acos(x);
    case hlo::Opcode::kAsinh:
      return std::asinh(x);
    case hlo::Opcode::kAcosh:
      return std::acosh(x);
    case hlo::Opcode::kAtanh:
      return std::atanh(x);
    case hlo::Opcode::kErf:
      return std::erf(x);
    case hlo::Opcode::kCbrt:
      return std::cbrt(x);
    case hlo::Opcode::kRsqrt:
      return 1 / std::sqrt(x);
    default:
      return std::sqrt(x);
  }
}

inline Quad Reference(hlo::Opcode opcode, Quad x) {
  switch (opcode) {
    case hlo::Opcode::kExp:
      return expq(x);
    case hlo::Opcode::kExpm1:
      return expm1q(x);
    case hlo::Opcode::kLog:
      return logq(x);
    case hlo::Opcode::kLog1p:
      return log1pq(x);
    case hlo::Opcode::kLogistic:
      return x >= 0 ? 1 / (1 + expq(-x)) : expq(x) / (1 + expq(x));
    case hlo::Opcode::kSin:
      return sinq(x);
    case hlo::Opcode::kCosine:
      return cosq(x);
    case hlo::Opcode::kTan:
      return tanq(x);
    case hlo::Opcode::kSinh:
      return sinhq(x);
    case hlo::Opcode::kCosh:
      return coshq(x);
    case hlo::Opcode::kTanh:
      return tanhq(x);
    case hlo::Opcode::kAsin:
      return asinq(x);
    case hlo::Opcode::kAcos:
      return acosq(x);
    case hlo::Opcode::kAsinh:
      return asinhq(x);
    case hlo::Opcode::kAcosh:
      return acoshq(x);
    case hlo::Opcode::kAtanh:
      return atanhq(x);
    case hlo::Opcode::kErf:
      return erfq(x);
    case hlo::Opcode::kCbrt:
      return cbrtq(x);
    case hlo::Opcode::kRsqrt:
      return 1 / sqrtq(x);
    default:
      return sqrtq(x);
  }
}

inline double Reference(hlo::Opcode opcode, double x, double y) {
  if (opcode == hlo::Opcode::kPower) return std::pow(x, y);
  return opcode == hlo::Opcode::kAtan2 ? std::atan2(x, y) : std::fmod(x, y);
}
inline Quad Reference(hlo::Opcode opcode, Quad x, Quad y) {
  if (opcode == hlo::Opcode::kPower) return powq(x, y);
  return opcode == hlo::Opcode::kAtan2 ? atan2q(x, y) : fmodq(x, y);
}

/// How far `got` lies from the true `want`, in units of the last place that `want` has in T (float or
/// double). Two NaNs, and infinities of one sign, are 0 apart; a number beside a NaN, or a zero of the wrong
/// sign, infinitely far.
template <typename T, typename Wide>
double UlpError(T got, Wide want) {
  using Limits = std::numeric_limits<T>;
  constexpr double kFar = std::numeric_limits<double>::infinity();
  const T nearest = static_cast<T>(want);
  if (want != want || got != got) return (want != want) == (got != got) ? 0 : kFar;
  if (nearest == got && (std::isinf(got) || want == 0))
    return std::signbit(nearest) == std::signbit(got) ? 0 : kFar;
  if (got == 0 && std::signbit(got) != (want < 0)) return kFar;
  // An infinity stands one step above the largest number.
  const Wide top = static_cast<Wide>(Limits::max()) * (1 + static_cast<Wide>(Limits::epsilon()) / 2);
  const auto finite = [&](Wide v) { return v > top ? top : v < -top ? -top : v; };
  int exponent = 0;
  std::frexp(std::isinf(nearest) ? Limits::max() : nearest, &exponent);
  const int unit = std::max(exponent, Limits::min_exponent) - Limits::digits;
  const Wide difference = finite(static_cast<Wide>(got)) - finite(want);
  return static_cast<double>((difference < 0 ? -difference : difference) *
                             static_cast<Wide>(std::ldexp(1.0, -unit / 2)) *
                             static_cast<Wide>(std::ldexp(1.0, -unit - -unit / 2)));
}

}  // namespace subfloor::testing
