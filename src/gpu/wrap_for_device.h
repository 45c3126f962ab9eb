#pragma once

#include "passes/pass.h"

namespace subfloor::gpu {

/// Makes one fusion of all that the entry computes, whose results are the entry's. Takes: a module whose
/// entry is the body of a fusion, row-major. Results that are parameters stay outside.
Result<bool> WrapEntry(hlo::Module& module, passes::PassContext& context);

/// Makes a one-op fusion of every dot and convolution. Place: after fusion, which leaves them alone.
Result<bool> WrapProducts(hlo::Module& module, passes::PassContext& context);

}  // namespace subfloor::gpu
