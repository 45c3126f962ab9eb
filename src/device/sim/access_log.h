#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/sim/counters.h"

namespace subfloor::device::sim {

/// The accesses of one warp since its block's last barrier, put together by site and visit, so that they can
/// be counted as the warp's.
class AccessLog {
 public:
  /// Lanes: 32 or 64.
  explicit AccessLog(uint32_t lanes) : lanes_(lanes) {}

  /// `address`: of the device for global memory, from the start of the block's memory for shared.
  void Add(uint32_t site, uint32_t lane, uint64_t address, uint32_t bytes, uint32_t kind) {
    if (site >= sites_.size()) [[unlikely]]
      sites_.resize(site + 1);
    Site& s = sites_[site];
    const uint32_t visit = s.counts[lane];
    if (visit == s.visits) [[unlikely]] {
      if (!OpenVisit(site, bytes, kind)) return;
    }
    s.counts[lane] = visit + 1;
    s.addresses[size_t{visit} * lanes_ + lane] = address;
  }

  /// Adds all that was logged to the counters, by site, and forgets it.
  void Flush(std::vector<SiteCounters>& counters);

 private:
  /// More visits of one site by one thread, without a barrier between them, are not put together.
  static constexpr uint32_t kVisits = 1 << 16;
  struct Site {
    uint32_t kind = 0, bytes = 0;
    uint32_t visits = 0;                   ///< the most of one lane
    uint64_t ungrouped = 0;                ///< accesses beyond that
    std::array<uint32_t, 64> counts = {};  ///< visits of each lane
    std::vector<uint64_t> addresses;       ///< [visit][lane], where the lane came so often
  };
  /// Makes room for one more visit. False if there are too many, and counts the access as ungrouped.
  bool OpenVisit(uint32_t site, uint32_t bytes, uint32_t kind);

  uint32_t lanes_;
  std::vector<Site> sites_;
  std::vector<uint32_t> touched_;
};

}  // namespace subfloor::device::sim
