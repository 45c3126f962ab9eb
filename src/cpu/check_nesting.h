#pragma once

#include "base/error.h"
#include "hlo/module.h"

namespace subfloor::cpu {

/// Refuses loops and branches that lie deeper in one another than an executable runs, before the passes spend
/// on each level what all levels below it cost. Errors: not supported, with the depth found and the most that
/// would work.
Status CheckNesting(const hlo::Module& module);

}  // namespace subfloor::cpu
