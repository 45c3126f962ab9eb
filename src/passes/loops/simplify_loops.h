#pragma once

#include "passes/pass.h"

namespace subfloor::passes {

/// Makes loops carry less and run less:
///  - an element that passes through unchanged is read from its start outside the loop, and inside too where
///  that is a constant;
///  - an element that decides neither the result, nor the end, nor an element that does, is no longer
///  carried;
///  - a loop that runs never is its start; one that runs once is its body; a short one whose copies stay
///  within
///    PassOptions::max_unrolled_instructions is its body that many times.
/// Takes: a flattened module (FlattenCallGraph); loops that share a body are left alone. Gives: the same
/// entry signature. Records kSimplifyWhile. Errors: none. Place: in the simplification group, after
/// SimplifyTuples.
Result<bool> SimplifyLoops(hlo::Module& module, PassContext& context);

/// Replaces conditionals whose predicate or index is a constant by the branch that it picks.
Result<bool> SimplifyConditionals(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
