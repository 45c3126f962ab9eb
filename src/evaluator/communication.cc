// What talks to the host through the options' handlers, and the halves that end what another op started.

#include "evaluator/op_functions.h"

namespace subfloor::evaluator {
namespace {

Status WantShape(const Literal& value, const Shape& wanted, std::string_view who) {
  if (value.shape().Compatible(wanted)) return {};
  return BadInput("the {} handler gave {}; {} is wanted", who, value.shape().ToString(false),
                  wanted.ToString(false));
}

int64_t ChannelOf(const hlo::Instruction& instruction) {
  return instruction.As<hlo::SendRecvAttributes>().channel_id.value_or(0);
}

// The tuple of a started transfer: the data, then contexts and the token.
Result<Literal> Started(const hlo::Instruction& instruction, Literal data) {
  std::vector<Literal> parts;
  parts.push_back(std::move(data));
  for (int64_t i = 1; i < instruction.shape().tuple_size(); ++i) {
    parts.push_back(SF_TRY(Literal::Zeros(instruction.shape().tuple_shape(i))));
  }
  return Literal::Tuple(std::move(parts));
}

}  // namespace

Result<Literal> EvaluateInfeed(Context& context, const hlo::Instruction& instruction, Operands operands) {
  if (!context.options().infeed)
    return NotSupported("infeed without a handler; EvaluateOptions::infeed would give the data");
  const Shape& data_shape = instruction.shape().tuple_shape(0);
  Literal data =
      SF_TRY(context.options().infeed(data_shape, instruction.As<hlo::InfeedAttributes>().config.text));
  SF_CHECK(WantShape(data, data_shape, "infeed"));
  return Literal::Tuple({std::move(data), Literal::Token()});
}

Result<Literal> EvaluateOutfeed(Context& context, const hlo::Instruction& instruction, Operands operands) {
  if (!context.options().outfeed) {
    return NotSupported("outfeed without a handler; EvaluateOptions::outfeed would take the data");
  }
  SF_CHECK(context.options().outfeed(*operands[0], instruction.As<hlo::OutfeedAttributes>().config.text));
  return Literal::Token();
}

Result<Literal> EvaluateSend(Context& context, const hlo::Instruction& instruction, Operands operands) {
  if (!context.options().send)
    return NotSupported("send without a handler; EvaluateOptions::send would take the data");
  SF_CHECK(context.options().send(ChannelOf(instruction), *operands[0]));
  return Started(instruction, *operands[0]);
}

Result<Literal> EvaluateSendDone(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return Literal::Token();
}

Result<Literal> EvaluateRecv(Context& context, const hlo::Instruction& instruction, Operands operands) {
  if (!context.options().recv)
    return NotSupported("recv without a handler; EvaluateOptions::recv would give the data");
  const Shape& data_shape = instruction.shape().tuple_shape(0);
  Literal data = SF_TRY(context.options().recv(ChannelOf(instruction), data_shape));
  SF_CHECK(WantShape(data, data_shape, "recv"));
  return Started(instruction, std::move(data));
}

Result<Literal> EvaluateRecvDone(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return Literal::Tuple({operands[0]->elements()[0], Literal::Token()});
}

Result<Literal> EvaluateCollectiveDone(Context& context, const hlo::Instruction& instruction,
                                       Operands operands) {
  // An all-reduce starts with its result alone, the others with (operands, results, ...).
  if (instruction.opcode() == hlo::Opcode::kAllReduceDone) return context.Take(operands, 0);
  return operands[0]->elements()[1];
}

}  // namespace subfloor::evaluator
