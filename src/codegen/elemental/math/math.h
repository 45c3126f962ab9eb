#pragma once

#include "codegen/elemental/value.h"
#include "hlo/opcode.h"

/// Elementary functions on f32 or f64, scalar or vector: no library, no branch but for huge arguments of the
/// trigonometric functions. At most 2 ULP over the whole range, special values as in C's Annex F, subnormals
/// kept; measured in docs/math_accuracy.md. Both precisions share the code and differ in the tables (gen/).
namespace subfloor::codegen::elemental {

/// The function that an opcode of one or two float operands stands for; null when there is none.
V MathFunction(hlo::Opcode opcode, const V& x);
V MathFunction(hlo::Opcode opcode, const V& x, const V& y);

}  // namespace subfloor::codegen::elemental
