#pragma once

#include "base/error.h"
#include "hlo/module.h"
#include "passes/pass.h"

namespace subfloor::passes {

/// Replaces rng by random bits from the module's own state (rng-get-and-update-state) and the arithmetic that
/// makes them uniform in [a, b), or normal by the method of Box and Muller. Each rng has a key of its own, so
/// that equal states do not make equal numbers. Types below 32 bits are computed in f32.
///
/// Which numbers come is not the evaluator's choice: both are deterministic for a seed, each in its own way.
Result<bool> ExpandRng(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
