#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dispatch/gpu_dispatch.h"

namespace subfloor::driver {

/// What a plan holds besides its launch, as names and values for people: docs/explain.md lists the names.
std::vector<std::pair<std::string, std::string>> DescribePlan(const dispatch::LaunchPlan& plan);

/// How many kernels the plan launches.
int64_t KernelCount(const dispatch::LaunchPlan& plan);

}  // namespace subfloor::driver
