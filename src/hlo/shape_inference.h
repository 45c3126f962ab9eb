#pragma once

#include <span>

#include "base/error.h"
#include "hlo/attributes.h"
#include "hlo/instruction.h"
#include "hlo/opcode.h"
#include "types/shape.h"

/// Which shape an operation's result has.
///
/// Results carry no layout (the caller gives one) and are dynamic where an operand's dynamic dimension
/// reaches them. Float operands of one operation may differ in precision; the result has the higher one.
/// Attributes are checked in full: dimension numbers in range, unique, sorted where order has no meaning;
/// called computations by their signature. Errors: bad input that names the operand, what was found and what
/// was wanted. Threads: pure functions.
namespace subfloor::hlo {

/// True when operands and attributes do not settle the shape, so that HLO text must write it: parameter,
/// constant, iota, broadcast, reshape, convert, custom-call ...
bool ShapeMustBeWritten(Opcode opcode);

/// The shape of `opcode` applied to operands of these shapes. Errors: also when ShapeMustBeWritten(opcode).
Result<Shape> InferShape(Opcode opcode, std::span<const Shape* const> operands, const Attributes& attributes,
                         std::span<Computation* const> called = {});

/// Accepts `result` as the shape of the operation, or says what is wrong with it: it must be compatible with
/// the inferred one where there is one, and fit operands and attributes otherwise. Layouts are ignored. dot
/// and convolution may have a written element type of their own (never a narrower integer).
Status CheckShape(const Shape& result, Opcode opcode, std::span<const Shape* const> operands,
                  const Attributes& attributes, std::span<Computation* const> called = {});

/// The same for an instruction as it stands; the error carries its name and position.
Status CheckShape(const Instruction& instruction);

/// The type of the two with more range, then more precision, then more bits; for mixed-precision operands.
ElementType HigherPrecision(ElementType a, ElementType b);

/// Equal types, or two float types, or two complex types.
bool SameUpToPrecision(ElementType a, ElementType b);

}  // namespace subfloor::hlo
