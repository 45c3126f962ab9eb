#pragma once

#include "base/error.h"
#include "hlo/module.h"
#include "passes/pass.h"

namespace subfloor::passes {

/// Replaces stochastic-convert by its arithmetic: the magnitude goes up to the next integer where the random
/// bits, as a fraction, are less than what the integer leaves; then a saturating convert. NaN gives 0.
Result<bool> ExpandStochasticConvert(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
