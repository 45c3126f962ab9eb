#pragma once

#include <string>

#include "hlo/lexer.h"
#include "types/literal.h"

/// Literals as HLO text writes them.
///
/// Scalars are numbers, true/false, (real, imaginary); arrays are nested braces with optional commas; tuples
/// are parenthesized lists. NaNs keep sign and payload: nan, -nan, nan(0x400001), the payload being the
/// mantissa bits. Floats print with the fewest of 6 digits (f32), 15 (f64) if that reads back exactly, else
/// with as many as every value of the type needs; what is printed always reads back as the same bits.
namespace subfloor::hlo {

/// Reads a literal of the given shape. `{...}` alone makes an elided one: `elided` is set and the value made
/// up from the shape. Integers must fit the type; a finite number must not round to infinity or NaN. Nesting
/// costs no stack. Errors: false, recorded in the lexer.
bool ReadLiteral(Lexer& lexer, const Shape& shape, Literal& out, bool& elided);

void AppendLiteral(std::string& out, const Literal& literal);

/// One element of an array, or one part of a complex one, given as bits of a non-complex type.
void AppendNumber(std::string& out, ElementType type, uint64_t bits);

/// The value that stands for an elided constant of this shape: integers 0 to 3, floats in [-0.5, 0.5), pred
/// in turn; it depends on nothing but the shape. Errors: not supported above 2 GiB, and what Literal::Zeros
/// says.
Result<Literal> ElidedLiteral(const Shape& shape);

}  // namespace subfloor::hlo
