#include "codegen/emitters/gpu/reduction.h"

/// Reductions across rows: of wide ones, and of rows that divide a warp.
namespace subfloor::codegen::emitters {

using indexing::Bound;

namespace {

// Partial results of all folds in shared memory, [rows, columns padded].
struct Partial {
  std::vector<std::vector<mlir::Value>> shared;
  int64_t stride = 1;

  Partial(const ReductionGroup& group, std::span<const int64_t> sizes) : stride(sizes.back()) {
    for (const ThreadFold& fold : group.folds()) shared.push_back(fold.SharedStates(sizes));
  }
  void Store(const ReductionGroup& group, indexing::Context& c, const ReductionGroup::States& states,
             Expr row, Expr column) const {
    Expr at = c.Add(c.Mul(row, stride), column);
    for (size_t f = 0; f < shared.size(); ++f) group.folds()[f].Store(states[f], shared[f], at);
  }
  ReductionGroup::States Load(const ReductionGroup& group, indexing::Context& c, Expr row,
                              Expr column) const {
    Expr at = c.Add(c.Mul(row, stride), column);
    ReductionGroup::States states;
    for (size_t f = 0; f < shared.size(); ++f) states.push_back(group.folds()[f].Load(shared[f], at));
    return states;
  }
};

}  // namespace

Status EmitGpuColumnReduction(GpuKernel& kernel, const dispatch::ColumnReductionPlan& plan) {
  constexpr int64_t kLanes = 32;
  Emission& e = kernel.emission;
  indexing::Context& c = e.exprs();
  const auto [batches, rows, columns] = plan.shape.dims;
  return kernel.InLogicalBlock([&](Expr block) -> Status {
    Expr thread = kernel.Thread(sf::Dimension::x);
    Expr own_row = c.FloorDiv(thread, kLanes), lane = c.Mod(thread, kLanes);
    Expr batch = c.FloorDiv(block, plan.minor_blocks);
    Expr first_column = c.Mul(c.Mod(block, plan.minor_blocks), kLanes * plan.vector);
    return ForEachGroup(kernel, plan, [&](ReductionGroup& group) -> Status {
      using States = ReductionGroup::States;
      const Partial partial(group, plan.shared_sizes);
      // Neighbouring columns are folded one after the other: states of all of them would be registers.
      for (int64_t v = 0; v < plan.vector; ++v) {
        Expr within = c.Add(c.Mul(lane, plan.vector), v);
        Expr column = c.Add(first_column, within);
        States states = SF_TRY(group.Fresh());
        states = SF_TRY(group.Loop(plan.tile, states, [&](Expr i, const States& before) {
          Expr row = c.Add(own_row, c.Mul(i, plan.rows));
          const Bound bounds[] = {{row, 0, rows - 1}, {column, 0, columns - 1}};
          return group.AddWhere(bounds, before, [&] {
            Expr line = c.Add(c.Mul(batch, rows), kernel.Within(row, rows));
            return c.Add(c.Mul(line, columns), kernel.Within(column, columns));
          });
        }));
        partial.Store(group, c, states, own_row, within);
      }
      kernel.Barrier();
      // Warp w folds the columns w, w + rows, ... of the tile: a lane a partial result.
      const int64_t tile_columns = kLanes * plan.vector;
      SF_CHECK(e.Loop(
          0, dispatch::CeilDiv(tile_columns, plan.rows), {}, [&](Expr k, mlir::ValueRange) -> Result<Values> {
            Expr within = c.Add(own_row, c.Mul(k, plan.rows));
            const bool exact = within->range.high < tile_columns && plan.rows == kLanes;
            if (!exact) return InternalError("a column reduction of {} rows a block", plan.rows);
            States states = partial.Load(group, c, lane, within);
            states = SF_TRY(group.FoldLanes(std::move(states), kLanes / 2));
            Expr column = c.Add(first_column, within);
            const Bound stores[] = {{lane, 0, 0}, {column, 0, columns - 1}};
            SF_CHECK(kernel.Where(stores, [&] {
              return group.StoreResults(states, c.Add(c.Mul(batch, columns), kernel.Within(column, columns)));
            }));
            return Values{};
          }));
      return {};
    });
  });
}

Status EmitGpuSmallColumnReduction(GpuKernel& kernel, const dispatch::SmallColumnReductionPlan& plan) {
  Emission& e = kernel.emission;
  indexing::Context& c = e.exprs();
  const auto [batches, rows, columns] = plan.shape.dims;
  const int64_t line = rows * columns;
  return kernel.InLogicalBlock([&](Expr batch) -> Status {
    Expr thread = kernel.Thread(sf::Dimension::x);
    return ForEachGroup(kernel, plan, [&](ReductionGroup& group) -> Status {
      using States = ReductionGroup::States;
      const Partial partial(group, plan.shared_sizes);
      for (int64_t v = 0; v < plan.vector; ++v) {
        Expr number = c.Add(c.Mul(thread, plan.vector), v);
        States states = SF_TRY(group.Fresh());
        states = SF_TRY(group.Loop(plan.tile, states, [&](Expr i, const States& before) {
          Expr at = c.Add(number, c.Mul(i, plan.threads * plan.vector));
          const Bound bound{at, 0, line - 1};
          return group.AddWhere({&bound, 1}, before,
                                [&] { return c.Add(c.Mul(batch, line), kernel.Within(at, line)); });
        }));
        partial.Store(group, c, states, c.FloorDiv(number, columns), c.Mod(number, columns));
      }
      kernel.Barrier();
      // Neighbouring threads take the partial results of one column.
      SF_CHECK(e.Loop(0, plan.vector, {}, [&](Expr k, mlir::ValueRange) -> Result<Values> {
        Expr number = c.Add(thread, c.Mul(k, plan.threads));
        Expr column = c.FloorDiv(number, plan.shared_rows), row = c.Mod(number, plan.shared_rows);
        States states = partial.Load(group, c, row, column);
        states = SF_TRY(group.FoldLanes(std::move(states), plan.shared_rows / 2));
        SF_CHECK(kernel.Where(
            row, 0, 0, [&] { return group.StoreResults(states, c.Add(c.Mul(batch, columns), column)); }));
        return Values{};
      }));
      return {};
    });
  });
}

}  // namespace subfloor::codegen::emitters
