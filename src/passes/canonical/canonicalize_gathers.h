#pragma once

#include "passes/pass.h"

namespace subfloor::passes {

/// Brings gathers and scatters into one form each, which emitters take:
///  - indices are [n, k], one row a window, index_vector_dim 1; a row names k dimensions of the operand;
///  - a gather gives [n, window...] with every dimension of the operand in the window (size 1 where one was
///  collapsed), a
///    scatter takes updates like that: offset or update window dimensions 1, 2, ..., nothing collapsed,
///    inserted or batched.
/// Batching dimensions become further columns of the indices, made by an iota. Reshapes and, where windows do
/// not come last, a transpose lead to and from the form. Indices narrower than 32 bits are widened when
/// columns are added. Takes: a module in layout normal form. Gives: the same entry signature. Errors: none.
/// Place: before the last simplification group, which composes the reshapes.
Result<bool> CanonicalizeGathers(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
