#pragma once

#include "base/error.h"
#include "hlo/module.h"
#include "passes/pass.h"

namespace subfloor::passes {

/// Replaces triangular-solve by a loop over rows: substitution, forward for lower and backward for upper
/// triangles. x op(a) = b is solved as op(a)^T x^T = b^T. Narrow types are computed in f32. The other
/// triangle of `a`, and the diagonal if it is said to be ones, are never looked at.
Result<bool> ExpandTriangularSolve(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
