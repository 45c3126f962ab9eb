#pragma once

#include <cmath>
#include <span>

#include "codegen/elemental/math/gen/coefficients.h"
#include "codegen/elemental/value.h"

/// What the functions of math/ are made of. A `Pair` is an unevaluated sum hi + lo with |lo| at most half a
/// unit of hi.
namespace subfloor::codegen::elemental {

struct Pair {
  V hi, lo;
};

inline int MantissaBits(const V& x) { return x.is_f64() ? 52 : 23; }
inline int Bias(const V& x) { return x.is_f64() ? 1023 : 127; }
/// The f32 or the f64 variant of a number or a table.
inline double Pick(const V& x, double f32, double f64) { return x.is_f64() ? f64 : f32; }
inline std::span<const double> Pick(const V& x, std::span<const double> f32, std::span<const double> f64) {
  return x.is_f64() ? f64 : f32;
}

/// The exact sum of two numbers; Fast wants |a| >= |b|.
Pair TwoSum(const V& a, const V& b);
Pair FastTwoSum(const V& a, const V& b);
/// The exact product.
Pair TwoProduct(const V& a, const V& b);
/// (a.hi + a.lo) / (b.hi + b.lo), to about twice the precision.
Pair DividePairs(const Pair& a, const Pair& b);
/// sqrt(a.hi + a.lo), to about twice the precision; 0 for 0.
Pair SqrtPair(const Pair& a);

/// 2^n as a float for an integer n within the normal exponents.
V PowerOfTwo(const V& like, const V& n);
/// x 2^n, rounded once, for |n| up to twice the bias.
V ScaleByPowerOfTwo(const V& x, const V& n);
/// floor(log2(x)) of a positive finite number, as an integer of its width.
V FloorLog2(const V& x);
/// The nearest whole number to x * factor, as a float and as an integer. |x * factor| < 2^(mantissa - 2).
struct Whole {
  V number, integer;
};
Whole RoundProduct(const V& x, double factor);

/// e^(x + x_lo) = (hi + lo) 2^k. `x_lo` may be null. x within about twice the exponent range.
struct ExpParts {
  Pair mantissa;
  V k;
};
ExpParts ExpCore(const V& x, const V& x_lo);
/// (e^x - 1) / 4 as a pair: finite wherever sinh and cosh are. x within ExpLowest and ExpHighest, |x| not
/// tiny.
Pair QuarterExpm1(const V& x);
/// Beyond these e^x is infinite or zero; x between them gives exponents that fit.
inline double ExpHighest(const V& x) { return Pick(x, 89.7f, 710.7); }
inline double ExpLowest(const V& x) { return Pick(x, -104.0, -746.0); }
/// x brought between two numbers; NaN stays.
V ClampNumber(const V& x, double low, double high);

/// log(u) + correction + extra_k ln 2, for u positive, finite and normal. `correction` is small against u;
/// `extra_k` (an integer) and `correction` may be null.
V LogCore(const V& u, const V& correction, const V& extra_k);
/// log(1 + w) for a pair w > -1, plus extra_k ln 2.
V Log1pPair(const Pair& w, const V& extra_k = {});
/// m in [sqrt(1/2), sqrt(2)) and k with x = m 2^k, for normal positive x.
struct Split {
  V m, k;
};
Split SplitNearOne(const V& x);
/// x times a power of two that makes subnormals normal, and the integer by which that raised the exponent.
Split Normalized(const V& x);

/// x = q pi/2 + r: r as a pair within about pi/4, q an integer of which the low two bits count.
struct Quadrant {
  Pair r;
  V q;
};
Quadrant ReduceByHalfPi(const V& x);

/// The result where x is not tiny (|x| < 2^below), else x itself: keeps -0 and subnormals.
V UnlessTiny(const V& x, int below_f32, int below_f64, const V& result);

}  // namespace subfloor::codegen::elemental
