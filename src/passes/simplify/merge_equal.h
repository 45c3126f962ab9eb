#pragma once

#include "passes/pass.h"

namespace subfloor::passes {

/// Computes equal values once: instructions of one computation with the same opcode, operands, attributes and
/// shape become one, and so do small called computations (reducers, comparators) of equal structure. Whatever
/// has a side effect or control edges stays. Takes: any module. Gives: the same entry signature. Errors:
/// none. Place: inside the simplification group, before fusion (which would hide equal instructions in
/// different bodies).
Result<bool> MergeEqualInstructions(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
