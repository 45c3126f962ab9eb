#pragma once

#include "base/error.h"
#include "hlo/module.h"
#include "passes/pass.h"

namespace subfloor::passes {

/// Gives dynamic-slice and dynamic-update-slice one scalar start a dimension where an old program has one
/// vector of them.
Result<bool> ExpandDynamicIndex(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
