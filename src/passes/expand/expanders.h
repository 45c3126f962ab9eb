#pragma once

#include <vector>

#include "passes/pass.h"

namespace subfloor::passes {

/// Every expander, in the order in which they run: what takes operations that no emitter knows apart into
/// ones that some does. Each runs once; none makes what an earlier one takes. Some leave calls behind
/// (asynchronous calls, scan): run inline-calls and dead-code after them.
std::vector<Pass> Expanders();

}  // namespace subfloor::passes
