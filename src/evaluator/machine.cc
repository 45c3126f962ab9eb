#include "evaluator/machine.h"

#include <algorithm>

#include "evaluator/op_functions.h"
#include "types/narrow.h"

namespace subfloor::evaluator {
namespace {

using hlo::Instruction;
using hlo::Opcode;

/// Bytes of all leaves of a shape.
int64_t TotalBytes(const Shape& shape) {
  if (!shape.IsTuple()) return shape.byte_size();
  int64_t bytes = 0;
  for (const Shape* leaf : Leaves(shape)) bytes += leaf->byte_size();
  return bytes;
}

/// Ops whose result shares its bytes with an operand.
bool SharesBytes(Opcode opcode) {
  switch (opcode) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kReshape:
    case Opcode::kCopy:
    case Opcode::kOptBarrier:
    case Opcode::kAddDependency:
    case Opcode::kDomain:
    case Opcode::kWhile:
      return true;
    default:
      return false;
  }
}

/// Which branch a conditional takes: by pred true is the first, by index out of range is the last.
int64_t BranchOf(const Literal& selector, size_t branch_count) {
  if (selector.element_type() == ElementType::kPred) return GetAsInt(selector, 0) != 0 ? 0 : 1;
  const int64_t index = GetAsInt(selector, 0);
  const auto last = static_cast<int64_t>(branch_count) - 1;
  return index < 0 || index > last ? last : index;
}

}  // namespace

Machine::Machine(Context& context, const hlo::Computation& computation, std::vector<Literal> arguments)
    : context_(context) {
  Push(computation, std::move(arguments));
}

void Machine::Push(const hlo::Computation& computation, std::vector<Literal> arguments) {
  const Plan& plan = context_.PlanOf(computation);
  Frame frame;
  frame.plan = &plan;
  frame.arguments = std::move(arguments);
  frame.values.resize(plan.steps.size());
  frame.charged.resize(plan.steps.size());
  frames_.push_back(std::move(frame));
}

Status Machine::Run() {
  while (!frames_.empty()) {
    const Frame& frame = frames_.back();
    if (frame.step < frame.plan->steps.size()) {
      const Instruction& instruction = *frame.plan->steps[frame.step].instruction;
      if (IsCollective(instruction.opcode())) return {};
      if (Status status = Step(); !status) {
        Error error = std::move(status).error();
        if (error.instruction().empty()) error.In(instruction.name());
        if (error.position().line == 0 && instruction.line() > 0) {
          error.At({.file = "", .line = instruction.line(), .column = instruction.column()});
        }
        return std::unexpected(std::move(error));
      }
    } else {
      Return();
    }
  }
  return {};
}

void Machine::Return() {
  Frame& frame = frames_.back();
  Literal value = std::move(frame.values[static_cast<size_t>(frame.plan->root_slot)]);
  for (int64_t bytes : frame.charged) context_.live_bytes_ -= bytes;
  frames_.pop_back();
  (frames_.empty() ? result_ : returned_) = std::move(value);
}

Literal Machine::TakeOrCopy(Frame& frame, const Plan::Step& step, size_t operand) {
  const int32_t slot = step.operands[operand];
  const bool dies =
      std::ranges::find(step.dead, slot) != step.dead.end() && std::ranges::count(step.operands, slot) == 1;
  Literal& value = frame.values[static_cast<size_t>(slot)];
  return dies ? std::move(value) : value;
}

