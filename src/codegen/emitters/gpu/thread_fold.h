#pragma once

#include <span>
#include <vector>

#include "codegen/emitters/gpu/gpu_kernel.h"

namespace subfloor::codegen::emitters {

/// What threads hold of one reduce while they fold it together: an accumulator a result and, where the
/// reducer has no identity to begin with, whether they hold anything yet. States are plain values, so that
/// loops and branches can carry them. The order of the fold is free.
class ThreadFold {
 public:
  using State = Values;

  static Result<ThreadFold> Of(GpuKernel& kernel, const hlo::Instruction& reduce);

  const hlo::Instruction& reduce() const { return *reduce_; }
  /// Nothing folded yet.
  Result<State> Fresh() const;
  std::vector<mlir::Type> types() const { return types_; }
  /// The state with the terms at `index` of the operands folded in, lane by lane where the index has lanes.
  Result<State> AddTerms(const State& state, const Index& index) const;
  Result<State> Combine(const State& a, const State& b) const;
  /// The state with those of the next lanes folded in, `distance` lanes away first, then half of it, down to
  /// one: the first of every 2 * distance lanes has all of them.
  Result<State> FoldLanes(State state, int64_t distance) const;
  /// The results: the initial value folded in, in the result's types.
  Result<Elements> Finish(const State& state) const;

  /// Shared memory for states, by place.
  std::vector<mlir::Value> SharedStates(std::span<const int64_t> sizes) const;
  void Store(const State& state, std::span<const mlir::Value> shared, Expr offset) const;
  State Load(std::span<const mlir::Value> shared, Expr offset) const;

 private:
  ThreadFold(GpuKernel& kernel, const hlo::Instruction& reduce) : kernel_(&kernel), reduce_(&reduce) {}
  Result<State> Add(const State& state, std::span<const Element> terms) const;
  Elements ElementsOf(const State& state) const;
  mlir::Value FlagOf(const State& state) const { return has_flag_ ? state.back() : mlir::Value(); }
  int64_t inputs() const { return static_cast<int64_t>(accumulators_.size()); }

  GpuKernel* kernel_;
  const hlo::Instruction* reduce_;
  std::vector<hlo::Opcode> ops_;  // empty: by the reduce's computation
  std::vector<ElementType> accumulators_, results_;
  bool has_flag_ = false;
  std::vector<mlir::Type> types_;
};

}  // namespace subfloor::codegen::emitters
