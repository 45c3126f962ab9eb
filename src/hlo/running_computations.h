#pragma once

#include <vector>

#include "hlo/module.h"

namespace subfloor::hlo {

/// The entry, and what runs as part of it: the bodies of loops, branches, calls and asynchronous starts, each
/// once, callers first. Not what fusions hold, nor reducers and comparators. Linear in the module.
std::vector<Computation*> RunningComputations(const Module& module);

}  // namespace subfloor::hlo
