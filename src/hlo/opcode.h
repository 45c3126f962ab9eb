#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace subfloor::hlo {

/// Every operation: X(enumerator, HLO text, operand count or -1 for any, attribute struct of attributes.h).
#define SUBFLOOR_OPCODES(X)                                                        \
  X(kAbs, "abs", 1, ElementwiseAttributes)                                         \
  X(kAcos, "acos", 1, ElementwiseAttributes)                                       \
  X(kAcosh, "acosh", 1, ElementwiseAttributes)                                     \
  X(kAdd, "add", 2, NoAttributes)                                                  \
  X(kAddDependency, "add-dependency", 2, NoAttributes)                             \
  X(kAfterAll, "after-all", -1, NoAttributes)                                      \
  X(kAllGather, "all-gather", -1, CollectiveAttributes)                            \
  X(kAllGatherDone, "all-gather-done", 1, NoAttributes)                            \
  X(kAllGatherStart, "all-gather-start", -1, CollectiveAttributes)                 \
  X(kAllReduce, "all-reduce", -1, CollectiveAttributes)                            \
  X(kAllReduceDone, "all-reduce-done", 1, NoAttributes)                            \
  X(kAllReduceStart, "all-reduce-start", -1, CollectiveAttributes)                 \
  X(kAllToAll, "all-to-all", -1, CollectiveAttributes)                             \
  X(kAnd, "and", 2, NoAttributes)                                                  \
  X(kAsin, "asin", 1, ElementwiseAttributes)                                       \
  X(kAsinh, "asinh", 1, ElementwiseAttributes)                                     \
  X(kAsyncDone, "async-done", 1, AsyncAttributes)                                  \
  X(kAsyncStart, "async-start", -1, AsyncAttributes)                               \
  X(kAsyncUpdate, "async-update", -1, AsyncAttributes)                             \
  X(kAtan2, "atan2", 2, ElementwiseAttributes)                                     \
  X(kAtanh, "atanh", 1, ElementwiseAttributes)                                     \
  X(kBatchNormGrad, "batch-norm-grad", 5, BatchNormAttributes)                     \
  X(kBatchNormInference, "batch-norm-inference", 5, BatchNormAttributes)           \
  X(kBatchNormTraining, "batch-norm-training", 3, BatchNormAttributes)             \
  X(kBitcast, "bitcast", 1, NoAttributes)                                          \
  X(kBitcastConvert, "bitcast-convert", 1, NoAttributes)                           \
  X(kBroadcast, "broadcast", 1, DimensionsAttributes)                              \
  X(kCall, "call", -1, CallAttributes)                                             \
  X(kCbrt, "cbrt", 1, ElementwiseAttributes)                                       \
  X(kCeil, "ceil", 1, NoAttributes)                                                \
  X(kCholesky, "cholesky", 1, CholeskyAttributes)                                  \
  X(kClamp, "clamp", 3, NoAttributes)                                              \
  X(kCollectiveBroadcast, "collective-broadcast", -1, CollectiveAttributes)        \
  X(kCollectivePermute, "collective-permute", -1, CollectiveAttributes)            \
  X(kCollectivePermuteDone, "collective-permute-done", 1, NoAttributes)            \
  X(kCollectivePermuteStart, "collective-permute-start", -1, CollectiveAttributes) \
  X(kCompare, "compare", 2, CompareAttributes)                                     \
  X(kComplex, "complex", 2, NoAttributes)                                          \
  X(kConcatenate, "concatenate", -1, DimensionsAttributes)                         \
  X(kConditional, "conditional", -1, NoAttributes)                                 \
  X(kConstant, "constant", 0, ConstantAttributes)                                  \
  X(kConvert, "convert", 1, NoAttributes)                                          \
  X(kConvolution, "convolution", -1, ConvolutionAttributes)                        \
  X(kCopy, "copy", 1, NoAttributes)                                                \
  X(kCopyDone, "copy-done", 1, NoAttributes)                                       \
  X(kCopyStart, "copy-start", 1, CopyStartAttributes)                              \
  X(kCosine, "cosine", 1, ElementwiseAttributes)                                   \
  X(kCosh, "cosh", 1, ElementwiseAttributes)                                       \
  X(kCountLeadingZeros, "count-leading-zeros", 1, NoAttributes)                    \
  X(kCustomCall, "custom-call", -1, CustomCallAttributes)                          \
  X(kDivide, "divide", 2, NoAttributes)                                            \
  X(kDomain, "domain", 1, DomainAttributes)                                        \
  X(kDot, "dot", -1, DotAttributes)                                                \
  X(kDynamicReshape, "dynamic-reshape", -1, NoAttributes)                          \
  X(kDynamicSlice, "dynamic-slice", -1, DynamicSliceAttributes)                    \
  X(kDynamicUpdateSlice, "dynamic-update-slice", -1, NoAttributes)                 \
  X(kErf, "erf", 1, ElementwiseAttributes)                                         \
  X(kExp, "exponential", 1, ElementwiseAttributes)                                 \
  X(kExpm1, "exponential-minus-one", 1, ElementwiseAttributes)                     \
  X(kFft, "fft", 1, FftAttributes)                                                 \
  X(kFloor, "floor", 1, NoAttributes)                                              \
  X(kFusion, "fusion", -1, FusionAttributes)                                       \
  X(kGather, "gather", 2, GatherAttributes)                                        \
  X(kGetDimensionSize, "get-dimension-size", 1, DimensionsAttributes)              \
  X(kGetTupleElement, "get-tuple-element", 1, GetTupleElementAttributes)           \
  X(kImag, "imag", 1, NoAttributes)                                                \
  X(kInfeed, "infeed", 1, InfeedAttributes)                                        \
  X(kIota, "iota", 0, IotaAttributes)                                              \
  X(kIsFinite, "is-finite", 1, NoAttributes)                                       \
  X(kLog, "log", 1, ElementwiseAttributes)                                         \
  X(kLog1p, "log-plus-one", 1, ElementwiseAttributes)                              \
  X(kLogistic, "logistic", 1, ElementwiseAttributes)                               \
  X(kMap, "map", -1, DimensionsAttributes)                                         \
  X(kMaximum, "maximum", 2, NoAttributes)                                          \
  X(kMinimum, "minimum", 2, NoAttributes)                                          \
  X(kMulhi, "mulhi", 2, NoAttributes)                                              \
  X(kMultiply, "multiply", 2, NoAttributes)                                        \
  X(kNegate, "negate", 1, NoAttributes)                                            \
  X(kNot, "not", 1, NoAttributes)                                                  \
  X(kOptBarrier, "opt-barrier", 1, NoAttributes)                                   \
  X(kOr, "or", 2, NoAttributes)                                                    \
  X(kOutfeed, "outfeed", 2, OutfeedAttributes)                                     \
  X(kPad, "pad", 2, PadAttributes)                                                 \
  X(kParameter, "parameter", 0, ParameterAttributes)                               \
  X(kPartitionId, "partition-id", 0, NoAttributes)                                 \
  X(kPopcnt, "popcnt", 1, NoAttributes)                                            \
  X(kPower, "power", 2, ElementwiseAttributes)                                     \
  X(kRaggedAllToAll, "ragged-all-to-all", 6, CollectiveAttributes)                 \
  X(kRaggedDot, "ragged-dot", 3, DotAttributes)                                    \
  X(kReal, "real", 1, NoAttributes)                                                \
  X(kRecv, "recv", -1, SendRecvAttributes)                                         \
  X(kRecvDone, "recv-done", 1, SendRecvAttributes)                                 \
  X(kReduce, "reduce", -1, DimensionsAttributes)                                   \
  X(kReducePrecision, "reduce-precision", 1, ReducePrecisionAttributes)            \
  X(kReduceScatter, "reduce-scatter", -1, CollectiveAttributes)                    \
  X(kReduceWindow, "reduce-window", -1, WindowAttributes)                          \
  X(kRemainder, "remainder", 2, NoAttributes)                                      \
  X(kReplicaId, "replica-id", 0, NoAttributes)                                     \
  X(kReshape, "reshape", 1, ReshapeAttributes)                                     \
  X(kReverse, "reverse", 1, DimensionsAttributes)                                  \
  X(kRng, "rng", -1, RngAttributes)                                                \
  X(kRngBitGenerator, "rng-bit-generator", 1, RngBitGeneratorAttributes)           \
  X(kRngGetAndUpdateState, "rng-get-and-update-state", 0, RngStateAttributes)      \
  X(kRoundNearestAfz, "round-nearest-afz", 1, NoAttributes)                        \
  X(kRoundNearestEven, "round-nearest-even", 1, NoAttributes)                      \
  X(kRsqrt, "rsqrt", 1, ElementwiseAttributes)                                     \
  X(kScaledDot, "scaled-dot", 4, DotAttributes)                                    \
  X(kScan, "scan", -1, ScanAttributes)                                             \
  X(kScatter, "scatter", -1, ScatterAttributes)                                    \
  X(kSelect, "select", 3, NoAttributes)                                            \
  X(kSelectAndScatter, "select-and-scatter", 3, WindowAttributes)                  \
  X(kSend, "send", 2, SendRecvAttributes)                                          \
  X(kSendDone, "send-done", 1, SendRecvAttributes)                                 \
  X(kSetDimensionSize, "set-dimension-size", 2, DimensionsAttributes)              \
  X(kShiftLeft, "shift-left", 2, NoAttributes)                                     \
  X(kShiftRightArithmetic, "shift-right-arithmetic", 2, NoAttributes)              \
  X(kShiftRightLogical, "shift-right-logical", 2, NoAttributes)                    \
  X(kSign, "sign", 1, NoAttributes)                                                \
  X(kSin, "sine", 1, ElementwiseAttributes)                                        \
  X(kSinh, "sinh", 1, ElementwiseAttributes)                                       \
  X(kSlice, "slice", 1, SliceAttributes)                                           \
  X(kSort, "sort", -1, SortAttributes)                                             \
  X(kSqrt, "sqrt", 1, ElementwiseAttributes)                                       \
  X(kStochasticConvert, "stochastic-convert", 2, NoAttributes)                     \
  X(kSubtract, "subtract", 2, NoAttributes)                                        \
  X(kTan, "tan", 1, ElementwiseAttributes)                                         \
  X(kTanh, "tanh", 1, ElementwiseAttributes)                                       \
  X(kTopK, "topk", 1, TopKAttributes)                                              \
  X(kTranspose, "transpose", 1, DimensionsAttributes)                              \
  X(kTriangularSolve, "triangular-solve", 2, TriangularSolveAttributes)            \
  X(kTuple, "tuple", -1, NoAttributes)                                             \
  X(kWhile, "while", 1, NoAttributes)                                              \
  X(kXor, "xor", 2, NoAttributes)

enum class Opcode : uint8_t {
#define X(enumerator, text, arity, attributes) enumerator,
  SUBFLOOR_OPCODES(X)
#undef X
};

std::string_view ToString(Opcode opcode);
std::optional<Opcode> OpcodeFromString(std::string_view text);

/// Operand count, or nullopt when it varies.
std::optional<int> ArityOf(Opcode opcode);

/// How many opcodes there are.
inline constexpr int kOpcodeCount = static_cast<int>(Opcode::kXor) + 1;

/// One result element depends on the elements of the operands at the same index, and on nothing else.
/// Includes select, clamp, compare, convert, complex, map-free; excludes broadcast, bitcast-convert and
/// anything that moves elements.
bool IsElementwise(Opcode opcode);

/// May not be removed, duplicated or merged, whatever its users: infeed, outfeed, send, recv, collectives,
/// rng, rng state, and (by its attribute, see Instruction::HasSideEffect) custom-call.
bool HasSideEffect(Opcode opcode);

}  // namespace subfloor::hlo
