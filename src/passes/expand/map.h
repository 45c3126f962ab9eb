#pragma once

#include "base/error.h"
#include "hlo/module.h"
#include "passes/pass.h"

namespace subfloor::passes {

/// Replaces map by the elementwise operations of its function, applied to whole arrays.
/// A function that holds anything else (a loop, a call) is left for others to refuse; inline calls first.
Result<bool> ExpandMap(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
