#include "hlo/shape_inference.h"

#include <algorithm>
#include <tuple>

#include "absl/container/inlined_vector.h"
#include "hlo/inference/rules.h"

namespace subfloor::hlo {
namespace {

using namespace inference;

Result<Shape> Infer(const OpView& op) {
  switch (op.opcode) {
    case Opcode::kAbs:
    case Opcode::kAcos:
    case Opcode::kAcosh:
    case Opcode::kAsin:
    case Opcode::kAsinh:
    case Opcode::kAtanh:
    case Opcode::kCbrt:
    case Opcode::kCeil:
    case Opcode::kCopy:
    case Opcode::kCosine:
    case Opcode::kCosh:
    case Opcode::kCountLeadingZeros:
    case Opcode::kErf:
    case Opcode::kExp:
    case Opcode::kExpm1:
    case Opcode::kFloor:
    case Opcode::kImag:
    case Opcode::kIsFinite:
    case Opcode::kLog:
    case Opcode::kLog1p:
    case Opcode::kLogistic:
    case Opcode::kNegate:
    case Opcode::kNot:
    case Opcode::kPopcnt:
    case Opcode::kReal:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
    case Opcode::kRsqrt:
    case Opcode::kSign:
    case Opcode::kSin:
    case Opcode::kSinh:
    case Opcode::kSqrt:
    case Opcode::kTan:
    case Opcode::kTanh:
      return InferUnary(op);
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kAtan2:
    case Opcode::kComplex:
    case Opcode::kDivide:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMulhi:
    case Opcode::kMultiply:
    case Opcode::kOr:
    case Opcode::kPower:
    case Opcode::kRemainder:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
    case Opcode::kSubtract:
    case Opcode::kXor:
      return InferBinary(op);
    case Opcode::kCompare:
      return InferCompare(op);
    case Opcode::kSelect:
      return InferSelect(op);
    case Opcode::kClamp:
      return InferClamp(op);
    case Opcode::kConvert:
      return InferConvert(op);
    case Opcode::kBitcastConvert:
      return InferBitcastConvert(op);
    case Opcode::kStochasticConvert:
      return InferStochasticConvert(op);
    case Opcode::kReducePrecision:
      return InferReducePrecision(op);
    case Opcode::kMap:
      return InferMap(op);

    case Opcode::kIota:
      return InferIota(op);
    case Opcode::kBroadcast:
      return InferBroadcast(op);
    case Opcode::kReshape:
      return InferReshape(op);
    case Opcode::kDynamicReshape:
      return InferDynamicReshape(op);
    case Opcode::kBitcast:
      return InferBitcast(op);
    case Opcode::kTranspose:
      return InferTranspose(op);
    case Opcode::kReverse:
      return InferReverse(op);
    case Opcode::kSlice:
      return InferSlice(op);
    case Opcode::kPad:
      return InferPad(op);
    case Opcode::kConcatenate:
      return InferConcatenate(op);
    case Opcode::kDynamicSlice:
      return InferDynamicSlice(op);
    case Opcode::kDynamicUpdateSlice:
      return InferDynamicUpdateSlice(op);
    case Opcode::kGetDimensionSize:
      return InferGetDimensionSize(op);
    case Opcode::kSetDimensionSize:
      return InferSetDimensionSize(op);

    case Opcode::kReduce:
      return InferReduce(op);
    case Opcode::kReduceWindow:
      return InferReduceWindow(op);
    case Opcode::kSelectAndScatter:
      return InferSelectAndScatter(op);
    case Opcode::kScan:
      return InferScan(op);
    case Opcode::kSort:
      return InferSort(op);
    case Opcode::kTopK:
      return InferTopK(op);

    case Opcode::kDot:
      return InferDot(op);
    case Opcode::kRaggedDot:
      return InferRaggedDot(op);
    case Opcode::kScaledDot:
      return InferScaledDot(op);
    case Opcode::kConvolution:
      return InferConvolution(op);
    case Opcode::kGather:
      return InferGather(op);
    case Opcode::kScatter:
      return InferScatter(op);

    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
      return InferBatchNorm(op);
    case Opcode::kFft:
      return InferFft(op);
    case Opcode::kCholesky:
      return InferCholesky(op);
    case Opcode::kTriangularSolve:
      return InferTriangularSolve(op);
    case Opcode::kRng:
      return InferRng(op);
    case Opcode::kRngBitGenerator:
      return InferRngBitGenerator(op);
    case Opcode::kRngGetAndUpdateState:
      return InferRngState(op);

    case Opcode::kParameter:
      return InferParameter(op);
    case Opcode::kConstant:
      return InferConstant(op);
    case Opcode::kTuple:
      return InferTuple(op);
    case Opcode::kGetTupleElement:
      return InferGetTupleElement(op);
    case Opcode::kWhile:
      return InferWhile(op);
    case Opcode::kConditional:
      return InferConditional(op);
    case Opcode::kCall:
    case Opcode::kFusion:
      return InferCall(op);
    case Opcode::kCustomCall:
      return InferCustomCall(op);
    case Opcode::kOptBarrier:
    case Opcode::kDomain:
      return InferIdentity(op);
    case Opcode::kAfterAll:
      return InferAfterAll(op);
    case Opcode::kAddDependency:
      return InferAddDependency(op);
    case Opcode::kAsyncStart:
      return InferAsyncStart(op);
    case Opcode::kAsyncUpdate:
      return InferAsyncUpdate(op);
    case Opcode::kAsyncDone:
      return InferAsyncDone(op);
    case Opcode::kCopyStart:
      return InferCopyStart(op);
    case Opcode::kCopyDone:
      return InferCopyDone(op);
    case Opcode::kInfeed:
      return InferInfeed(op);
    case Opcode::kOutfeed:
      return InferOutfeed(op);
    case Opcode::kSend:
      return InferSend(op);
    case Opcode::kSendDone:
      return InferSendDone(op);
    case Opcode::kRecv:
      return InferRecv(op);
    case Opcode::kRecvDone:
      return InferRecvDone(op);

    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
      return InferAllReduce(op);
    case Opcode::kReduceScatter:
      return InferReduceScatter(op);
    case Opcode::kAllGather:
      return InferAllGather(op);
    case Opcode::kAllGatherStart:
      return InferAllGatherStart(op);
    case Opcode::kAllGatherDone:
    case Opcode::kAllReduceDone:
    case Opcode::kCollectivePermuteDone:
      return InferCollectiveDone(op);
    case Opcode::kAllToAll:
      return InferAllToAll(op);
    case Opcode::kCollectivePermute:
      return InferCollectivePermute(op);
    case Opcode::kCollectivePermuteStart:
      return InferCollectivePermuteStart(op);
    case Opcode::kCollectiveBroadcast:
      return InferCollectiveBroadcast(op);
    case Opcode::kRaggedAllToAll:
      return InferRaggedAllToAll(op);
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
      return InferDeviceId(op);
  }
  return InternalError("an unknown opcode {}", static_cast<int>(op.opcode));
}

Status CheckOperands(Opcode opcode, std::span<const Shape* const> operands, const Attributes& attributes) {
  if (!attributes.SameKind(DefaultAttributes(opcode))) {
    return InternalError("{} carries the attributes of another operation", ToString(opcode));
  }
  for (const Shape* operand : operands) {
    if (operand == nullptr) return InternalError("{} has an operand without shape", ToString(opcode));
  }
  return {};
}

// Range of exponents for floats (none for others), then digits, then bits, then sign.
std::tuple<int, int, int, int> Rank(ElementType type) {
  const ElementType part = ComponentType(type);
  if (!IsFloat(part)) return {0, 0, BitWidth(part), IsSigned(part) ? 1 : 0};
  const FloatFormat format = FormatOf(part);
  return {1 + (1 << format.exponent_bits) - format.bias, format.mantissa_bits, BitWidth(part), 1};
}

}  // namespace

ElementType HigherPrecision(ElementType a, ElementType b) { return Rank(b) > Rank(a) ? b : a; }

bool SameUpToPrecision(ElementType a, ElementType b) {
  return a == b || (IsFloat(a) && IsFloat(b)) || (IsComplex(a) && IsComplex(b));
}

bool ShapeMustBeWritten(Opcode opcode) {
  switch (opcode) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kIota:
    case Opcode::kBroadcast:
    case Opcode::kReshape:
    case Opcode::kDynamicReshape:
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
    case Opcode::kConvert:
    case Opcode::kStochasticConvert:
    case Opcode::kRng:
    case Opcode::kRngBitGenerator:
    case Opcode::kRngGetAndUpdateState:
    case Opcode::kCustomCall:
    case Opcode::kInfeed:
    case Opcode::kRecv:
    case Opcode::kAsyncStart:
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kReduceScatter:
    case Opcode::kCollectivePermuteStart:
      return true;
    default:
      return false;
  }
}

