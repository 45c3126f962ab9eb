#pragma once

#include "passes/pipeline.h"

namespace subfloor::cpu {

/// Every pass between a verified module and what thunk emission takes, in order. The list is the
/// documentation: each line that depends on its place says why.
passes::Pipeline MakePipeline();

}  // namespace subfloor::cpu
