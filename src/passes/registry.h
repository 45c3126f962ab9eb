#pragma once

#include <span>
#include <string_view>

#include "passes/pass.h"

namespace subfloor::passes {

/// Every pass there is, sorted by name: what `subfloor opt --pass=NAME` can run and pipelines are made of.
std::span<const Pass> AllPasses();

/// Errors: bad input for a name that no pass has, naming the nearest.
Result<Pass> FindPass(std::string_view name);

}  // namespace subfloor::passes
