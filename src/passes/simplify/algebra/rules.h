#pragma once

#include <optional>

#include "hlo/computation.h"

/// Rules of SimplifyAlgebra. Each takes an instruction of its family and answers the value that stands for
/// it, in the same computation and of the same sizes and type, or nullptr when it knows nothing better. It
/// may add instructions, and leaves the given one and its operands as they are. Callers see to it that shapes
/// are static and row-major.
namespace subfloor::passes {

hlo::Instruction* SimplifyArithmetic(
    hlo::Instruction* instruction);  // add, subtract, multiply, divide, negate, ...
hlo::Instruction* SimplifyLogic(hlo::Instruction* instruction);  // and, or, xor, not, shifts
hlo::Instruction* SimplifySelection(
    hlo::Instruction* instruction);  // compare, select, clamp, maximum, minimum
hlo::Instruction* SimplifyConversion(
    hlo::Instruction* instruction);  // convert, bitcast-convert, reduce-precision, complex
hlo::Instruction* SimplifyMover(
    hlo::Instruction* instruction);  // reshape, transpose, broadcast, reverse, copy
hlo::Instruction* SimplifySlicing(
    hlo::Instruction* instruction);  // slice, dynamic-slice, update, pad, concatenate
hlo::Instruction* SimplifyReduction(hlo::Instruction* instruction);  // reduce, reduce-window
hlo::Instruction* SimplifyProduct(hlo::Instruction* instruction);    // dot
hlo::Instruction* SimplifyIndexing(
    hlo::Instruction* instruction);  // gather, scatter, get-dimension-size, custom-call
/// Any elementwise op of operands that are all broadcast alike: computed once on the small ones, then
/// broadcast.
hlo::Instruction* SinkBroadcast(hlo::Instruction* instruction);
/// Anything of no elements is a constant.
hlo::Instruction* SimplifyEmpty(hlo::Instruction* instruction);

/// The binary op that a reducer of two scalars applies to its parameters, in whatever order of a commutative
/// op.
std::optional<hlo::Opcode> ReducerOpcode(const hlo::Computation& reducer);

}  // namespace subfloor::passes
