#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "hlo/computation.h"
#include "types/literal.h"

/// Short ways to make and to recognise the instructions that rewrites deal in.
///
/// Everything made here lies in its operands' computation, has a row-major layout and a shape worked out from
/// what is given; the caller keeps the operands' shapes in order. Functions that would make an identity
/// return their operand instead.
namespace subfloor::passes {

/// An array shape with the row-major layout.
Shape ArrayShape(ElementType type, std::span<const int64_t> dimensions);
/// `like`'s sizes and layout with another element type.
Shape WithType(const Shape& like, ElementType type);

hlo::Instruction* MakeReshape(hlo::Instruction* x, std::span<const int64_t> dimensions);
/// Result dimension i is operand dimension permutation[i].
hlo::Instruction* MakeTranspose(hlo::Instruction* x, std::span<const int64_t> permutation);
/// Operand dimension i becomes result dimension mapping[i].
hlo::Instruction* MakeBroadcast(hlo::Instruction* x, std::span<const int64_t> dimensions,
                                std::span<const int64_t> mapping);
hlo::Instruction* MakeSlice(hlo::Instruction* x, hlo::SliceRanges ranges);
hlo::Instruction* MakeConcatenate(std::span<hlo::Instruction* const> parts, int64_t dimension);
hlo::Instruction* MakeConvert(hlo::Instruction* x, ElementType type);
hlo::Instruction* MakeUnary(hlo::Opcode opcode, hlo::Instruction* x);
hlo::Instruction* MakeBinary(hlo::Opcode opcode, hlo::Instruction* x, hlo::Instruction* y);
hlo::Instruction* MakeSelect(hlo::Instruction* condition, hlo::Instruction* on_true,
                             hlo::Instruction* on_false);
hlo::Instruction* MakeTuple(hlo::Computation* computation, std::span<hlo::Instruction* const> elements);
hlo::Instruction* MakeGetTupleElement(hlo::Instruction* tuple, int64_t index);

/// An integer (or 0 or 1 of any type) as a scalar literal. Narrow floats: only 0.
Literal ScalarLiteral(ElementType type, int64_t value);
hlo::Instruction* MakeScalar(hlo::Computation* computation, ElementType type, int64_t value);
/// `scalar` (a scalar literal) in every element of an array of these sizes.
hlo::Instruction* MakeSplat(hlo::Computation* computation, const Literal& scalar,
                            std::span<const int64_t> dimensions);
hlo::Instruction* MakeZeros(hlo::Computation* computation, const Shape& shape);

/// A broadcast of a scalar.
bool IsScalarBroadcast(const hlo::Instruction* x);
/// The value that every element of `x` has: `x` is a constant of equal elements, or a broadcast or reshape of
/// one.
std::optional<Literal> SplatOf(const hlo::Instruction* x);
/// The same as an integer, for integral types and pred.
std::optional<int64_t> IntegerSplatOf(const hlo::Instruction* x);
/// The bits of element `i` of an array whose elements have at most 8 bytes.
uint64_t BitsAt(const Literal& array, int64_t i);
/// The integer that element `i` of an integral or pred array stands for (u64 wraps).
int64_t IntegerAt(const Literal& array, int64_t i);
void SetBitsAt(Literal& array, int64_t i, uint64_t bits);

/// True if the splat has exactly these bits: +0, -0, 1 of its type. False for complex types but for zero.
bool IsPositiveZero(const Literal& scalar);
bool IsNegativeZero(const Literal& scalar);
bool IsOne(const Literal& scalar);

/// True if there are control edges: such an instruction is neither replaced, merged nor moved.
bool HasControlEdges(const hlo::Instruction* instruction);
/// Sizes that are 1 dropped.
std::vector<int64_t> WithoutOnes(std::span<const int64_t> dimensions);
/// True if `permutation` leaves the order of dimensions above size 1 as it is, so that a transpose moves
/// nothing.
bool TransposeIsReshape(std::span<const int64_t> dimensions, std::span<const int64_t> permutation);
std::vector<int64_t> InversePermutation(std::span<const int64_t> permutation);
/// result[i] = values[permutation[i]].
std::vector<int64_t> Permute(std::span<const int64_t> values, std::span<const int64_t> permutation);
bool IsIdentityPermutation(std::span<const int64_t> permutation);

}  // namespace subfloor::passes
