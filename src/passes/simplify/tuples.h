#pragma once

#include "passes/pass.h"

namespace subfloor::passes {

/// Sees through tuples: an element taken from a `tuple` is that operand; a `tuple` of all elements of one
/// tuple in order is that tuple. A `domain` is its operand. Takes: any module. Gives: the same entry
/// signature. Errors: none. Place: before loops and conditionals are looked at, and wherever a rewrite made
/// tuples.
Result<bool> SimplifyTuples(hlo::Module& module, PassContext& context);

/// Replaces each `opt-barrier` by its operand: once rewriting is over nothing is left that it could hold
/// back. Place: after the last simplification group, before fusion.
Result<bool> RemoveBarriers(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
