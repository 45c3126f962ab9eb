#pragma once

#include "base/error.h"
#include "hlo/module.h"
#include "passes/pass.h"

namespace subfloor::passes {

/// Replaces batch-norm-training, -inference and -grad by reductions and elementwise work.
///
/// Narrow types are computed in f32 and rounded once at the end. The variance is the mean of squared
/// distances from the mean, in two passes: one pass over x and x^2 would lose it where the mean is large.
Result<bool> ExpandBatchNorm(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
