#pragma once

#include <span>

#include "codegen/elemental/elemental.h"
#include "hlo/attributes.h"

/// One function a family of ops. All take operands of equal lanes and give that many; a type that the op does
/// not take is an error of kind not supported.
namespace subfloor::codegen::elemental {

Result<Element> PredOp(mlir::ImplicitLocOpBuilder& b, hlo::Opcode opcode, std::span<const Element> x);
Result<Element> IntegerOp(mlir::ImplicitLocOpBuilder& b, hlo::Opcode opcode, std::span<const Element> x);
/// Narrow types are widened to f32 (f8e8m0fnu, which has its range, to f64), and that result is rounded once.
Result<Element> FloatOp(mlir::ImplicitLocOpBuilder& b, hlo::Opcode opcode, std::span<const Element> x);
/// abs gives the component type.
Result<Element> ComplexOp(mlir::ImplicitLocOpBuilder& b, hlo::Opcode opcode, std::span<const Element> x);

Result<Element> Compare(mlir::ImplicitLocOpBuilder& b, hlo::ComparisonDirection direction, bool total_order,
                        const Element& lhs, const Element& rhs);
Result<Element> IsFinite(mlir::ImplicitLocOpBuilder& b, const Element& x);
Result<Element> ReducePrecision(mlir::ImplicitLocOpBuilder& b, const Element& x, int exponent_bits,
                                int mantissa_bits);
Result<Element> StochasticConvert(mlir::ImplicitLocOpBuilder& b, const Element& x, const Element& random,
                                  ElementType to);
Result<Element> BitcastConvert(mlir::ImplicitLocOpBuilder& b, const Element& x, ElementType to);

/// The error of an op that does not take a type.
std::unexpected<Error> TypeNotTaken(hlo::Opcode opcode, ElementType type);

}  // namespace subfloor::codegen::elemental
