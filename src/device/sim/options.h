#pragma once

#include <cstdint>

namespace subfloor::device::sim {

/// How a device is simulated; what it is, its description says.
struct SimOptions {
  /// Permutes what nothing orders: the blocks of a grid, the threads of a block between two points where they
  /// meet, streams. 0: in order.
  uint64_t seed = 0;
  /// Threads of the host that run the blocks of fast kernels. With 1, a seed fixes all that happens. Checked
  /// kernels always run on one.
  uint32_t host_threads = 1;
  bool findings_fail = true;           ///< a launch with findings fails; else they are only listed
  uint32_t findings_kept_of_each = 4;  ///< of one check at one site; more are only counted
};

}  // namespace subfloor::device::sim
