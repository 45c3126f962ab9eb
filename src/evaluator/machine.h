#pragma once

#include <span>
#include <vector>

#include "evaluator/context.h"

namespace subfloor::evaluator {

/// Evaluates one computation for one participant, with calls, fusions, conditionals and loops on an explicit
/// stack, so that neither call depth nor trip count costs stack. Stops at each collective and goes on when it
/// is told the result.
class Machine {
 public:
  Machine(Context& context, const hlo::Computation& computation, std::vector<Literal> arguments);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  Machine(Machine&&) = default;

  /// Runs until the computation ends or a collective is reached.
  Status Run();
  bool done() const { return frames_.empty(); }
  /// The result. Precondition: done(). May be called once.
  Literal TakeResult() { return std::move(result_); }

  /// The collective that stopped Run, and its operands. Precondition: !done().
  const hlo::Instruction& waiting_at() const;
  std::vector<Literal> waiting_operands() const;
  /// Gives the collective its result; Run goes on from there.
  Status Resume(Literal result);

 private:
  enum class Phase : uint8_t { kStart, kCondition, kBody, kCall };
  struct Frame {
    const Plan* plan;
    std::vector<Literal> arguments;
    std::vector<Literal> values;
    std::vector<int64_t> charged;  // bytes counted for each slot
    size_t step = 0;
    Phase phase = Phase::kStart;  // of the instruction at `step`
    Literal loop_state;
  };

  Status Step();
  void Push(const hlo::Computation& computation, std::vector<Literal> arguments);
  Status StepWhile(Frame& frame, const Plan::Step& step);
  Status StepCall(Frame& frame, const Plan::Step& step);
  Status StepConditional(Frame& frame, const Plan::Step& step);
  /// Puts the value of the instruction at hand into its slot, frees what is dead and moves to the next step.
  Status Finish(Literal value);
  void Return();
  Literal TakeOrCopy(Frame& frame, const Plan::Step& step, size_t operand);

  Context& context_;
  std::vector<Frame> frames_;
  Literal returned_;  // by the frame that ended last, for the phase of its caller
  Literal result_;
};

/// Bad input unless there is one argument a parameter, each of a compatible shape.
Status CheckArguments(const hlo::Computation& computation, std::span<const Literal> arguments);

}  // namespace subfloor::evaluator
