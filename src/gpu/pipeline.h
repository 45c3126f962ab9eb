#pragma once

#include <cstdint>

#include "passes/pipeline.h"

namespace subfloor::gpu {

/// What is fused with what.
enum class Fusing : uint8_t {
  kOneBody,  ///< the entry is the body of one fusion, which stays one
  kAsGiven,  ///< the program's own fusions stay, every other op is a fusion of its own
  kOurs,     ///< the program is simplified and fused anew
};

/// What a module goes through before its buffers are assigned.
passes::Pipeline MakePipeline(Fusing fusing);

}  // namespace subfloor::gpu
