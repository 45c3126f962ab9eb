#pragma once

#include <array>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "evaluator/evaluator.h"
#include "evaluator/plan.h"

namespace subfloor::evaluator {

/// What the function of an op may use besides its operands. One per participant; lives as long as its
/// evaluation.
class Context {
 public:
  Context(const EvaluateOptions& options, int64_t replica, int64_t partition, int64_t replica_count,
          int64_t partition_count)
      : options_(options),
        replica_(replica),
        partition_(partition),
        replica_count_(replica_count),
        partition_count_(partition_count) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const EvaluateOptions& options() const { return options_; }
  int64_t replica() const { return replica_; }
  int64_t partition() const { return partition_; }
  int64_t replica_count() const { return replica_count_; }
  int64_t partition_count() const { return partition_count_; }

  /// Runs a called computation to its end. For computations called once or a few times; per element there are
  /// ScalarProgram and Combiner. Errors: not supported for a collective inside, or for nesting deeper than
  /// 100 calls of this function (calls, fusions and loops don't count, they need no nesting).
  Result<Literal> Call(const hlo::Computation& computation, std::vector<Literal> arguments);

  /// Operand i of the op being evaluated, for changing: moved out if nothing reads it later, else a copy
  /// whose bytes are shared until written to. Ask at most once an operand, and read that operand through
  /// `operands` no more.
  Literal Take(std::span<const Literal* const> operands, int64_t i);

  /// The 128-bit counter (low word first) of an rng-get-and-update-state instruction; starts at `initial`.
  std::array<uint64_t, 2>& RngState(const hlo::Instruction& instruction, std::array<uint64_t, 2> initial) {
    return rng_states_.try_emplace(&instruction, initial).first->second;
  }
  /// How often this was asked for the instruction before: gives an `rng` op inside a loop fresh values each
  /// time.
  uint64_t NextVisit(const hlo::Instruction& instruction) { return visits_[&instruction]++; }

  /// The prepared form of a computation; made at the first use.
  const Plan& PlanOf(const hlo::Computation& computation);

 private:
  friend class Machine;
  const EvaluateOptions& options_;
  int64_t replica_, partition_, replica_count_, partition_count_;
  int64_t call_depth_ = 0;
  int64_t steps_ = 0;
  int64_t live_bytes_ = 0;
  std::vector<Literal*> dying_operands_;  // of the op being evaluated; null where the operand lives on
  std::unordered_map<const hlo::Computation*, std::unique_ptr<Plan>> plans_;
  std::unordered_map<const hlo::Instruction*, std::array<uint64_t, 2>> rng_states_;
  std::unordered_map<const hlo::Instruction*, uint64_t> visits_;
};

}  // namespace subfloor::evaluator