Status Machine::Step() {
  Frame& frame = frames_.back();
  const Plan::Step& step = frame.plan->steps[frame.step];
  const Instruction& instruction = *step.instruction;
  switch (instruction.opcode()) {
    case Opcode::kParameter:
      return Finish(std::move(frame.arguments[static_cast<size_t>(instruction.parameter_number())]));
    case Opcode::kCall:
    case Opcode::kFusion:
    case Opcode::kAsyncStart:
      return StepCall(frame, step);
    case Opcode::kConditional:
      return StepConditional(frame, step);
    case Opcode::kWhile:
      return StepWhile(frame, step);
    default:
      break;
  }

  ++context_.steps_;
  if (const int64_t limit = context_.options_.step_limit; limit > 0 && context_.steps_ > limit) {
    return OutOfResources("the evaluation reached its limit of {} steps", limit);
  }
  if (const int64_t limit = context_.options_.memory_limit_bytes; limit > 0) {
    const int64_t bytes = SharesBytes(instruction.opcode()) ? 0 : TotalBytes(instruction.shape());
    if (bytes > limit - context_.live_bytes_) {
      return OutOfResources("{} more bytes for {} exceed the memory limit of {} bytes ({} are in use)", bytes,
                            instruction.shape().ToString(), limit, context_.live_bytes_);
    }
  }
  std::vector<const Literal*> operands;
  std::vector<Literal*> dying;
  for (int32_t slot : step.operands) {
    Literal& value = frame.values[static_cast<size_t>(slot)];
    operands.push_back(&value);
    const bool dies =
        std::ranges::find(step.dead, slot) != step.dead.end() && std::ranges::count(step.operands, slot) == 1;
    dying.push_back(dies ? &value : nullptr);
  }
  context_.dying_operands_ = std::move(dying);
  if (!context_.options_.observe) return Finish(SF_TRY(EvaluateInstruction(context_, instruction, operands)));
  context_.dying_operands_.assign(operands.size(), nullptr);  // the observer sees them whole
  Literal value = SF_TRY(EvaluateInstruction(context_, instruction, operands));
  SF_CHECK(context_.options_.observe(instruction, operands, value));
  return Finish(std::move(value));
}

Status Machine::StepCall(Frame& frame, const Plan::Step& step) {
  const Instruction& instruction = *step.instruction;
  if (frame.phase == Phase::kStart) {
    frame.phase = Phase::kCall;
    std::vector<Literal> arguments;
    // The result of an async-start holds its operands too, so they are not moved away.
    const bool keep = instruction.opcode() == Opcode::kAsyncStart;
    for (size_t i = 0; i < step.operands.size(); ++i) {
      arguments.push_back(keep ? frame.values[static_cast<size_t>(step.operands[i])]
                               : TakeOrCopy(frame, step, i));
    }
    if (static_cast<int64_t>(arguments.size()) != instruction.called()->parameter_count()) {
      return NotSupported(
          "{} operands for the {} parameters of {}: operands that are bound later are not supported, "
          "bind all of them at the start",
          arguments.size(), instruction.called()->parameter_count(), instruction.called()->name());
    }
    Push(*instruction.called(), std::move(arguments));
    return {};
  }
  if (instruction.opcode() != Opcode::kAsyncStart) return Finish(std::move(returned_));
  // ((operands), result, contexts...)
  std::vector<Literal> operands, parts;
  for (int32_t slot : step.operands) operands.push_back(frame.values[static_cast<size_t>(slot)]);
  parts.push_back(Literal::Tuple(std::move(operands)));
  parts.push_back(std::move(returned_));
  for (int64_t i = 2; i < instruction.shape().tuple_size(); ++i) {
    parts.push_back(SF_TRY(Literal::Zeros(instruction.shape().tuple_shape(i))));
  }
  return Finish(Literal::Tuple(std::move(parts)));
}

Status Machine::StepConditional(Frame& frame, const Plan::Step& step) {
  if (frame.phase != Phase::kStart) return Finish(std::move(returned_));
  const Instruction& instruction = *step.instruction;
  const int64_t branch =
      BranchOf(frame.values[static_cast<size_t>(step.operands[0])], instruction.called_computations().size());
  frame.phase = Phase::kCall;
  std::vector<Literal> arguments;
  arguments.push_back(TakeOrCopy(frame, step, static_cast<size_t>(branch) + 1));
  Push(*instruction.called(branch), std::move(arguments));
  return {};
}

