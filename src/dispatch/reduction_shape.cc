#include "dispatch/reduction_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "dispatch/physical_order.h"

namespace subfloor::dispatch {
namespace {

using What = ReductionProblem::What;

// What one block reaches in one go: 1024 threads of 16 elements a row, up to 8 batches; 128 elements a thread
// of a column that a warp of threads shares. Longer reductions are cut in two before dispatch.
constexpr int64_t kRowElements = 1024 * 16;
constexpr int64_t kBatches = 8;
constexpr int64_t kColumnElementsPerThread = 128;

// Neighbouring dimensions in memory that are all kept or all reduced, merged.
struct Run {
  bool reduced = false;
  int64_t size = 1;
};

std::vector<Run> Runs(const hlo::Instruction& reduce) {
  const Shape& shape = reduce.operand(0)->shape();
  const auto reduced = reduce.dimensions();
  std::vector<Run> runs;
  for (int64_t dimension : PhysicalOrder(shape)) {
    const bool is_reduced = std::ranges::find(reduced, dimension) != reduced.end();
    if (runs.empty() || runs.back().reduced != is_reduced) runs.push_back({is_reduced, 1});
    runs.back().size *= shape.dimension(dimension);
  }
  return runs;
}

}  // namespace

std::string ReductionShape::ToString() const {
  return fmt::format("{} [{},{},{}]", is_row() ? "row" : "column", dims[0], dims[1], dims[2]);
}

ReductionShape ReductionShapeOf(const hlo::Instruction& reduce) {
  using Kind = ReductionShape::Kind;
  const std::vector<Run> runs = Runs(reduce);
  if (runs.empty()) return {};
  const bool first_reduced = runs[0].reduced;
  if (runs.size() == 1) {
    if (first_reduced) return {Kind::kRow, {1, 1, runs[0].size}};
    return {Kind::kColumn, {1, 1, runs[0].size}};  // only dimensions of size 1 are reduced
  }
  if (runs.size() == 2) {
    if (first_reduced) return {Kind::kColumn, {1, runs[0].size, runs[1].size}};
    return {Kind::kRow, {1, runs[0].size, runs[1].size}};
  }
  return {first_reduced ? Kind::kRow : Kind::kColumn, {runs[0].size, runs[1].size, runs[2].size}};
}

bool ReducesContiguously(const hlo::Instruction& reduce) { return Runs(reduce).size() <= 3; }

ReductionProblem TiledIsSlower(const ReductionShape& shape, const device::DeviceDescription& device) {
  const int64_t warp = device.threads_per_warp;
  const auto [a, b, c] = shape.dims;
  if (shape.is_row()) {
    if (c >= warp || warp % c == 0) return {};
    return {What::kRowTooShort, c, warp};
  }
  // The fewer columns there are, the longer they must be before threads along them pay.
  int64_t wanted = warp;
  if (c < warp) wanted = 2 * warp;
  if (c < 8) wanted = 4 * warp;
  if (c < 3) wanted = 8 * warp;
  if (b < wanted) return {What::kColumnTooShort, b, wanted};
  return {};
}

ReductionProblem NotOneBlock(const ReductionShape& shape, const device::DeviceDescription& device) {
  const auto [a, b, c] = shape.dims;
  if (!shape.is_row()) {
    const int64_t most = device.threads_per_warp * kColumnElementsPerThread;
    return b <= most ? ReductionProblem{} : ReductionProblem{What::kColumnTooLong, b, most};
  }
  if (c > kRowElements) return {What::kRowTooLong, c, kRowElements};
  if (a > kBatches) return {What::kBatchTooLarge, a, kBatches};
  return {};
}

ReductionProblem WhyNoReductionHero(const hlo::Instruction& root, const hlo::Instruction& hero,
                                    const device::DeviceDescription& device) {
  if (hero.operand(0)->shape().element_count() == 0) return {What::kEmpty, 0, 1};
  if (!ReducesContiguously(hero)) return {What::kNotContiguous};
  const ReductionShape shape = ReductionShapeOf(hero);
  if (const ReductionProblem slower = TiledIsSlower(shape, device); slower.what != What::kNone) return slower;
  return &root == &hero ? ReductionProblem{} : NotOneBlock(shape, device);
}

}  // namespace subfloor::dispatch
