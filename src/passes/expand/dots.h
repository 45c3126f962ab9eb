#pragma once

#include "base/error.h"
#include "hlo/module.h"
#include "passes/pass.h"

namespace subfloor::passes {

/// Replaces ragged-dot and scaled-dot by dots.
///
/// A scaled operand is multiplied by its spread-out scale, in the type of the result (f32 at least), which
/// rounds each scaled element once. A ragged dimension becomes a loop over groups: every group takes a whole
/// dot, and the rows that are not its own are kept out by selects, so that nothing in them (no NaN, no
/// infinity) reaches the result.
Result<bool> ExpandDots(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
