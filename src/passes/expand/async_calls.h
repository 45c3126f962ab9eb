#pragma once

#include "base/error.h"
#include "hlo/module.h"
#include "passes/pass.h"

namespace subfloor::passes {

/// Replaces asynchronous halves by the operation itself: async-start by a call and async-done by its result,
/// copy-start and copy-done by a copy. Nothing is lost on a target that has no second queue. Late binding
/// (async-update with operands of its own) is left alone.
Result<bool> ExpandAsyncCalls(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
