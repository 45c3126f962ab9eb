#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "base/error.h"
#include "device/executor.h"
#include "device/sim/initialised_bytes.h"
#include "device/sim/race_shadow.h"

namespace subfloor::device::sim {

/// Memory that the simulated device gave out, with what is known of each byte.
struct Allocation {
  static constexpr uint64_t kRedZone = 4096;

  Allocation(std::byte* mapped, uint64_t mapped_bytes, uint64_t size_bytes)
      : mapped(mapped),
        mapped_bytes(mapped_bytes),
        data(mapped + kRedZone),
        size(size_bytes),
        initialised(size_bytes) {}
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  /// The shadow is made when a checked kernel comes for the first time.
  RaceShadow& races() {
    if (races_ == nullptr) races_ = std::make_unique<RaceShadow>(size);
    return *races_;
  }
  /// The offset of a byte of the red zones that is not as it was made, and it is made so again.
  std::optional<int64_t> MendRedZones();

  std::byte* const mapped;
  const uint64_t mapped_bytes;
  std::byte* const data;
  const uint64_t size;
  InitialisedBytes initialised;

 private:
  std::unique_ptr<RaceShadow> races_;
};

/// All memory of one simulated device. Each allocation lies between red zones, filled with a pattern; new
/// memory holds bytes of ones: NaN as floating point, -1 as an integer. Threads: one at a time.
class DeviceHeap {
 public:
  explicit DeviceHeap(uint64_t capacity_bytes) : capacity_(capacity_bytes) {}

  Result<DeviceMemory> Allocate(uint64_t size_bytes);
  Status Free(DeviceMemory memory);

  /// The allocation that holds all of `memory`. Errors: bad input, saying what it is instead.
  Result<Allocation*> Find(DeviceMemory memory) const;

 private:
  uint64_t capacity_, used_ = 0;
  std::map<std::byte*, std::unique_ptr<Allocation>> allocations_;  ///< by the address of the data
};

}  // namespace subfloor::device::sim
