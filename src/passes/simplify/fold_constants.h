#pragma once

#include <optional>
#include <span>

#include "passes/pass.h"

namespace subfloor::passes {

/// Computes what has only constants for operands, where the answer is exact: movers, integers, comparisons,
/// conversions, and
/// + - * / sqrt and rounding of floats (through f64, whose second rounding is harmless for every narrower
/// type). Elementary functions stay: what a kernel computes for them is the kernel's business. Takes: any
/// module. Gives: the same entry signature; no constant larger than PassOptions::max_folded_bytes unless its
/// operands are together larger. Records kFold when the budget refuses. Errors: none.
/// Place: in the simplification group. Broadcasts and iotas stay instructions: inside a kernel they cost
/// nothing.
Result<bool> FoldConstants(hlo::Module& module, PassContext& context);

/// One element of an elementwise instruction from its operands' elements (bits, as types/narrow.h has them),
/// or nullopt if the op is not exact for the type.
std::optional<uint64_t> FoldElement(const hlo::Instruction& instruction, std::span<const uint64_t> operands);

}  // namespace subfloor::passes
