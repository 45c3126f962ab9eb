#pragma once

#include "base/error.h"
#include "hlo/module.h"
#include "passes/pass.h"

namespace subfloor::passes {

/// Replaces a conditional on pred whose branches are a few elementwise operations by both branches and a
/// select. Both are computed then, which costs less than a jump as long as they are small: at most 8
/// operations in each, none of them with an effect, on at most 1024 elements.
Result<bool> ExpandCheapConditional(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
