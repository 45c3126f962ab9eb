#pragma once

#include <cstdint>
#include <vector>

#include "device/sim/access_log.h"
#include "device/sim/initialised_bytes.h"
#include "device/sim/launch.h"
#include "device/sim/race_shadow.h"
#include "device/sim/sim_thread.h"

namespace subfloor::device::sim {

/// Looks at every access of a checked kernel: is it within an argument, were the bytes written before they
/// are read, does it race? And logs it for the counters.
class AccessChecker {
 public:
  /// A log for each warp of a block that synchronises; else one for all, flushed between warps. The launch
  /// and the lists outlive the checker.
  AccessChecker(const Launch& launch, uint32_t threads_per_warp, FindingList& findings,
                std::vector<SiteCounters>& counters);

  void StartBlock(uint64_t block, std::byte* shared);
  /// All threads of the block have met.
  void Meet();
  /// What was logged is counted.
  void Flush();

  /// As SubfloorThreadHooks::access.
  void* Access(const SimThread& thread, uint32_t site, void* address, uint32_t bytes, uint32_t kind);

 private:
  // A region that accesses may fall into.
  struct Region {
    bool Holds(const std::byte* address, uint64_t bytes) const {
      const auto offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(data);
      return offset < size && bytes <= size - offset;
    }
    std::byte* data;
    uint64_t size;
    int argument;     ///< Finding::argument
    uint64_t offset;  ///< of `data` in what the shadows cover
    InitialisedBytes* initialised;
    RaceShadow* races;
  };

  /// Another region that the site may access and that holds the bytes; null if there is none.
  const Region* FindOther(uint32_t site, const std::byte* address, uint64_t bytes);
  void* OutOfBounds(const SimThread& thread, uint32_t site, const std::byte* address, uint32_t bytes,
                    bool shared);
  void Fill(Finding& finding, const SimThread& thread, const Region& region, uint64_t offset,
            uint32_t bytes) const;
  void AddRace(const SimThread& thread, uint32_t site, const Region& region, uint64_t offset, uint32_t bytes,
               AccessStamp other);

  const Launch& launch_;
  FindingList& findings_;
  std::vector<SiteCounters>& counters_;
  std::vector<Region> regions_;
  Region nowhere_ = {};
  std::vector<const Region*> last_region_;  ///< by site: where it accessed last
  InitialisedBytes shared_initialised_;
  RaceShadow shared_races_;
  Region shared_;
  std::vector<AccessLog> logs_;
  bool log_by_warp_;
  uint64_t block_ = 0, barriers_ = 0;
  std::vector<std::byte> spare_;
};

}  // namespace subfloor::device::sim
