#include "dispatch/launch_plan/scatter_plan.h"

#include <algorithm>
#include <numeric>

#include "dispatch/element_bits.h"
#include "dispatch/launch_plan/loop_plan.h"

namespace subfloor::dispatch {
namespace {

using decision::Fact;
using decision::Question;
using hlo::Instruction;

constexpr int64_t kWarpsPerBlock = 4;
constexpr int64_t kVectorBits = 128;

int64_t Targets(const Instruction& scatter) { return scatter.operand_count() / 2; }
const Shape& Indices(const Instruction& scatter) { return scatter.operand(Targets(scatter))->shape(); }
const Shape& Updates(const Instruction& scatter) { return scatter.operand(Targets(scatter) + 1)->shape(); }

// The size that a slice has along each of the operand's dimensions.
std::vector<int64_t> SliceSizes(const Instruction& scatter) {
  const auto& attributes = scatter.As<hlo::ScatterAttributes>();
  std::vector<int64_t> sizes(static_cast<size_t>(scatter.operand(0)->shape().rank()), 1);
  size_t window = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (std::ranges::find(attributes.inserted_window_dims, static_cast<int64_t>(i)) !=
        attributes.inserted_window_dims.end()) {
      continue;
    }
    if (window < attributes.update_window_dims.size()) {
      sizes[i] = Updates(scatter).dimension(attributes.update_window_dims[window++]);
    }
  }
  return sizes;
}

Status CheckForm(const Instruction& scatter) {
  const auto& attributes = scatter.As<hlo::ScatterAttributes>();
  const Shape& updates = Updates(scatter);
  if (!attributes.input_batching_dims.empty() || !attributes.scatter_indices_batching_dims.empty()) {
    return NotSupported("scatter with batching dimensions; indices that hold the batch would work");
  }
  if (attributes.index_vector_dim < Indices(scatter).rank() - 1) {
    return NotSupported("scatter whose index vectors are dimension {} of {}; the last would work",
                        attributes.index_vector_dim, Indices(scatter).rank());
  }
  const int64_t first_window = updates.rank() - static_cast<int64_t>(attributes.update_window_dims.size());
  for (size_t i = 0; i < attributes.update_window_dims.size(); ++i) {
    const int64_t wanted = first_window + static_cast<int64_t>(i);
    if (attributes.update_window_dims[i] != wanted) {
      return NotSupported("scatter whose window dimension {} is {} of its updates; {} would work", i,
                          attributes.update_window_dims[i], wanted);
    }
  }
  return {};
}

// The most elements of a slice that each lane of a warp takes at once without lanes left idle.
int64_t SliceVector(int64_t slice_elements, int64_t bits, int64_t warp) {
  int64_t vector = std::gcd(slice_elements, std::max<int64_t>(1, kVectorBits / bits));
  while (vector > 1 && warp * vector > slice_elements) vector /= 2;
  return vector;
}

// Sorted indices repeat one after the other: a warp that takes several in order writes once a run. Worth it
// when every core has its warps and there are more slices than places.
bool TakesRuns(const ScatterPlan& plan, int64_t places, int64_t busy_warps, const Asker& ask) {
  const auto& attributes = plan.scatter->As<hlo::ScatterAttributes>();
  const auto no = [&](Fact fact, int64_t a = 0, int64_t b = 0) {
    return ask(Question::kGpuIndexRuns, false, fact, a, b);
  };
  if (!attributes.indices_are_sorted) return no(Fact::kIndicesUnsorted);
  if (attributes.unique_indices) return no(Fact::kIndicesUnique);
  if (Targets(*plan.scatter) > 1) return no(Fact::kSeveralTargets, Targets(*plan.scatter));
  if (plan.slices <= busy_warps) return no(Fact::kFewSlices, plan.slices, busy_warps);
  if (plan.slices <= places) return no(Fact::kRunsOfOne, plan.slices, places);
  return ask(Question::kGpuIndexRuns, true, Fact::kSortedRuns, plan.slices, places);
}

}  // namespace

int64_t PossibleIndices(const Instruction& scatter) {
  const std::vector<int64_t> sizes = SliceSizes(scatter);
  int64_t possible = 1;
  for (int64_t dimension : scatter.As<hlo::ScatterAttributes>().scatter_dims_to_operand_dims) {
    const int64_t starts =
        scatter.operand(0)->shape().dimension(dimension) - sizes[static_cast<size_t>(dimension)] + 1;
    possible = SaturatingProduct(possible, std::max<int64_t>(starts, 1));
  }
  return possible;
}

Result<ScatterPlan> PlanScatter(const FusionView& fusion, const Instruction& scatter,
                                const device::DeviceDescription& device, const Asker& ask) {
  SF_CHECK(CheckForm(scatter));
  ScatterPlan plan;
  plan.scatter = &scatter;
  const auto& attributes = scatter.As<hlo::ScatterAttributes>();
  const Shape& updates = Updates(scatter);
  const int64_t first_window = updates.rank() - static_cast<int64_t>(attributes.update_window_dims.size());
  plan.slices = plan.slice_elements = 1;
  for (int64_t i = 0; i < updates.rank(); ++i) {
    int64_t& side = i < first_window ? plan.slices : plan.slice_elements;
    side = SaturatingProduct(side, updates.dimension(i));
  }
  plan.index_length = static_cast<int64_t>(attributes.scatter_dims_to_operand_dims.size());

  const int64_t busy_warps = kWarpsPerBlock * device.core_count;
  const int64_t places = std::max(busy_warps, PossibleIndices(scatter));
  std::optional<Launch> launch;
  if (updates.element_count() > 0 && TakesRuns(plan, places, busy_warps, ask)) {
    plan.per_index_run = true;
    plan.warps_per_block = kWarpsPerBlock;
    plan.vector = SliceVector(plan.slice_elements, BitWidth(updates.element_type()), device.threads_per_warp);
    plan.indices_per_warp = CeilDiv(plan.slices, places);
    const int64_t index_vector =
        std::max<int64_t>(1, kVectorBits / std::max(8, BitWidth(Indices(scatter).element_type())));
    if (plan.index_length == 1 && plan.indices_per_warp > index_vector) {
      plan.index_vector = index_vector;
      plan.indices_per_warp = CeilDiv(plan.indices_per_warp, index_vector) * index_vector;
    }
    plan.passes = CeilDiv(plan.slice_elements, device.threads_per_warp * plan.vector);
    launch = LaunchOf(CeilDiv(plan.slices, plan.indices_per_warp * kWarpsPerBlock),
                      kWarpsPerBlock * device.threads_per_warp, device);
  } else {
    const int64_t elements = updates.element_count();
    plan.vector = std::gcd(plan.slice_elements, LoopVector(fusion, GpuKind::kScatter, elements, device, ask));
    plan.vector = std::max<int64_t>(plan.vector, 1);
    // Whole warps, so that lanes may work together.
    launch = LaunchOverElements(elements, plan.vector, device);
    if (launch) {
      launch->block[0] = CeilDiv(launch->block[0], device.threads_per_warp) * device.threads_per_warp;
    }
    plan.warps_per_block = launch ? launch->block[0] / device.threads_per_warp : 0;
  }
  if (!Fits(launch, updates.element_count(), 1, device, ask)) {
    return NotSupported("scatter of {} update elements; no grid of {} holds that many",
                        updates.element_count(), device.name);
  }
  plan.launch = *launch;
  return plan;
}

}  // namespace subfloor::dispatch
