#pragma once

#include <cstdint>
#include <span>

#include "base/error.h"
#include "hlo/instruction.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Value.h"
#include "types/element_type.h"
#include "types/literal.h"

/// One HLO op on the elements of one lane or of several: what every emitter and every target shares.
///
/// The functions are pure: they add ops of the arith, vector, scf, func and LLVM dialects at the builder's
/// insertion point and give their results. The same code is emitted for scalars and for vectors, so that a
/// lane's bits never depend on the number of lanes. Large bodies (trigonometry, power, complex functions)
/// become private functions of the enclosing builtin.module, one for each (function, type, lanes), and are
/// called: the insertion point must lie inside a module. Numeric meaning: docs/numerics.md. Threads: one
/// builder and its module per thread.
namespace subfloor::codegen::elemental {

/// The elements of one value, for one lane (scalar MLIR types) or for several (vector<Nx...>).
///
/// pred: i1; integers: iN (sub-byte types in i8, normalised: sign- or zero-extended from their width); f32,
/// f64: themselves; every narrower float: its bits in i16 (bf16, f16) or i8 (f8, f6, f4), so that moves keep
/// bits and arithmetic widens to f32 and rounds back; complex: value = real part, imag = imaginary part (f32
/// or f64 each), imag is null for all others.
struct Element {
  ElementType type = ElementType::kF32;
  mlir::Value value;
  mlir::Value imag;
};

/// The MLIR type of one element in memory: i8 for pred, the component's type for complex, as Element says for
/// the rest.
mlir::Type StorageType(mlir::MLIRContext* context, ElementType type);
/// The MLIR type of an Element's value: i1 for pred. `lanes` 0 means a scalar, 1 or more a vector<lanes x
/// ...>.
mlir::Type ValueType(mlir::MLIRContext* context, ElementType type, int64_t lanes);
/// 0 for a scalar, N for vector<Nx...>.
int64_t LanesOf(const Element& element);

/// Any IsElementwise op, and bitcast-convert between types of equal width. Operands may mix scalars and
/// vectors of one lane count; scalars are then spread over the lanes. A scalar predicate of select stays a
/// scalar. Errors: not supported for an opcode or a type that the op does not take.
Result<Element> EmitElementwise(mlir::ImplicitLocOpBuilder& b, const hlo::Instruction& instruction,
                                std::span<const Element> operands);

/// The element of an array literal at a row-major index, the same in every lane. Precondition: index in
/// range.
Element EmitConstant(mlir::ImplicitLocOpBuilder& b, const Literal& literal, int64_t linear_index,
                     int64_t lanes = 0);
/// A number of any array type: rounded to the type like a convert from f64 (integers: `value` must be exact).
Element EmitNumber(mlir::ImplicitLocOpBuilder& b, ElementType type, double value, int64_t lanes = 0);
/// An integer constant, wrapped to the type's width. Precondition: integral or pred type.
Element EmitInteger(mlir::ImplicitLocOpBuilder& b, ElementType type, int64_t value, int64_t lanes = 0);

/// Any type to any other, by the convert op's rules. Errors: complex to real is refused.
Result<Element> EmitConvert(mlir::ImplicitLocOpBuilder& b, const Element& x, ElementType to);
/// Elements of an integer MLIR type that holds indices (index or iN, scalar or vector), as a convert from s64
/// gives them: what iota needs.
Result<Element> EmitFromIndex(mlir::ImplicitLocOpBuilder& b, mlir::Value index, ElementType to);

/// A scalar element in every lane; gives vectors back unchanged.
Element Splat(mlir::ImplicitLocOpBuilder& b, const Element& x, int64_t lanes);
/// `condition` is i1 or vector<Nxi1>; bits are kept.
Element Select(mlir::ImplicitLocOpBuilder& b, mlir::Value condition, const Element& if_true,
               const Element& if_false);

/// Between what lies in memory (StorageType) and an Element. A loaded pred is compared with 0; the rest is as
/// it was, but sub-byte integers are normalised.
Element FromStorage(mlir::ImplicitLocOpBuilder& b, ElementType type, mlir::Value value,
                    mlir::Value imag = {});
/// value and imag become StorageType: pred is widened to i8 (0 or 1).
Element ToStorage(mlir::ImplicitLocOpBuilder& b, const Element& x);

/// Two elements of one type by a binary op that a reducer may be made of: add, multiply, minimum, maximum,
/// and, or, xor.
Result<Element> Combine(mlir::ImplicitLocOpBuilder& b, hlo::Opcode opcode, const Element& lhs,
                        const Element& rhs);
/// The value that changes nothing when combined (-0 for float add, so that -0 + -0 stays -0; infinities, or
/// the type's extremes, for minimum and maximum). Errors: not supported where no such value exists.
Result<Element> ReducerIdentity(mlir::ImplicitLocOpBuilder& b, hlo::Opcode opcode, ElementType type,
                                int64_t lanes = 0);
/// In which type an accumulator of this reducer is best kept: f32 for sums and products of narrower floats,
/// else `type`.
ElementType AccumulatorType(hlo::Opcode opcode, ElementType type);

}  // namespace subfloor::codegen::elemental
