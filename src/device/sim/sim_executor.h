#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "device/description/device_description.h"
#include "device/description/kernel_abi.h"
#include "device/description/simulated_kernel.h"
#include "device/executor.h"
#include "device/sim/counters.h"
#include "device/sim/finding.h"
#include "device/sim/options.h"

/// A GPU simulated on the host: docs/simulator.md says what it checks, counts and does not claim.
namespace subfloor::device::sim {

/// Code and what to know of it. The code outlives the launches.
struct SimulatedKernel {
  SimulatedKernelPlan plan;
  SubfloorKernel entry = nullptr;
};

/// Streams are deferred: work is done when somebody waits for it (Synchronize, Query, Free, the stream's
/// end), on the thread that waits. Without a seed only what is waited for and what that waits for is done;
/// with one, a step of any stream that can go on, so that a missing event shows.
class SimExecutor : public Executor {
 public:
  /// A kernel without an image. Errors: bad input, if the plan contradicts itself.
  virtual Result<std::unique_ptr<Kernel>> MakeKernel(SimulatedKernel kernel) = 0;

  /// What was found since this was called last, in the order of first appearance.
  virtual std::vector<FindingGroup> TakeFindings() = 0;

  /// Of the kernels of that name (a fast and a checked one count together); zeros if none ran.
  virtual KernelCounters CountersOf(std::string_view kernel) const = 0;
};

/// Its memory is the description's, or half of what this process may use, if that is less: the simulator
/// itself needs some to know of each byte who wrote it. Errors: bad input for options and descriptions that
/// cannot be simulated.
Result<std::unique_ptr<SimExecutor>> MakeSimExecutor(const DeviceDescription& device,
                                                     const SimOptions& options = {});

}  // namespace subfloor::device::sim
