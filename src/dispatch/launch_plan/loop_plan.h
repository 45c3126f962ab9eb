#pragma once

#include <cstdint>
#include <optional>

#include "device/description/device_description.h"
#include "dispatch/asker.h"
#include "dispatch/fusion_view.h"
#include "dispatch/gpu_kind.h"
#include "dispatch/launch_plan/launch.h"

namespace subfloor::dispatch {

/// Thread t of logical block b owns elements [vector * (b * threads + t), + vector) of `elements`, in memory
/// order, as far as there are so many.
struct LoopPlan {
  Launch launch;
  int64_t elements = 0;    ///< of the index space
  int64_t vector = 1;      ///< elements a thread makes one after the other: a power of two
  int64_t index_root = 0;  ///< the root whose shape is the index space: the first with the most elements. A
                           ///< smaller root has its first elements written, by linear index.
};

/// The index space is that of the longest operand; thread ids mean an element of an operand, and the kernel
/// goes through the operands one by one, each with its own bounds.
struct ConcatenatePlan {
  Launch launch;
  int64_t elements = 0;
  int64_t vector = 1;  ///< divides every operand's size along the dimension
  int64_t largest_operand = 0;
  const hlo::Instruction* concatenate = nullptr;
};

/// The index space is the update's; all dynamic-update-slices have updates of one shape, and their targets
/// are never read beyond what each thread overwrites.
struct InPlaceUpdatePlan {
  Launch launch;
  int64_t elements = 0;
  int64_t vector = 1;
  /// One a root: the op behind the bitcasts.
  std::vector<const hlo::Instruction*> updates;
};

/// How many elements one thread should make: vector loads for large outputs of simple computation, whole
/// bytes always. A power of two.
int64_t LoopVector(const FusionView& fusion, GpuKind kind, int64_t elements,
                   const device::DeviceDescription& device, const Asker& ask);

/// Each is nullopt when no grid of the device holds the work; the log says so.
std::optional<LoopPlan> PlanLoop(const FusionView& fusion, const device::DeviceDescription& device,
                                 const Asker& ask);
std::optional<ConcatenatePlan> PlanConcatenate(const FusionView& fusion, const hlo::Instruction& concatenate,
                                               const device::DeviceDescription& device, const Asker& ask);
std::optional<InPlaceUpdatePlan> PlanInPlaceUpdate(const FusionView& fusion,
                                                   std::vector<const hlo::Instruction*> updates,
                                                   const device::DeviceDescription& device, const Asker& ask);

}  // namespace subfloor::dispatch
