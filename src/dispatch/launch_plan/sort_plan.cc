#include "dispatch/launch_plan/sort_plan.h"

#include <algorithm>
#include <bit>

namespace subfloor::dispatch {
namespace {

constexpr int64_t kElementsPerThread = 4;

}  // namespace

std::optional<SortPlan> PlanSort(const hlo::Instruction& sort, const device::DeviceDescription& device,
                                 const Asker& ask) {
  SortPlan plan;
  const Shape& keys = sort.operand(0)->shape();
  if (keys.element_count() == 0) return plan;
  plan.dimension = sort.As<hlo::SortAttributes>().dimensions[0];
  plan.size = keys.dimension(plan.dimension);
  const int64_t rows = keys.element_count() / plan.size;
  while (plan.stages < 62 && (int64_t{1} << plan.stages) < plan.size) ++plan.stages;
  if (plan.stages == 0) return plan;  // rows of one are in order
  const int64_t rounded = int64_t{1} << plan.stages;

  int64_t element_bytes = 0;
  for (const hlo::Instruction* operand : sort.operands()) {
    element_bytes += ByteWidth(operand->shape().element_type());
  }
  const int64_t fitting = device.shared_per_block_bytes / element_bytes;
  // With less than two elements in shared memory every mask goes over global memory.
  plan.tile =
      std::min({device.threads_per_block_limit * kElementsPerThread, std::max<int64_t>(fitting, 1), rounded});
  plan.tile = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(plan.tile)));

  const std::optional<Launch> single =
      LaunchOverElements(SaturatingProduct(rows, CeilDiv(rounded / 2, kElementsPerThread)), 1, device);
  const int64_t threads = std::max<int64_t>(1, plan.tile / kElementsPerThread);
  const int64_t padded = CeilDiv(plan.size, plan.tile) * plan.tile;
  const int64_t blocks = CeilDiv(SaturatingProduct(rows, CeilDiv(padded, kElementsPerThread)), threads);
  std::optional<Launch> tiled = LaunchOf(blocks, threads, device);
  if (tiled) tiled->shared_bytes = plan.tile * element_bytes;
  if (!Fits(single ? tiled : single, blocks, threads, device, ask)) return std::nullopt;

  std::vector<int64_t> run;
  const auto flush = [&] {
    if (run.empty()) return;
    const bool through_shared = run.size() > 1;
    plan.kernels.push_back({through_shared ? *tiled : *single, std::move(run), through_shared});
    run.clear();
  };
  for (int64_t stage = 0; stage < plan.stages; ++stage) {
    for (int64_t bit = stage; bit >= 0; --bit) {
      const int64_t mask = bit == stage ? (int64_t{1} << (stage + 1)) - 1 : int64_t{1} << bit;
      if (mask >= plan.tile) flush();
      run.push_back(mask);
      if (mask >= plan.tile) flush();
    }
  }
  flush();
  return plan;
}

}  // namespace subfloor::dispatch
