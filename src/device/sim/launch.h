#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "device/description/kernel_abi.h"
#include "device/sim/counters.h"
#include "device/sim/device_heap.h"
#include "device/sim/finding.h"
#include "device/sim/sim_executor.h"

namespace subfloor::device::sim {

/// An argument of a launch, and the memory it is a part of.
struct LaunchArgument {
  std::byte* data = nullptr;
  uint64_t size = 0;
  Allocation* allocation = nullptr;
  uint64_t offset = 0;  ///< in the allocation
};

/// One run of a kernel.
struct Launch {
  const SimulatedKernel* kernel = nullptr;
  LaunchDimensions dimensions;
  uint64_t blocks = 1;   ///< of the grid
  uint32_t threads = 1;  ///< of a block
  uint64_t shared_bytes = 0;
  std::vector<LaunchArgument> arguments;
  uint64_t seed = 0;    ///< of this launch; 0: in order
  uint64_t number = 0;  ///< counts the executor's launches from 1

  std::array<uint64_t, 3> BlockAt(uint64_t index) const {
    const auto& grid = dimensions.grid;
    return {index % grid[0], index / grid[0] % grid[1], index / grid[0] / grid[1]};
  }
  std::array<uint64_t, 3> ThreadAt(uint64_t index) const {
    const auto& block = dimensions.block;
    return {index % block[0], index / block[0] % block[1], index / block[0] / block[1]};
  }
};

/// Gathers findings, grouped by check and site.
class FindingList {
 public:
  explicit FindingList(uint32_t kept_of_each) : kept_of_each_(kept_of_each) {}

  /// Counts a finding of this check at this site. Where the next is to be described; null, if there are
  /// enough. Kernel, check, site and op are filled in.
  Finding* Add(Check check, const SimulatedKernelPlan& plan, uint32_t site);

  bool empty() const { return groups_.empty(); }
  std::vector<FindingGroup> Take();
  void Append(std::vector<FindingGroup> groups);
  /// The first finding and how many more there are.
  std::string Summary() const;

 private:
  FindingGroup& GroupOf(Check check, const std::string& kernel, uint32_t site);

  uint32_t kept_of_each_;
  std::vector<FindingGroup> groups_;
  std::map<std::tuple<std::string, Check, uint32_t>, size_t> index_;
};

}  // namespace subfloor::device::sim
