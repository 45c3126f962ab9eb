#pragma once

#include "codegen/elemental/elemental.h"
#include "codegen/elemental/value.h"

/// Between the types. One rounding straight from the source for every pair; subnormals are kept.
namespace subfloor::codegen::elemental {

/// The bits of a float type narrower than f32 (as Element holds them) to f32, exactly. f32 and f64 stay as
/// they are.
V Widen(ElementType from, const V& bits);
/// f32 rounded once to a narrower type, given as bits; f32 -> f32 and f64 -> f64 stay.
V NarrowF32(const V& x, ElementType to);
/// f64 to f32 by rounding to odd: a later rounding to a type of at most 22 bits of precision is then the only
/// one.
V ToF32Odd(const V& x);

/// Any float type to any other.
V FloatToFloat(ElementType from, const V& x, ElementType to);
/// Towards zero, saturating, NaN gives 0. `x` is f32 or f64.
V FloatToInteger(const V& x, ElementType to);
/// Integers of any type to any float type.
V IntegerToFloat(ElementType from, const V& x, ElementType to);

}  // namespace subfloor::codegen::elemental
