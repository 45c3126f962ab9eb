#pragma once

#include <span>
#include <string>

#include "base/error.h"
#include "evaluator/evaluator.h"
#include "hlo/module.h"
#include "types/literal.h"

namespace subfloor::driver {

/// Evaluates the program op by op and tells which instruction first makes a NaN out of operands that hold
/// none, where in its result, or that there is none. `options.observe` is not called. Errors: those of the
/// evaluator.
Result<std::string> FindFirstNan(const hlo::Module& module, std::span<const Literal> arguments,
                                 EvaluateOptions options);

}  // namespace subfloor::driver
