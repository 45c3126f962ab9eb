#pragma once

#include "base/error.h"
#include "hlo/module.h"
#include "passes/pass.h"

namespace subfloor::passes {

/// Replaces rng-bit-generator by integer arithmetic: Philox-4x32-10 or Threefry-2x32-20, a block of words for
/// each counter. Bit for bit what docs/numerics.md asks for, whatever the shape. The default algorithm is
/// Philox.
Result<bool> ExpandRngBitGenerator(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
