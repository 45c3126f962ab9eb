#include "dispatch/launch_plan/launch.h"

#include <algorithm>
#include <limits>

namespace subfloor::dispatch {

int64_t SaturatingProduct(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

std::optional<Launch> LaunchOf(int64_t blocks, int64_t threads, const device::DeviceDescription& device) {
  Launch launch;
  launch.blocks = blocks;
  launch.block[0] = threads;
  const int64_t most_x = std::min(device.grid_limit[0], device.grid_threads_limit / threads);
  // Block counts are mostly products of powers of two: halving x wastes nothing as long as they are.
  for (int64_t y = 1;; y *= 2) {
    y = std::min(y, device.grid_limit[1]);
    const int64_t x = CeilDiv(blocks, y);
    if (x <= most_x) {
      launch.grid = {std::max<int64_t>(x, 1), y, 1};
      return launch;
    }
    if (y == device.grid_limit[1]) return std::nullopt;
  }
}

std::optional<Launch> LaunchOverElements(int64_t elements, int64_t per_thread,
                                         const device::DeviceDescription& device) {
  constexpr int64_t kWarps = 4;  // as many as a core issues from at a time
  if (elements <= 1) return LaunchOf(1, 1, device);
  const int64_t work = CeilDiv(elements, per_thread);
  const int64_t threads = std::min(kWarps * device.threads_per_warp, work);
  return LaunchOf(CeilDiv(work, threads), threads, device);
}

bool Fits(const std::optional<Launch>& launch, int64_t blocks, int64_t threads,
          const device::DeviceDescription& device, const Asker& ask) {
  using decision::Fact;
  constexpr auto kQuestion = decision::Question::kGpuPlanFits;
  if (!launch) return ask(kQuestion, false, Fact::kGridTooLarge, blocks, threads);
  if (launch->shared_bytes > device.shared_per_block_bytes) {
    return ask(kQuestion, false, Fact::kSharedTooLarge, launch->shared_bytes, device.shared_per_block_bytes);
  }
  return ask(kQuestion, true, Fact::kPlanFits, launch->blocks, launch->threads_per_block());
}

bool IsLegal(const Launch& launch, const device::DeviceDescription& device) {
  for (size_t i = 0; i < 3; ++i) {
    if (launch.grid[i] < 1 || launch.grid[i] > device.grid_limit[i]) return false;
    if (launch.block[i] < 1 || launch.block[i] > device.block_limit[i]) return false;
    if (SaturatingProduct(launch.grid[i], launch.block[i]) > device.grid_threads_limit) return false;
  }
  return launch.threads_per_block() <= device.threads_per_block_limit && launch.blocks >= 1 &&
         launch.blocks <= SaturatingProduct(launch.grid[0], launch.grid[1]) && launch.shared_bytes >= 0 &&
         launch.shared_bytes <= device.shared_per_block_bytes;
}

}  // namespace subfloor::dispatch
