#include "codegen/emitters/gpu/reduction.h"

#include <algorithm>

namespace subfloor::codegen::emitters {

using hlo::Instruction;

Result<ReductionGroup> ReductionGroup::Of(GpuKernel& kernel, const dispatch::ReductionPlanBase& plan,
                                          int64_t group) {
  ReductionGroup made(kernel);
  for (size_t i = 0; i < kernel.outputs.size(); ++i) {
    const size_t root = kernel.RootOf(i);
    if (plan.groups.group_of_root[root] != group) continue;
    if (!plan.groups.is_reduction[root]) {
      made.beside_.push_back(i);
      continue;
    }
    made.reduced_.push_back(i);
    const Instruction* hero = kernel.choice.heroes[root];
    const bool known =
        std::ranges::any_of(made.folds_, [&](const ThreadFold& fold) { return &fold.reduce() == hero; });
    if (!OrderIsFree(*hero->called())) {
      return NotSupported(
          "%{}: a reducer that is not recognised is folded in index order, which threads of their own "
          "do not keep; a loop would work",
          hero->name());
    }
    if (!known) made.folds_.push_back(SF_TRY(ThreadFold::Of(kernel, *hero)));
  }
  return made;
}

Result<ReductionGroup::States> ReductionGroup::Fresh() const {
  States states;
  for (const ThreadFold& fold : folds_) states.push_back(SF_TRY(fold.Fresh()));
  return states;
}

Result<ReductionGroup::States> ReductionGroup::AddAt(const States& states, Expr linear) {
  States next;
  for (size_t i = 0; i < folds_.size(); ++i) {
    const Shape& shape = folds_[i].reduce().operand(0)->shape();
    next.push_back(SF_TRY(
        folds_[i].AddTerms(states[i], kernel_->emission.exprs().Delinearize(linear, shape.dimensions()))));
  }
  if (!beside_.empty()) SF_CHECK(kernel_->ComputeAndStore(beside_, linear));
  return next;
}

Values ReductionGroup::Flatten(const States& states) const {
  Values values;
  for (const ThreadFold::State& state : states) values.insert(values.end(), state.begin(), state.end());
  return values;
}

ReductionGroup::States ReductionGroup::Unflatten(mlir::ValueRange values) const {
  States states;
  size_t first = 0;
  for (const ThreadFold& fold : folds_) {
    const size_t count = fold.types().size();
    const mlir::ValueRange own = values.slice(first, count);
    states.emplace_back(own.begin(), own.end());
    first += count;
  }
  return states;
}

std::vector<mlir::Type> ReductionGroup::types() const {
  std::vector<mlir::Type> types;
  for (const ThreadFold& fold : folds_) {
    const std::vector<mlir::Type> own = fold.types();
    types.insert(types.end(), own.begin(), own.end());
  }
  return types;
}

Result<ReductionGroup::States> ReductionGroup::AddWhere(std::span<const indexing::Bound> bounds,
                                                        const States& states,
                                                        const std::function<Expr()>& linear) {
  using Truth = indexing::Bound::Truth;
  if (std::ranges::all_of(bounds, [](const auto& bound) { return bound.Known() == Truth::kTrue; }))
    return AddAt(states, linear());
  const Values values = SF_TRY(kernel_->emission.If(
      kernel_->emission.Holds(bounds), types(),
      [&]() -> Result<Values> { return Flatten(SF_TRY(AddAt(states, linear()))); },
      [&]() -> Result<Values> { return Flatten(states); }));
  return Unflatten(values);
}

Result<ReductionGroup::States> ReductionGroup::Loop(
    int64_t count, const States& states, const std::function<Result<States>(Expr, const States&)>& body) {
  const Values values = SF_TRY(kernel_->emission.Loop(
      0, count, Flatten(states), [&](Expr i, mlir::ValueRange carried) -> Result<Values> {
        return Flatten(SF_TRY(body(i, Unflatten(carried))));
      }));
  return Unflatten(values);
}

Result<ReductionGroup::States> ReductionGroup::FoldLanes(States states, int64_t distance) const {
  for (size_t i = 0; i < folds_.size(); ++i)
    states[i] = SF_TRY(folds_[i].FoldLanes(std::move(states[i]), distance));
  return states;
}

Status ReductionGroup::StoreResults(const States& states, Expr linear) {
  for (size_t i = 0; i < folds_.size(); ++i) {
    kernel_->emission.Give(kernel_->frame, folds_[i].reduce(), SF_TRY(folds_[i].Finish(states[i])));
  }
  return kernel_->ComputeAndStore(reduced_, linear);
}

Status ForEachGroup(GpuKernel& kernel, const dispatch::ReductionPlanBase& plan,
                    const std::function<Status(ReductionGroup&)>& emit) {
  const auto run = [&](int64_t number) -> Status {
    ReductionGroup group = SF_TRY(ReductionGroup::Of(kernel, plan, number));
    return emit(group);
  };
  if (plan.groups.count == 1) return run(0);
  Expr z = kernel.Block(sf::Dimension::z);
  // All threads of a block take the same branch: barriers inside are met by all.
  for (int64_t number = 0; number < plan.groups.count; ++number) {
    SF_CHECK(kernel.Where(z, number, number, [&] { return run(number); }));
  }
  return {};
}

}  // namespace subfloor::codegen::emitters
