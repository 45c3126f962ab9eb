#pragma once

#include <cstdint>
#include <vector>

namespace subfloor::device::sim {

/// What accesses of one kind cost. A warp's accesses are taken together: those of its lanes' n-th visits to
/// one site since the block's last barrier.
struct AccessCounters {
  uint64_t warp_accesses = 0;
  uint64_t thread_accesses = 0;
  uint64_t bytes = 0;    ///< that threads asked for
  uint64_t sectors = 0;  ///< global memory: sectors of 32 bytes that a warp touches, summed over its accesses
  uint64_t ideal_sectors = 0;  ///< the least for as many different bytes
  uint64_t passes = 0;         ///< shared memory of 32 banks of 4 bytes: one word of each bank a pass
  uint64_t ideal_passes = 0;   ///< the least for accesses of that width; the rest are bank conflicts
  uint64_t ungrouped = 0;      ///< thread accesses that count in no sector or pass: too many since a barrier

  AccessCounters& operator+=(const AccessCounters& other);
};

struct SiteCounters {
  uint32_t kind = 0;  ///< of SubfloorAccessKind; 0: no access was seen
  AccessCounters accesses;
};

/// Of all launches of one kernel. Accesses are seen in checked images only.
struct KernelCounters {
  uint64_t launches = 0;
  uint64_t blocks = 0;
  uint64_t threads = 0;
  uint64_t barriers = 0;  ///< times that a block met; of kernels that synchronise
  uint64_t shuffles = 0;  ///< of warps; likewise
  std::vector<SiteCounters> sites;

  /// The sum over sites whose kind is this one.
  AccessCounters Sum(uint32_t kind) const;
  AccessCounters GlobalLoads() const;
  AccessCounters GlobalStores() const;
  AccessCounters GlobalAtomics() const;
  AccessCounters Shared() const;  ///< loads, stores and atomics
  KernelCounters& operator+=(const KernelCounters& other);
};

}  // namespace subfloor::device::sim
