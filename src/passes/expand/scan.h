#pragma once

#include "base/error.h"
#include "hlo/module.h"
#include "passes/pass.h"

namespace subfloor::passes {

/// Replaces scan by a while that takes one slice a step, calls the function, and writes its outputs at the
/// same place. The call is inlined by inline-calls.
Result<bool> ExpandScan(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
