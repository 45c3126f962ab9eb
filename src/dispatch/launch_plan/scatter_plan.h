#pragma once

#include <cstdint>

#include "base/error.h"
#include "device/description/device_description.h"
#include "dispatch/asker.h"
#include "dispatch/fusion_view.h"
#include "dispatch/launch_plan/launch.h"

namespace subfloor::dispatch {

/// Both scatters see updates as [slices, slice_elements] and indices as [slices, index_length].
struct ScatterPlan {
  Launch launch;
  const hlo::Instruction* scatter = nullptr;
  int64_t slices = 0;          ///< index vectors
  int64_t slice_elements = 0;  ///< of one update slice
  int64_t index_length = 0;    ///< indices of one vector
  int64_t vector = 1;          ///< consecutive elements of a slice that one thread takes; divides the slice

  /// False: thread t of block b owns update elements [vector * (b * threads + t), + vector), one slice each.
  /// True: warp w (of the grid) owns slices [w * indices_per_warp, +indices_per_warp), in order, and keeps
  /// what it adds up in registers while indices repeat; its lanes stride the slice by `vector`, `passes`
  /// times.
  bool per_index_run = false;
  int64_t warps_per_block = 0;   ///< per index run
  int64_t indices_per_warp = 1;  ///< per index run; more than one
  int64_t index_vector = 1;      ///< index vectors read at once; divides indices_per_warp
  int64_t passes = 1;            ///< per index run
};

/// Errors: not supported, for scatters that the GPU's emitters do not take: updates whose scatter dimensions
/// do not come first, index vectors that are not the last dimension, batching dimensions.
Result<ScatterPlan> PlanScatter(const FusionView& fusion, const hlo::Instruction& scatter,
                                const device::DeviceDescription& device, const Asker& ask);

/// How many different index vectors are in bounds: over the operand's dimensions that indices address, the
/// product of the starts at which a slice fits. At least 1.
int64_t PossibleIndices(const hlo::Instruction& scatter);

}  // namespace subfloor::dispatch
