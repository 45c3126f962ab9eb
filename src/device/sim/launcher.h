#pragma once

#include <memory>
#include <vector>

#include "base/error.h"
#include "device/sim/block_runner.h"
#include "device/sim/launch.h"

namespace subfloor::device::sim {

/// Runs launches: spreads their blocks over runners, looks at the red zones afterwards, and adds findings and
/// counters to what the caller keeps. Threads: one launch at a time.
class Launcher {
 public:
  Launcher(uint32_t threads_per_warp, const SimOptions& options)
      : threads_per_warp_(threads_per_warp), options_(options) {}

  /// Errors: what a thread of the kernel returned; findings, if the options say that they fail; out of
  /// resources. Findings and counters are there then, too.
  Status Run(const Launch& launch, FindingList& findings, KernelCounters& counters);

 private:
  Status Prepare(const Launch& launch, size_t runners);
  void RunBlocks(const Launch& launch, size_t runners);
  void CheckRedZones(const Launch& launch, FindingList& findings) const;

  const uint32_t threads_per_warp_;
  const SimOptions options_;
  std::vector<std::unique_ptr<BlockRunner>> runners_;
};

}  // namespace subfloor::device::sim
