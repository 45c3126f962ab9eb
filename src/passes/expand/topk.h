#pragma once

#include "base/error.h"
#include "hlo/module.h"
#include "passes/pass.h"

namespace subfloor::passes {

/// Replaces topk by a stable sort of values and positions in total order and a slice of the first k.
/// Ties keep the lower index first; +NaN is the largest, -NaN the smallest. Source: docs/numerics.md.
Result<bool> ExpandTopK(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
