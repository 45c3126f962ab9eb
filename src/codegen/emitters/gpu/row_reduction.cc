#include "codegen/emitters/gpu/reduction.h"

/// Reductions along rows: of several warps a row, and of several rows a warp.
namespace subfloor::codegen::emitters {

using indexing::Bound;

Status EmitGpuRowReduction(GpuKernel& kernel, const dispatch::RowReductionPlan& plan) {
  Emission& e = kernel.emission;
  indexing::Context& c = e.exprs();
  const auto [batches, rows, columns] = plan.shape.dims;
  return kernel.InLogicalBlock([&](Expr block) -> Status {
    Expr thread = kernel.Thread(sf::Dimension::x);
    Expr own_row = c.FloorDiv(thread, plan.reduced_threads), place = c.Mod(thread, plan.reduced_threads);
    Expr row = c.Add(c.Mul(block, plan.kept_threads), own_row);
    return ForEachGroup(kernel, plan, [&](ReductionGroup& group) -> Status {
      using States = ReductionGroup::States;
      const auto add_vector = [&](Expr batch, Expr first, const States& states) -> Result<States> {
        const bool whole = columns % plan.vector == 0;
        const auto add = [&](Expr column, const States& before) {
          const Bound bounds[] = {{row, 0, rows - 1}, {column, 0, columns - 1}};
          return group.AddWhere(bounds, before, [&] {
            Expr line = c.Add(c.Mul(batch, rows), kernel.Within(row, rows));
            return c.Add(c.Mul(line, columns), kernel.Within(column, columns));
          });
        };
        if (plan.vector == 1) return add(first, states);
        if (!whole) {
          return group.Loop(plan.vector, states,
                            [&](Expr i, const States& before) { return add(c.Add(first, i), before); });
        }
        const Bound bounds[] = {{row, 0, rows - 1}, {first, 0, columns - plan.vector}};
        return group.AddWhere(bounds, states, [&] {
          // Known to begin a whole vector: the division by its size says so.
          Expr number = kernel.Within(c.FloorDiv(first, plan.vector), columns / plan.vector);
          Expr line = c.Add(c.Mul(batch, rows), kernel.Within(row, rows));
          Expr column = c.Add(c.Mul(number, plan.vector), e.NewLane(plan.vector));
          return c.Add(c.Mul(line, columns), column);
        });
      };
      States states = SF_TRY(group.Fresh());
      states = SF_TRY(group.Loop(batches, states, [&](Expr batch, const States& of_batch) {
        return group.Loop(plan.tile, of_batch, [&](Expr i, const States& before) {
          Expr number = c.Add(c.Mul(i, plan.reduced_threads), place);
          return add_vector(batch, c.Mul(number, plan.vector), before);
        });
      }));
      states = SF_TRY(group.FoldLanes(std::move(states), plan.warp / 2));
      const int64_t warps = plan.warps_per_row();
      if (warps > 1) {
        // The warps' results meet in shared memory; the row's first warp folds them.
        Expr warp = c.FloorDiv(place, plan.warp), lane = c.Mod(place, plan.warp);
        std::vector<std::vector<mlir::Value>> shared;
        for (const ThreadFold& fold : group.folds()) shared.push_back(fold.SharedStates(plan.shared_sizes));
        SF_CHECK(kernel.Where(lane, 0, 0, [&]() -> Status {
          Expr at = c.Add(c.Mul(own_row, warps), warp);
          for (size_t f = 0; f < shared.size(); ++f) group.folds()[f].Store(states[f], shared[f], at);
          return {};
        }));
        kernel.Barrier();
        for (size_t f = 0; f < shared.size(); ++f) {
          const ThreadFold& fold = group.folds()[f];
          const ThreadFold::State fresh = SF_TRY(fold.Fresh());
          const Bound bound{place, 0, warps - 1};
          states[f] = SF_TRY(e.If(
              e.Holds({&bound, 1}), fold.types(),
              [&]() -> Result<Values> {
                return fold.Load(shared[f], c.Add(c.Mul(own_row, warps), kernel.Within(place, warps)));
              },
              [&]() -> Result<Values> { return fresh; }));
        }
        states = SF_TRY(group.FoldLanes(std::move(states), plan.warp / 2));
      }
      const Bound stores[] = {{place, 0, 0}, {row, 0, rows - 1}};
      return kernel.Where(stores, [&] { return group.StoreResults(states, kernel.Within(row, rows)); });
    });
  });
}

Status EmitGpuMultiRowReduction(GpuKernel& kernel, const dispatch::MultiRowReductionPlan& plan) {
  Emission& e = kernel.emission;
  indexing::Context& c = e.exprs();
  const auto [batches, rows, columns] = plan.shape.dims;
  return kernel.InLogicalBlock([&](Expr block) -> Status {
    Expr thread = kernel.Thread(sf::Dimension::x);
    Expr place = c.Mod(thread, plan.reduced_threads);
    Expr row = c.Add(c.Mul(block, plan.kept_threads), c.FloorDiv(thread, plan.reduced_threads));
    return ForEachGroup(kernel, plan, [&](ReductionGroup& group) -> Status {
      using States = ReductionGroup::States;
      States states = SF_TRY(group.Fresh());
      states = SF_TRY(group.Loop(batches, states, [&](Expr batch, const States& before) {
        const Bound bound{row, 0, rows - 1};
        return group.AddWhere({&bound, 1}, before, [&] {
          Expr line = c.Add(c.Mul(batch, rows), kernel.Within(row, rows));
          Expr column = c.Mul(place, plan.vector);
          if (plan.vector > 1) column = c.Add(column, e.NewLane(plan.vector));
          return c.Add(c.Mul(line, columns), column);
        });
      }));
      states = SF_TRY(group.FoldLanes(std::move(states), plan.reduced_threads / 2));
      const Bound stores[] = {{place, 0, 0}, {row, 0, rows - 1}};
      return kernel.Where(stores, [&] { return group.StoreResults(states, kernel.Within(row, rows)); });
    });
  });
}

}  // namespace subfloor::codegen::emitters
