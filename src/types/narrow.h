#pragma once

#include <complex>
#include <cstdint>

#include "types/element_type.h"
#include "types/literal.h"

namespace subfloor {

/// Numbers as bits, for every element type: one plain, generic definition, driven by FormatOf(), that the
/// evaluator, folding, the parser and the tests share. Bits stand in the low BitWidth(type) bits of a
/// uint64_t, the rest zero.
///
/// To a float type: one rounding, to nearest even, straight from the source; subnormals are kept. Overflow
/// gives infinity where the type has it, NaN in f8e4m3fn, the fnuz kinds and f8e8m0fnu, the largest finite
/// value in f4e2m1fn, f6e2m3fn and f6e3m2fn. A NaN comes out quiet, with its sign and leading payload bits
/// where the type has room for them; the f4 and f6 types have no NaN and take it as -0. f8e8m0fnu rounds any
/// positive value to the nearest power of two (ties up, the least is 2^-127); zero and negative values become
/// its NaN. A zero's sign is lost where there is no negative zero. To an integer type: towards zero,
/// saturating, NaN gives 0. To pred: 1 unless the value is zero. Precondition everywhere: IsArrayType(type)
/// and not complex, unless said otherwise. Threads: pure functions. Source: IEEE 754-2019 5.4; OCP 8-bit and
/// microscaling formats; docs/numerics.md.

uint64_t FromDouble(ElementType type, double value);
uint64_t FromQuad(ElementType type, __float128 value);
/// An integer given as a 64-bit value: floats round once, integer types wrap to their width, pred is value !=
/// 0.
uint64_t FromInt(ElementType type, int64_t value);
uint64_t FromUint(ElementType type, uint64_t value);

/// Exact, except that s64 and u64 round to nearest even.
double ToDouble(ElementType type, uint64_t bits);
/// Exact for every type.
__float128 ToQuad(ElementType type, uint64_t bits);
/// Integers and pred: by their own signedness, u64 above the int64 range as its two's complement pattern.
/// Floats: towards zero, saturating to int64, NaN gives 0.
int64_t ToInt(ElementType type, uint64_t bits);

/// True for a NaN of a float type.
bool IsNan(ElementType type, uint64_t bits);
bool IsInfinity(ElementType type, uint64_t bits);

/// Named bit patterns of a float type. `QuietNan` of a type without NaN is what a NaN converts to, -0;
/// `Infinity` of one without infinity is what an overflow converts to.
uint64_t QuietNan(ElementType type);
uint64_t Infinity(ElementType type, bool negative = false);
uint64_t MaxFinite(ElementType type);         ///< of the positive side
uint64_t SmallestPositive(ElementType type);  ///< the least subnormal; 2^-127 in f8e8m0fnu

/// The ends of an integer type or pred, as bits.
uint64_t MinInt(ElementType type);
uint64_t MaxInt(ElementType type);

/// One value of any type converted to another as HLO `convert` does: every pair of non-complex types. Equal
/// types keep the bits.
uint64_t ConvertBits(ElementType from, ElementType to, uint64_t bits);

// Elements of array literals, by row-major linear index. Precondition: 0 <= index < element_count. ----------

/// The raw bits of an element of at most 8 bytes (c64: real part low, imaginary part high).
uint64_t GetBits(const Literal& literal, int64_t index);
void SetBits(Literal& literal, int64_t index, uint64_t bits);
/// The raw bits of one part (0 real, 1 imaginary) of an element of a complex type.
uint64_t GetPartBits(const Literal& literal, int64_t index, int part);
void SetPartBits(Literal& literal, int64_t index, int part, uint64_t bits);

/// Complex elements: the getters read the real part, the setters give a zero imaginary part.
double GetAsDouble(const Literal& literal, int64_t index);
int64_t GetAsInt(const Literal& literal, int64_t index);
std::complex<double> GetAsComplex(const Literal& literal, int64_t index);
void SetFromDouble(Literal& literal, int64_t index, double value);
void SetFromInt(Literal& literal, int64_t index, int64_t value);
/// A non-complex element takes the real part.
void SetFromComplex(Literal& literal, int64_t index, std::complex<double> value);

}  // namespace subfloor
