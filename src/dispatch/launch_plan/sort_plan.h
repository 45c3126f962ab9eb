#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "device/description/device_description.h"
#include "dispatch/asker.h"
#include "dispatch/launch_plan/launch.h"
#include "hlo/instruction.h"

namespace subfloor::dispatch {

/// A bitonic sort in place on the outputs, of any length: kernels one after the other. Every mask compares
/// position p with p xor mask, where both lie within the dimension; a thread makes two comparisons of a mask.
struct SortPlan {
  struct Kernel {
    Launch launch;
    std::vector<int64_t> masks;  ///< one in global memory, or all that follow one another in shared memory
    bool tiled = false;          ///< through shared memory: more than one mask
  };
  std::vector<Kernel> kernels;  ///< none when there is nothing to order
  int64_t dimension = 0;
  int64_t size = 0;    ///< of that dimension
  int64_t stages = 0;  ///< 2^stages is size rounded up
  int64_t tile = 1;    ///< elements of the dimension a block holds in shared memory: a power of two
};

/// Nullopt when no grid of the device holds the rows; the log says so.
std::optional<SortPlan> PlanSort(const hlo::Instruction& sort, const device::DeviceDescription& device,
                                 const Asker& ask);

}  // namespace subfloor::dispatch
