#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/sim/counters.h"

namespace subfloor::device::sim {

/// The accesses of one warp since its block's last barrier, put together by site and visit, so that they can
/// be counted as the warp's.
class AccessLog {
 public:
  explicit AccessLog(uint32_t lanes) : lanes_(lanes) {}

  /// `address`: of the device for global memory, from the start of the block's memory for shared.
  void Add(uint32_t site, uint32_t lane, uint64_t address, uint32_t bytes, uint32_t kind) {
    if (site >= sites_.size()) sites_.resize(site + 1);
    Site& s = sites_[site];
    if (s.counts == nullptr) Open(s);
    if (s.visits == 0 && s.ungrouped == 0) {
      touched_.push_back(site);
      s.kind = kind;
      s.bytes = bytes;
    }
    const uint32_t visit = s.counts[lane];
    if (visit >= kVisits) {
      ++s.ungrouped;
      return;
    }
    s.counts[lane] = visit + 1;
    if (visit >= s.visits) {
      s.visits = visit + 1;
      if (s.addresses.size() < size_t{s.visits} * lanes_) s.addresses.resize(size_t{s.visits} * 2 * lanes_);
    }
    s.addresses[size_t{visit} * lanes_ + lane] = address;
  }

  /// Adds all that was logged to the counters, by site, and forgets it.
  void Flush(std::vector<SiteCounters>& counters);

 private:
  /// More visits of one site by one thread, without a barrier between them, are not put together.
  static constexpr uint32_t kVisits = 1 << 16;
  struct Site {
    uint32_t kind = 0, bytes = 0, visits = 0;
    uint64_t ungrouped = 0;
    std::unique_ptr<uint32_t[]> counts;  ///< visits of each lane
    std::vector<uint64_t> addresses;     ///< [visit][lane], where the lane came so often
  };
  void Open(Site& site) const { site.counts = std::make_unique<uint32_t[]>(lanes_); }

  uint32_t lanes_;
  std::vector<Site> sites_;
  std::vector<uint32_t> touched_;
};

}  // namespace subfloor::device::sim