Result<Shape> InferShape(Opcode opcode, std::span<const Shape* const> operands, const Attributes& attributes,
                         std::span<Computation* const> called) {
  if (ShapeMustBeWritten(opcode))
    return BadInput("the shape of {} does not follow from its operands", ToString(opcode));
  SF_CHECK(CheckOperands(opcode, operands, attributes));
  return Infer({opcode, operands, attributes, called});
}

Status CheckShape(const Shape& result, Opcode opcode, std::span<const Shape* const> operands,
                  const Attributes& attributes, std::span<Computation* const> called) {
  SF_CHECK(CheckOperands(opcode, operands, attributes));
  const Shape inferred = SF_TRY(Infer({opcode, operands, attributes, called, &result}));
  // Operands may differ in float precision; then the result may have that of any of them.
  if (inferred.Compatible(result)) return {};
  if (inferred.IsArray() && result.IsArray() &&
      SameUpToPrecision(inferred.element_type(), result.element_type()) &&
      inferred.Compatible(result.WithElementType(inferred.element_type()))) {
    const bool mixed = std::ranges::any_of(operands, [&](const Shape* operand) {
      return operand->IsArray() && operand->element_type() == result.element_type();
    });
    if (mixed) return {};
  }
  return BadInput("the shape is {}; {} of these operands gives {}", result.ToString(false), ToString(opcode),
                  inferred.ToString(false));
}

Status CheckShape(const Instruction& instruction) {
  absl::InlinedVector<const Shape*, 8> operands;
  for (int64_t i = 0; i < instruction.operand_count(); ++i)
    operands.push_back(&instruction.operand(i)->shape());
  Status status = CheckShape(instruction.shape(), instruction.opcode(), operands, instruction.attributes(),
                             instruction.called_computations());
  if (!status) {
    status.error()
        .In(instruction.name())
        .At({.file = {}, .line = instruction.line(), .column = instruction.column()});
  }
  return status;
}

}  // namespace subfloor::hlo
