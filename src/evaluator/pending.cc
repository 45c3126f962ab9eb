// Ops whose file is not written yet; each goes away with the file that holds the op.

#include "evaluator/op_functions.h"

namespace subfloor::evaluator {

Result<Literal> EvaluateElementwise(Context& context, const hlo::Instruction& instruction,
                                    Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateBitcastConvert(Context& context, const hlo::Instruction& instruction,
                                       Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateBitcast(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateBroadcast(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateTranspose(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateSlice(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluatePad(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateReverse(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateConcatenate(Context& context, const hlo::Instruction& instruction,
                                    Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateIota(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateDynamicSlice(Context& context, const hlo::Instruction& instruction,
                                     Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateDynamicUpdateSlice(Context& context, const hlo::Instruction& instruction,
                                           Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateDynamicReshape(Context& context, const hlo::Instruction& instruction,
                                       Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateGetDimensionSize(Context& context, const hlo::Instruction& instruction,
                                         Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateSetDimensionSize(Context& context, const hlo::Instruction& instruction,
                                         Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateReduce(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateMap(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
Result<Literal> EvaluateCustomCall(Context& context, const hlo::Instruction& instruction, Operands operands) {
  return NotSupported("{} is not evaluated", hlo::ToString(instruction.opcode()));
}
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
