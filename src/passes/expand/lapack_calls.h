#pragma once

#include "base/error.h"
#include "hlo/module.h"
#include "passes/pass.h"

namespace subfloor::passes {

/// Replaces the custom calls of hlo/lapack_call.h by cholesky and triangular-solve, which they stand for.
/// Before normalize-layouts, which makes custom calls of column-major arrays calls on transposed ones.
Result<bool> ExpandLapackCalls(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
