#pragma once

#include <vector>

#include "hlo/computation.h"

namespace subfloor::dispatch {

/// The values that become outputs, in order of output leaves: the root, or the operands of a root tuple.
std::vector<const hlo::Instruction*> Roots(const hlo::Computation& body);

}  // namespace subfloor::dispatch
