#pragma once

#include "passes/pass.h"

namespace subfloor::cpu {

/// Makes a one-op fusion of every dot and convolution that no library takes in its form, so that our own
/// loops compute it. Takes: a module whose dots and convolutions are canonical. Place: after
/// canonicalisation, with the last wrapping. Records kDotLibrary, kConvolutionLibrary and
/// kFftLibrary for all of them.
Result<bool> WrapUnownedOps(hlo::Module& module, passes::PassContext& context);

}  // namespace subfloor::cpu
