#pragma once

#include <cstdint>

#include "device/description/kernel_abi.h"

namespace subfloor::device::sim {

class AccessLog;
class BlockRunner;

/// A thread of the block that a runner is at.
struct SimThread : SubfloorKernelThread {
  enum class State : uint8_t { kReady, kAtBarrier, kAtShuffle, kEnded };

  BlockRunner* runner = nullptr;
  SubfloorKernelCall call = {};
  uint32_t index = 0;  ///< in the block: x fastest
  uint32_t warp = 0, lane = 0;
  State state = State::kReady;
  uint32_t site = 0;                 ///< where it waits
  uint32_t value = 0, distance = 0;  ///< what it shuffles
};

}  // namespace subfloor::device::sim