Status Machine::StepWhile(Frame& frame, const Plan::Step& step) {
  const Instruction& instruction = *step.instruction;
  switch (frame.phase) {
    case Phase::kStart:
      frame.loop_state = TakeOrCopy(frame, step, 0);
      break;
    case Phase::kCondition:
      if (GetAsInt(returned_, 0) == 0) {
        returned_ = Literal();
        return Finish(std::move(frame.loop_state));
      } else {
        frame.phase = Phase::kBody;
        std::vector<Literal> arguments;
        arguments.push_back(std::move(frame.loop_state));
        Push(*instruction.called(1), std::move(arguments));
        return {};
      }
    default:
      frame.loop_state = std::move(returned_);
      break;
  }
  // Every trip counts as a step, so that the limit ends a loop of nothing, too.
  ++context_.steps_;
  if (const int64_t limit = context_.options_.step_limit; limit > 0 && context_.steps_ > limit) {
    return OutOfResources("the evaluation reached its limit of {} steps", limit);
  }
  frame.phase = Phase::kCondition;
  std::vector<Literal> arguments;
  arguments.push_back(frame.loop_state);
  Push(*instruction.called(0), std::move(arguments));
  return {};
}

Status Machine::Finish(Literal value) {
  Frame& frame = frames_.back();
  const Plan::Step& step = frame.plan->steps[frame.step];
  if (context_.options_.memory_limit_bytes > 0 && !SharesBytes(step.instruction->opcode())) {
    frame.charged[frame.step] = TotalBytes(value.shape());
    context_.live_bytes_ += frame.charged[frame.step];
  }
  frame.values[frame.step] = std::move(value);
  for (int32_t slot : step.dead) {
    frame.values[static_cast<size_t>(slot)] = Literal();
    context_.live_bytes_ -= std::exchange(frame.charged[static_cast<size_t>(slot)], 0);
  }
  frame.phase = Phase::kStart;
  ++frame.step;
  return {};
}

const hlo::Instruction& Machine::waiting_at() const {
  const Frame& frame = frames_.back();
  return *frame.plan->steps[frame.step].instruction;
}

std::vector<Literal> Machine::waiting_operands() const {
  const Frame& frame = frames_.back();
  std::vector<Literal> operands;
  for (int32_t slot : frame.plan->steps[frame.step].operands) {
    operands.push_back(frame.values[static_cast<size_t>(slot)]);
  }
  return operands;
}

Status Machine::Resume(Literal result) { return Finish(std::move(result)); }

// Context's parts that run machines.
// --------------------------------------------------------------------------------

const Plan& Context::PlanOf(const hlo::Computation& computation) {
  std::unique_ptr<Plan>& plan = plans_[&computation];
  if (plan == nullptr) plan = std::make_unique<Plan>(MakePlan(computation));
  return *plan;
}

Literal Context::Take(std::span<const Literal* const> operands, int64_t i) {
  const auto index = static_cast<size_t>(i);
  if (index < dying_operands_.size() && dying_operands_[index] == operands[index]) {
    return std::move(*std::exchange(dying_operands_[index], nullptr));
  }
  return *operands[index];
}

Result<Literal> Context::Call(const hlo::Computation& computation, std::vector<Literal> arguments) {
  constexpr int64_t kDepthLimit = 100;
  if (call_depth_ == kDepthLimit) {
    return NotSupported("computations called per element are nested deeper than {}", kDepthLimit);
  }
  std::vector<Literal*> dying = std::exchange(dying_operands_, {});
  ++call_depth_;
  Machine machine(*this, computation, std::move(arguments));
  Status status = machine.Run();
  --call_depth_;
  dying_operands_ = std::move(dying);
  SF_CHECK(status);
  if (!machine.done()) {
    return NotSupported("collective %{} inside a computation that is applied to elements; put it outside",
                        machine.waiting_at().name());
  }
  return machine.TakeResult();
}

}  // namespace subfloor::evaluator
