// Custom calls: markers that mean nothing to values, and everything else through the handler of the options.

#include <algorithm>
#include <array>
#include <string_view>

#include "evaluator/lapack_call.h"
#include "evaluator/op_functions.h"

namespace subfloor::evaluator {
namespace {

/// Targets that hand their operand through: they speak to partitioners, schedulers and memory planners.
constexpr std::array<std::string_view, 14> kIdentities = {
    "Sharding",
    "SPMDFullToShardShape",
    "SPMDShardToFullShape",
    "LayoutConstraint",
    "AnnotateDevicePlacement",
    "annotate_device_placement",
    "MoveToHost",
    "MoveToDevice",
    "PinToDevice",
    "PinToDeviceSram",
    "UnpinBuffer",
    "xla.sdy.FuncResultSharding",
    "xla.sdy.PropagationBarrier",
    "InspectSharding",
};

}  // namespace

Result<Literal> EvaluateCustomCall(Context& context, const hlo::Instruction& instruction, Operands operands) {
  const auto& attributes = instruction.As<hlo::CustomCallAttributes>();
  if (context.options().custom_call) {
    auto result = context.options().custom_call(instruction, operands);
    // A handler that does not know the target leaves the markers to us.
    if (result.has_value() || result.error().kind() != ErrorKind::kNotSupported) return result;
  }
  if (std::ranges::find(kIdentities, attributes.target.text) != kIdentities.end()) {
    if (operands.size() == 1 && operands[0]->shape().Compatible(instruction.shape())) return *operands[0];
    if (operands.size() == 1 && instruction.shape().IsTuple() && instruction.shape().tuple_size() == 0) {
      return Literal::Tuple({});
    }
    return NotSupported("custom call {} between different shapes: run the partitioner's output instead",
                        attributes.target.text);
  }
  if (std::optional<Result<Literal>> result = EvaluateLapackCall(instruction, operands))
    return *std::move(result);
  return NotSupported("custom call {}: give a handler for it in EvaluateOptions::custom_call",
                      attributes.target.text);
}

}  // namespace subfloor::evaluator
