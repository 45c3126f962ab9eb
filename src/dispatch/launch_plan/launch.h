#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "device/description/device_description.h"
#include "dispatch/asker.h"

namespace subfloor::dispatch {

/// How a kernel is launched. Legal for the device it was planned for.
///
/// A kernel of `blocks` logical blocks finds its own as  x + grid[0] * y  and does nothing when that is
/// `blocks` or more: a grid too long for one dimension is folded over two, and may have blocks to spare. z is
/// free for the plan's own use (groups of outputs in reductions).
struct Launch {
  std::array<int64_t, 3> grid = {1, 1, 1};   ///< blocks along x, y, z
  std::array<int64_t, 3> block = {1, 1, 1};  ///< threads along x, y, z
  int64_t blocks = 1;                        ///< logical blocks along x and y together
  int64_t shared_bytes = 0;                  ///< static, over all arrays of the kernel

  int64_t threads_per_block() const { return block[0] * block[1] * block[2]; }
  bool operator==(const Launch&) const = default;
};

/// The launch of so many logical blocks, or nullopt when no grid of the device holds them.
/// Precondition: threads within the device's limits.
std::optional<Launch> LaunchOf(int64_t blocks, int64_t threads, const device::DeviceDescription& device);

/// One thread for every `per_thread` elements, four warps a block; a block no larger than there is work.
std::optional<Launch> LaunchOverElements(int64_t elements, int64_t per_thread,
                                         const device::DeviceDescription& device);

/// Says in the log whether the launch, if there is one, fits the device: grid and shared memory.
bool Fits(const std::optional<Launch>& launch, int64_t blocks, int64_t threads,
          const device::DeviceDescription& device, const Asker& ask);

/// Every limit of the device kept: what the planners promise and tests check.
bool IsLegal(const Launch& launch, const device::DeviceDescription& device);

/// a / b rounded up, for a >= 0 and b > 0, whatever their size.
constexpr int64_t CeilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }
/// a * b, or the largest number when that is too large. Both 0 or more.
int64_t SaturatingProduct(int64_t a, int64_t b);

}  // namespace subfloor::dispatch
