#include "driver/describe_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace subfloor::driver {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

class Describe {
 public:
  explicit Describe(Rows& rows) : rows_(rows) {}

  void operator()(const std::monostate&) const {}
  void operator()(const dispatch::LoopPlan& plan) const {
    Add("elements", plan.elements);
    Add("vector", plan.vector);
  }
  void operator()(const dispatch::ConcatenatePlan& plan) const {
    Add("elements", plan.elements);
    Add("vector", plan.vector);
    Add("largest_operand", plan.largest_operand);
  }
  void operator()(const dispatch::InPlaceUpdatePlan& plan) const {
    Add("elements", plan.elements);
    Add("vector", plan.vector);
    Add("updates", static_cast<int64_t>(plan.updates.size()));
  }
  void operator()(const dispatch::ScatterPlan& plan) const {
    Add("slices", plan.slices);
    Add("slice_elements", plan.slice_elements);
    Add("vector", plan.vector);
    if (plan.per_index_run) {
      Add("indices_per_warp", plan.indices_per_warp);
      Add("index_vector", plan.index_vector);
      Add("passes", plan.passes);
    }
  }
  void operator()(const dispatch::TiledTransposePlan& plan) const {
    Transpose(plan.shape, plan.vector, plan.block_sizes, plan.block_counts);
    Add("rows_at_once", plan.rows);
  }
  void operator()(const dispatch::PackedTransposePlan& plan) const {
    Transpose(plan.shape, plan.vector, plan.output_tile, plan.block_counts);
    Add("groups", plan.groups);
  }
  void operator()(const dispatch::RowReductionPlan& plan) const {
    Reduction(plan);
    Add("kept_threads", plan.kept_threads);
    Add("reduced_threads", plan.reduced_threads);
    Add("tile", plan.tile);
  }
  void operator()(const dispatch::MultiRowReductionPlan& plan) const {
    Reduction(plan);
    Add("kept_threads", plan.kept_threads);
    Add("reduced_threads", plan.reduced_threads);
  }
  void operator()(const dispatch::ColumnReductionPlan& plan) const {
    Reduction(plan);
    Add("rows", plan.rows);
    Add("tile", plan.tile);
    Add("minor_blocks", plan.minor_blocks);
  }
  void operator()(const dispatch::SmallColumnReductionPlan& plan) const {
    Reduction(plan);
    Add("tile", plan.tile);
    Add("shared_rows", plan.shared_rows);
  }
  void operator()(const dispatch::SortPlan& plan) const {
    Add("size", plan.size);
    Add("stages", plan.stages);
    Add("tile", plan.tile);
  }

 private:
  void Add(std::string_view name, int64_t value) const {
    rows_.emplace_back(std::string(name), fmt::format("{}", value));
  }
  void Add(std::string_view name, const std::vector<int64_t>& values) const {
    rows_.emplace_back(std::string(name), fmt::format("[{}]", fmt::join(values, ",")));
  }
  void Transpose(const dispatch::TransposeShape& shape, int64_t vector, const std::vector<int64_t>& tile,
                 const std::vector<int64_t>& tiles) const {
    Add("input", shape.input());
    Add("permutation", shape.permutation);
    Add("tile", tile);
    Add("tiles", tiles);
    Add("vector", vector);
  }
  void Reduction(const dispatch::ReductionPlanBase& plan) const {
    rows_.emplace_back("shape", plan.shape.ToString());
    Add("vector", plan.vector);
    Add("groups", plan.groups.count);
  }

  Rows& rows_;
};

}  // namespace

Rows DescribePlan(const dispatch::LaunchPlan& plan) {
  Rows rows;
  std::visit(Describe(rows), plan);
  return rows;
}

int64_t KernelCount(const dispatch::LaunchPlan& plan) {
  if (const auto* sort = std::get_if<dispatch::SortPlan>(&plan)) {
    return static_cast<int64_t>(sort->kernels.size());
  }
  return std::holds_alternative<std::monostate>(plan) ? 0 : 1;
}

}  // namespace subfloor::driver
