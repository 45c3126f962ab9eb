#include "dispatch/launch_plan/reduction_plan.h"

#include <algorithm>
#include <numeric>

#include "dispatch/element_bits.h"

namespace subfloor::dispatch {
namespace {

using decision::Fact;
using decision::Question;
using hlo::Instruction;

constexpr int64_t kMostRowThreads = 1024;
constexpr int64_t kRowElementsPerThread = 16;
constexpr int64_t kUsualThreads = 256;
constexpr int64_t kSide = 32;  // threads each way in column reductions

int64_t RoundUp(int64_t value, int64_t step) { return CeilDiv(value, step) * step; }

// Everything the four planners look at.
struct Input {
  const FusionView& fusion;
  std::span<const Instruction* const> heroes;
  const Instruction& hero;
  const device::DeviceDescription& device;
  const Asker& ask;
  ReductionShape shape;
  ReductionGroups groups;
  int64_t narrowest_in = 0, narrowest_out = 0;  // bits
  std::vector<int64_t> accumulator_bytes;       // of every value that is reduced, heroes once each
};

Input Collect(const FusionView& fusion, std::span<const Instruction* const> heroes, const Instruction& hero,
              const device::DeviceDescription& device, const Asker& ask) {
  Input input{fusion, heroes, hero, device, ask, {}, {}, 0, 0, {}};
  input.shape = ReductionShapeOf(hero);
  input.groups = GroupReductions(fusion, heroes, device);
  input.narrowest_in = NarrowestBits(fusion.parameters());
  input.narrowest_out = NarrowestBits(fusion.roots());
  std::vector<const Instruction*> seen;
  for (size_t i = 0; i < heroes.size(); ++i) {
    if (!input.groups.is_reduction[i] || std::ranges::find(seen, heroes[i]) != seen.end()) continue;
    seen.push_back(heroes[i]);
    for (const Shape* leaf : Leaves(heroes[i]->shape())) {
      input.accumulator_bytes.push_back(ByteWidth(leaf->element_type()));
    }
  }
  return input;
}

// Elements that a thread reads at once when `threads` go along a line of `minor`.
int64_t VectorFor(const Input& input, int64_t minor, int64_t threads) {
  const auto choose = [&]() -> int64_t {
    if (minor % 2 != 0 || 2 * threads > minor) return 1;
    for (const Instruction* hero : input.heroes) {
      for (const Instruction* operand : hero->operands()) {
        // A complex element is a vector already.
        if (IsComplex(operand->shape().element_type())) return 1;
      }
    }
    if (input.narrowest_in >= 64) return 1;  // loads of 16 bytes are slower than those of 8
    if (input.narrowest_in >= 32 || 4 * threads > minor) return 2;
    return minor % 4 == 0 ? 4 : 2;
  };
  const int64_t vector = choose();
  if (vector > 1) {
    input.ask(Question::kGpuVector, true, Fact::kVectorOf, vector, input.narrowest_in);
  } else {
    input.ask(Question::kGpuVector, false, Fact::kLineForThreads, minor, threads);
  }
  return vector;
}

int64_t SharedBytes(const Input& input, std::span<const int64_t> sizes) {
  int64_t elements = 1, bytes = 0;
  for (int64_t size : sizes) elements = SaturatingProduct(elements, size);
  for (int64_t width : input.accumulator_bytes) bytes += SaturatingProduct(elements, width);
  return sizes.empty() ? 0 : bytes;
}

// Completes a plan. False, and said so, if it does not fit.
template <typename Plan>
bool Finish(Plan& plan, const Input& input, int64_t blocks, int64_t threads, int64_t shared_bytes) {
  std::optional<Launch> launch = LaunchOf(blocks, threads, input.device);
  if (launch && input.groups.count > input.device.grid_limit[2]) launch.reset();
  if (launch) {
    launch->grid[2] = input.groups.count;
    launch->shared_bytes = shared_bytes;
  }
  if (!Fits(launch, SaturatingProduct(blocks, input.groups.count), threads, input.device, input.ask)) {
    return false;
  }
  plan.launch = *launch;
  plan.shape = input.shape;
  plan.groups = input.groups;
  plan.hero = &input.hero;
  return true;
}

ReductionPlan PlanRow(const Input& input) {
  const auto [batches, kept, minor] = input.shape.dims;
  RowReductionPlan plan;
  plan.warp = input.device.threads_per_warp;
  plan.reduced_threads = std::min(kMostRowThreads, RoundUp(CeilDiv(minor, kRowElementsPerThread), plan.warp));
  // Short rows leave a block small: more rows then.
  if (plan.reduced_threads * 2 <= kUsualThreads) {
    plan.kept_threads = std::min(kept, kUsualThreads / plan.reduced_threads);
  }
  plan.vector = VectorFor(input, minor, plan.reduced_threads);
  // A block goes through whole rows, however long, so that each output is stored once.
  plan.tile = CeilDiv(CeilDiv(minor, plan.vector), plan.reduced_threads);
  if (plan.warps_per_row() > 1) plan.shared_sizes = {plan.kept_threads, plan.warps_per_row()};
  if (!Finish(plan, input, CeilDiv(kept, plan.kept_threads), plan.kept_threads * plan.reduced_threads,
              SharedBytes(input, plan.shared_sizes))) {
    return std::monostate();
  }
  return plan;
}

int64_t KeptThreads(int64_t kept, int64_t reduced_threads) {
  return kept <= kUsualThreads / reduced_threads ? kept : kUsualThreads / reduced_threads;
}

// The plan with several rows a warp, without launch; nullopt, and said why, where rows do not divide a warp.
std::optional<MultiRowReductionPlan> TryMultiRow(const Input& input) {
  const auto [batches, kept, minor] = input.shape.dims;
  const int64_t warp = input.device.threads_per_warp;
  if ((minor & (minor - 1)) != 0) {
    input.ask(Question::kGpuMultiRow, false, Fact::kNotPowerOfTwo, minor);
    return std::nullopt;
  }
  // Rows are short, so outputs count as much as inputs: 8 bytes of the narrowest at once, no more than 16 of
  // the widest.
  const int64_t in = std::min(input.narrowest_in, input.narrowest_out);
  int64_t wide = std::max(input.narrowest_in, input.narrowest_out);
  if (input.fusion.parameters().empty()) wide = input.narrowest_out;
  int64_t vector = std::min(minor, std::max<int64_t>(1, 64 / in));
  if (wide >= 32) vector = std::min(vector, std::max<int64_t>(1, 128 / wide));
  const auto blocks = [&](int64_t v) { return CeilDiv(kept, KeptThreads(kept, minor / v)); };
  const auto past_warp = [&] {
    return !input.ask(Question::kGpuMultiRow, minor <= warp * vector,
                      minor <= warp * vector ? Fact::kRowsShareWarp : Fact::kRowPastWarp, minor,
                      minor <= warp * vector ? minor / vector : warp * vector);
  };
  if (minor > warp * vector) {
    past_warp();
    return std::nullopt;
  }
  // Every core should have a block.
  while (vector > 1 && blocks(vector) < input.device.core_count) vector /= 2;
  if (past_warp()) return std::nullopt;
  MultiRowReductionPlan plan;
  plan.vector = vector;
  plan.reduced_threads = minor / vector;
  plan.kept_threads = KeptThreads(kept, plan.reduced_threads);
  return plan;
}

ReductionPlan PlanColumn(const Input& input) {
  const auto [major, reduced, minor] = input.shape.dims;
  ColumnReductionPlan plan;
  plan.rows = kSide;
  plan.tile = CeilDiv(reduced, kSide);
  plan.vector = VectorFor(input, minor, kSide);
  const auto set_shared = [&] { plan.shared_sizes = {kSide, kSide * plan.vector + 1}; };
  set_shared();
  // Many results at once: fewer columns a block rather than none.
  while (plan.vector > 1 && SharedBytes(input, plan.shared_sizes) > input.device.shared_per_block_bytes) {
    plan.vector /= 2;
    set_shared();
  }
  plan.minor_blocks = CeilDiv(minor, kSide * plan.vector);
  if (!Finish(plan, input, SaturatingProduct(major, plan.minor_blocks), kSide * kSide,
              SharedBytes(input, plan.shared_sizes))) {
    return std::monostate();
  }
  return plan;
}

ReductionPlan PlanSmallColumn(const Input& input) {
  const auto [major, reduced, minor] = input.shape.dims;
  const int64_t line = reduced * minor;
  SmallColumnReductionPlan plan;
  plan.vector = VectorFor(input, line, kSide);
  plan.shared_rows = plan.vector * plan.threads / minor;
  // One shuffle folds at most 32 partial results.
  while (plan.shared_rows > kSide && plan.vector > 1) {
    plan.vector /= 2;
    plan.shared_rows /= 2;
  }
  if (plan.shared_rows > kSide) {
    plan.threads /= plan.shared_rows / kSide;
    plan.shared_rows = kSide;
  }
  plan.tile = CeilDiv(line, plan.vector * plan.threads);
  const bool unpadded = plan.threads == kSide && plan.vector == 1;
  plan.shared_sizes = {plan.shared_rows, minor + (unpadded ? 0 : CeilDiv(minor, plan.threads * plan.vector))};
  if (!Finish(plan, input, major, plan.threads, SharedBytes(input, plan.shared_sizes))) {
    return std::monostate();
  }
  return plan;
}

}  // namespace

ReductionPlan PlanReduction(const FusionView& fusion, std::span<const Instruction* const> heroes,
                            const Instruction& hero, const device::DeviceDescription& device,
                            const Asker& ask) {
  const Input input = Collect(fusion, heroes, hero, device, ask);
  if (input.shape.is_row()) {
    if (std::optional<MultiRowReductionPlan> plan = TryMultiRow(input)) {
      const int64_t kept = input.shape.dims[1];
      if (Finish(*plan, input, CeilDiv(kept, plan->kept_threads), plan->kept_threads * plan->reduced_threads,
                 0)) {
        return *plan;
      }
      return std::monostate();
    }
    return PlanRow(input);
  }
  const int64_t minor = input.shape.dims[2], warp = device.threads_per_warp;
  const bool small = warp % minor == 0;
  if (ask(Question::kGpuSmallColumn, small, small ? Fact::kColumnsDivideWarp : Fact::kColumnsDoNotDivide,
          minor, warp)) {
    ReductionPlan plan = PlanSmallColumn(input);
    if (!std::holds_alternative<std::monostate>(plan)) return plan;
  }
  return PlanColumn(input);
}

}  // namespace subfloor::dispatch
