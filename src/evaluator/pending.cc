// Ops whose file is not written yet; each goes away with the file that holds the op.

#include "evaluator/op_functions.h"

namespace subfloor::evaluator {

Result<Literal> EvaluateDot(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateRaggedDot(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateScaledDot(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateConvolution(Context& context, const hlo::Instruction& instruction,
                                    Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateGather(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateScatter(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateSort(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateTopK(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateReduceWindow(Context& context, const hlo::Instruction& instruction,
                                     Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateSelectAndScatter(Context& context, const hlo::Instruction& instruction,
                                         Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateScan(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateFft(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateCholesky(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateTriangularSolve(Context& context, const hlo::Instruction& instruction,
                                        Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateBatchNorm(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateRng(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateRngBitGenerator(Context& context, const hlo::Instruction& instruction,
                                        Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateRngGetAndUpdateState(Context& context, const hlo::Instruction& instruction,
                                             Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateInfeed(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateOutfeed(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateSend(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateSendDone(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateRecv(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateRecvDone(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateCollectiveDone(Context& context, const hlo::Instruction& instruction,
                                       Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}

Result<std::vector<std::vector<int64_t>>> CollectiveGroups(const hlo::Instruction& instruction,
                                                           int64_t replica_count, int64_t partition_count) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<std::vector<Literal>> EvaluateCollective(Context& context, const hlo::Instruction& instruction,
                                                std::span<const int64_t> group,
                                                std::span<const std::vector<Literal>> operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}

}  // namespace subfloor::evaluator
