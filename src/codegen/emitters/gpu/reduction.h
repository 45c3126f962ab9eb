#pragma once

#include <functional>
#include <span>
#include <vector>

#include "codegen/emitters/gpu/thread_fold.h"

/// What the four reductions share; inside emitters/gpu only.
namespace subfloor::codegen::emitters {

/// The outputs that one group of blocks makes, and the folds behind them.
class ReductionGroup {
 public:
  using States = std::vector<ThreadFold::State>;  ///< one a fold

  static Result<ReductionGroup> Of(GpuKernel& kernel, const dispatch::ReductionPlanBase& plan, int64_t group);

  std::span<const ThreadFold> folds() const { return folds_; }
  Result<States> Fresh() const;
  /// The states with the element of the input space [a, b, c] at this linear position folded in, or lanes of
  /// them; side outputs are written there.
  Result<States> AddAt(const States& states, Expr linear);
  /// The same where the bounds hold, and the states as they are elsewhere.
  Result<States> AddWhere(std::span<const indexing::Bound> bounds, const States& states,
                          const std::function<Expr()>& linear);
  /// for i in [0, count): states = body(i, states).
  Result<States> Loop(int64_t count, const States& states,
                      const std::function<Result<States>(Expr, const States&)>& body);
  Result<States> FoldLanes(States states, int64_t distance) const;
  /// The outputs of the reduces at this linear position of their results, computed from `states`.
  Status StoreResults(const States& states, Expr linear);

 private:
  explicit ReductionGroup(GpuKernel& kernel) : kernel_(&kernel) {}
  Values Flatten(const States& states) const;
  States Unflatten(mlir::ValueRange values) const;
  std::vector<mlir::Type> types() const;

  GpuKernel* kernel_;
  std::vector<ThreadFold> folds_;         // of distinct heroes
  std::vector<size_t> reduced_, beside_;  // outputs
};

/// emit(group) for this block's group.
Status ForEachGroup(GpuKernel& kernel, const dispatch::ReductionPlanBase& plan,
                    const std::function<Status(ReductionGroup&)>& emit);

}  // namespace subfloor::codegen::emitters
