// The switch over all ops: one call a case.

#include "evaluator/evaluator.h"

#include "evaluator/op_functions.h"

namespace subfloor::evaluator {
namespace {

using hlo::Instruction;
using hlo::Opcode;

Result<Literal> ScalarU32(int64_t value) { return Literal::Scalar<uint32_t>(static_cast<uint32_t>(value)); }

Result<Literal> MakeTuple(Operands operands) {
  std::vector<Literal> elements;
  for (const Literal* operand : operands) elements.push_back(*operand);
  return Literal::Tuple(std::move(elements));
}

Result<Literal> Element(const Literal& tuple, int64_t index) {
  if (index < 0 || static_cast<size_t>(index) >= tuple.elements().size()) {
    return BadInput("element {} of {}", index, tuple.shape().ToString());
  }
  return tuple.elements()[static_cast<size_t>(index)];
}

/// (destination, source, context)
Result<Literal> CopyStart(const Instruction& instruction, const Literal& source) {
  return Literal::Tuple({source, source, Literal::Scalar<uint32_t>(0)});
}

}  // namespace

bool IsCollective(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kRaggedAllToAll:
    case Opcode::kReduceScatter:
      return true;
    default:
      return false;
  }
}

Result<Literal> EvaluateInstruction(Context& context, const Instruction& instruction, Operands operands) {
  switch (instruction.opcode()) {
    case Opcode::kAbs:
    case Opcode::kAcos:
    case Opcode::kAcosh:
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kAsin:
    case Opcode::kAsinh:
    case Opcode::kAtan2:
    case Opcode::kAtanh:
    case Opcode::kCbrt:
    case Opcode::kCeil:
    case Opcode::kClamp:
    case Opcode::kCompare:
    case Opcode::kComplex:
    case Opcode::kConvert:
    case Opcode::kCosine:
    case Opcode::kCosh:
    case Opcode::kCountLeadingZeros:
    case Opcode::kDivide:
    case Opcode::kErf:
    case Opcode::kExp:
    case Opcode::kExpm1:
    case Opcode::kFloor:
    case Opcode::kImag:
    case Opcode::kIsFinite:
    case Opcode::kLog:
    case Opcode::kLog1p:
    case Opcode::kLogistic:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMulhi:
    case Opcode::kMultiply:
    case Opcode::kNegate:
    case Opcode::kNot:
    case Opcode::kOr:
    case Opcode::kPopcnt:
    case Opcode::kPower:
    case Opcode::kReal:
    case Opcode::kReducePrecision:
    case Opcode::kRemainder:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
    case Opcode::kRsqrt:
    case Opcode::kSelect:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
    case Opcode::kSign:
    case Opcode::kSin:
    case Opcode::kSinh:
    case Opcode::kSqrt:
    case Opcode::kStochasticConvert:
    case Opcode::kSubtract:
    case Opcode::kTan:
    case Opcode::kTanh:
    case Opcode::kXor:
      return EvaluateElementwise(context, instruction, operands);

    case Opcode::kConstant:
      return instruction.literal();
    case Opcode::kIota:
      return EvaluateIota(context, instruction, operands);
    case Opcode::kTuple:
      return MakeTuple(operands);
    case Opcode::kGetTupleElement:
      return Element(*operands[0], instruction.As<hlo::GetTupleElementAttributes>().index);
    case Opcode::kCopy:
    case Opcode::kDomain:
    case Opcode::kOptBarrier:
    case Opcode::kAddDependency:
    case Opcode::kAsyncUpdate:
      return context.Take(operands, 0);
    case Opcode::kAfterAll:
      return Literal::Token();
    case Opcode::kCopyStart:
      return CopyStart(instruction, *operands[0]);
    case Opcode::kCopyDone:
      return Element(*operands[0], 0);
    case Opcode::kAsyncDone:
      return Element(*operands[0], 1);
    case Opcode::kReplicaId:
      return ScalarU32(context.replica());
    case Opcode::kPartitionId:
      return ScalarU32(context.partition());

    case Opcode::kBitcast:
      return EvaluateBitcast(context, instruction, operands);
    case Opcode::kBitcastConvert:
      return EvaluateBitcastConvert(context, instruction, operands);
    case Opcode::kReshape:
      return operands[0]->Reshaped(instruction.shape());
    case Opcode::kBroadcast:
      return EvaluateBroadcast(context, instruction, operands);
    case Opcode::kTranspose:
      return EvaluateTranspose(context, instruction, operands);
    case Opcode::kSlice:
      return EvaluateSlice(context, instruction, operands);
    case Opcode::kPad:
      return EvaluatePad(context, instruction, operands);
    case Opcode::kReverse:
      return EvaluateReverse(context, instruction, operands);
    case Opcode::kConcatenate:
      return EvaluateConcatenate(context, instruction, operands);
    case Opcode::kDynamicSlice:
      return EvaluateDynamicSlice(context, instruction, operands);
    case Opcode::kDynamicUpdateSlice:
      return EvaluateDynamicUpdateSlice(context, instruction, operands);
    case Opcode::kDynamicReshape:
      return EvaluateDynamicReshape(context, instruction, operands);
    case Opcode::kGetDimensionSize:
      return EvaluateGetDimensionSize(context, instruction, operands);
    case Opcode::kSetDimensionSize:
      return EvaluateSetDimensionSize(context, instruction, operands);

    case Opcode::kReduce:
      return EvaluateReduce(context, instruction, operands);
    case Opcode::kMap:
      return EvaluateMap(context, instruction, operands);
    case Opcode::kReduceWindow:
      return EvaluateReduceWindow(context, instruction, operands);
    case Opcode::kSelectAndScatter:
      return EvaluateSelectAndScatter(context, instruction, operands);
    case Opcode::kScan:
      return EvaluateScan(context, instruction, operands);
    case Opcode::kSort:
      return EvaluateSort(context, instruction, operands);
    case Opcode::kTopK:
      return EvaluateTopK(context, instruction, operands);
    case Opcode::kGather:
      return EvaluateGather(context, instruction, operands);
    case Opcode::kScatter:
      return EvaluateScatter(context, instruction, operands);

    case Opcode::kDot:
      return EvaluateDot(context, instruction, operands);
    case Opcode::kRaggedDot:
      return EvaluateRaggedDot(context, instruction, operands);
    case Opcode::kScaledDot:
      return EvaluateScaledDot(context, instruction, operands);
    case Opcode::kConvolution:
      return EvaluateConvolution(context, instruction, operands);
    case Opcode::kFft:
      return EvaluateFft(context, instruction, operands);
    case Opcode::kCholesky:
      return EvaluateCholesky(context, instruction, operands);
    case Opcode::kTriangularSolve:
      return EvaluateTriangularSolve(context, instruction, operands);
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
      return EvaluateBatchNorm(context, instruction, operands);

    case Opcode::kRng:
      return EvaluateRng(context, instruction, operands);
    case Opcode::kRngBitGenerator:
      return EvaluateRngBitGenerator(context, instruction, operands);
    case Opcode::kRngGetAndUpdateState:
      return EvaluateRngGetAndUpdateState(context, instruction, operands);

    case Opcode::kInfeed:
      return EvaluateInfeed(context, instruction, operands);
    case Opcode::kOutfeed:
      return EvaluateOutfeed(context, instruction, operands);
    case Opcode::kSend:
      return EvaluateSend(context, instruction, operands);
    case Opcode::kSendDone:
      return EvaluateSendDone(context, instruction, operands);
    case Opcode::kRecv:
      return EvaluateRecv(context, instruction, operands);
    case Opcode::kRecvDone:
      return EvaluateRecvDone(context, instruction, operands);
    case Opcode::kAllGatherDone:
    case Opcode::kAllReduceDone:
    case Opcode::kCollectivePermuteDone:
      return EvaluateCollectiveDone(context, instruction, operands);
    case Opcode::kCustomCall:
      return EvaluateCustomCall(context, instruction, operands);

    // The machine evaluates control flow itself and hands collectives to EvaluateCollective.
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllToAll:
    case Opcode::kAsyncStart:
    case Opcode::kCall:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kConditional:
    case Opcode::kFusion:
    case Opcode::kParameter:
    case Opcode::kRaggedAllToAll:
    case Opcode::kReduceScatter:
    case Opcode::kWhile:
      break;
  }
  return InternalError("{} is no op for the switch", hlo::ToString(instruction.opcode()));
}

}  // namespace subfloor::evaluator
