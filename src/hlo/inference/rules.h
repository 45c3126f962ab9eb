#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "hlo/attributes.h"
#include "hlo/computation.h"
#include "hlo/opcode.h"
#include "types/shape.h"

/// The rules behind shape_inference.h, one function for each kind of operation, grouped by family: a family a
/// file. A rule checks operands and attributes and returns the result's shape without layout. Rules of
/// operations whose shape must be written find it in `written` (never null for them), check it and return it.
namespace subfloor::hlo::inference {

struct OpView {
  Opcode opcode;
  std::span<const Shape* const> operands;
  const Attributes& attributes;
  std::span<Computation* const> called;
  const Shape* written = nullptr;

  const Shape& operand(size_t i) const { return *operands[i]; }
  size_t operand_count() const { return operands.size(); }
  template <typename T>
  const T& As() const {
    return attributes.Get<T>();
  }
  std::string_view name() const { return ToString(opcode); }
};

// common.cc: what rules are made of. ------------------------------------------------------------------------

/// "operand 1 is f32[3], add wants ..." as an error.
std::unexpected<Error> WrongOperand(const OpView& op, size_t i, std::string_view wanted);
Status WantOperands(const OpView& op, size_t least, size_t most);
Status WantCalled(const OpView& op, size_t count);
Status WantArrays(const OpView& op);
Status WantArray(const OpView& op, size_t i);
/// Operand i is a scalar integer.
Status WantIntegerScalar(const OpView& op, size_t i);
/// Dimension numbers of `attribute` lie in [0, rank), none twice; ascending if `sorted`.
Status WantDimensions(const OpView& op, std::string_view attribute, std::span<const int64_t> dimensions,
                      int64_t rank, bool sorted = false);
/// A size, stride, dilation or padding of dimension d of `what` ("the window"): at most 2^40 either way, so
/// that every later computation with it stays inside int64.
Status WantWindowNumber(const OpView& op, std::string_view what, int64_t value, int64_t d);
Status WantSameSize(const OpView& op, std::string_view what, std::span<const int64_t> a,
                    std::span<const int64_t> b);

/// Sizes of one dimension of two operands agree: equal, or one of them unbounded.
bool SizesAgree(int64_t a, int64_t b);
bool DimensionsAgree(const Shape& a, const Shape& b);

/// Sizes and dynamic marks while a result is put together.
struct Dims {
  std::vector<int64_t> sizes;
  std::vector<uint8_t> dynamic;
  void Add(int64_t size, bool is_dynamic) {
    sizes.push_back(size);
    dynamic.push_back(is_dynamic ? 1 : 0);
  }
  void AddFrom(const Shape& shape, int64_t i) { Add(shape.dimension(i), shape.IsDynamic(i)); }
  void InsertFrom(size_t at, const Shape& shape, int64_t i) {
    sizes.insert(sizes.begin() + static_cast<int64_t>(at), shape.dimension(i));
    dynamic.insert(dynamic.begin() + static_cast<int64_t>(at), shape.IsDynamic(i) ? 1 : 0);
  }
  Result<Shape> Make(ElementType type) const;
};

/// Shape of `like` with another type and no layout.
Shape Retyped(const Shape& like, ElementType type);
/// One shape as itself, several as a tuple.
Shape OneOrTuple(std::vector<Shape> shapes);

/// Checks that a computation takes parameters compatible (layouts aside) with these shapes.
Status WantParameters(const OpView& op, const Computation& computation, std::string_view role,
                      std::span<const Shape* const> shapes);
/// A computation's root shape; an error when it has no root.
Result<const Shape*> RootShape(const OpView& op, const Computation& computation);
/// Checks a reducer of N pairs: 2N scalar parameters (accumulators, then values), N scalar results; element
/// types equal `types` (and `inits`) up to precision. Gives the result types.
Result<std::vector<ElementType>> ReducerTypes(const OpView& op, const Computation& reducer,
                                              std::span<const ElementType> types,
                                              std::span<const ElementType> inits);

// Families. -------------------------------------------------------------------------------------------------

// elementwise.cc
Result<Shape> InferUnary(const OpView& op);
Result<Shape> InferBinary(const OpView& op);
Result<Shape> InferCompare(const OpView& op);
Result<Shape> InferSelect(const OpView& op);
Result<Shape> InferClamp(const OpView& op);
Result<Shape> InferConvert(const OpView& op);
Result<Shape> InferBitcastConvert(const OpView& op);
Result<Shape> InferStochasticConvert(const OpView& op);
Result<Shape> InferReducePrecision(const OpView& op);
Result<Shape> InferMap(const OpView& op);

// movers.cc
Result<Shape> InferIota(const OpView& op);
Result<Shape> InferBroadcast(const OpView& op);
Result<Shape> InferReshape(const OpView& op);
Result<Shape> InferDynamicReshape(const OpView& op);
Result<Shape> InferBitcast(const OpView& op);
Result<Shape> InferTranspose(const OpView& op);
Result<Shape> InferReverse(const OpView& op);
Result<Shape> InferSlice(const OpView& op);
Result<Shape> InferPad(const OpView& op);
Result<Shape> InferConcatenate(const OpView& op);
Result<Shape> InferDynamicSlice(const OpView& op);
Result<Shape> InferDynamicUpdateSlice(const OpView& op);
Result<Shape> InferGetDimensionSize(const OpView& op);
Result<Shape> InferSetDimensionSize(const OpView& op);

// reductions.cc
Result<Shape> InferReduce(const OpView& op);
Result<Shape> InferReduceWindow(const OpView& op);
Result<Shape> InferSelectAndScatter(const OpView& op);
Result<Shape> InferScan(const OpView& op);
Result<Shape> InferSort(const OpView& op);
Result<Shape> InferTopK(const OpView& op);
/// The window's output sizes over a base; checks every number of the window.
Result<Dims> WindowOutput(const OpView& op, const Shape& base, const Window& window);
Status CheckWindow(const OpView& op, const Window& window);

// products.cc
Result<Shape> InferDot(const OpView& op);
Result<Shape> InferRaggedDot(const OpView& op);
Result<Shape> InferScaledDot(const OpView& op);
Result<Shape> InferConvolution(const OpView& op);

// gather_scatter.cc
Result<Shape> InferGather(const OpView& op);
Result<Shape> InferScatter(const OpView& op);

// numeric.cc
Result<Shape> InferBatchNorm(const OpView& op);
Result<Shape> InferFft(const OpView& op);
Result<Shape> InferCholesky(const OpView& op);
Result<Shape> InferTriangularSolve(const OpView& op);
Result<Shape> InferRng(const OpView& op);
Result<Shape> InferRngBitGenerator(const OpView& op);
Result<Shape> InferRngState(const OpView& op);

// control.cc
Result<Shape> InferParameter(const OpView& op);
Result<Shape> InferConstant(const OpView& op);
Result<Shape> InferTuple(const OpView& op);
Result<Shape> InferGetTupleElement(const OpView& op);
Result<Shape> InferWhile(const OpView& op);
Result<Shape> InferConditional(const OpView& op);
Result<Shape> InferCall(const OpView& op);  ///< call and fusion
Result<Shape> InferCustomCall(const OpView& op);
Result<Shape> InferIdentity(const OpView& op);  ///< opt-barrier, domain
Result<Shape> InferAfterAll(const OpView& op);
Result<Shape> InferAddDependency(const OpView& op);
Result<Shape> InferAsyncStart(const OpView& op);
Result<Shape> InferAsyncUpdate(const OpView& op);
Result<Shape> InferAsyncDone(const OpView& op);
Result<Shape> InferCopyStart(const OpView& op);
Result<Shape> InferCopyDone(const OpView& op);
Result<Shape> InferInfeed(const OpView& op);
Result<Shape> InferOutfeed(const OpView& op);
Result<Shape> InferSend(const OpView& op);
Result<Shape> InferSendDone(const OpView& op);
Result<Shape> InferRecv(const OpView& op);
Result<Shape> InferRecvDone(const OpView& op);

// collectives.cc
Result<Shape> InferAllReduce(const OpView& op);  ///< and all-reduce-start
Result<Shape> InferReduceScatter(const OpView& op);
Result<Shape> InferAllGather(const OpView& op);
Result<Shape> InferAllGatherStart(const OpView& op);
Result<Shape> InferCollectiveDone(const OpView& op);
Result<Shape> InferAllToAll(const OpView& op);
Result<Shape> InferCollectivePermute(const OpView& op);
Result<Shape> InferCollectivePermuteStart(const OpView& op);
Result<Shape> InferCollectiveBroadcast(const OpView& op);
Result<Shape> InferRaggedAllToAll(const OpView& op);
Result<Shape> InferDeviceId(const OpView& op);

}  // namespace subfloor::hlo::inference
