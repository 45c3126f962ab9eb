#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "hlo/computation.h"
#include "hlo/module.h"
#include "types/literal.h"

namespace subfloor::hlo {

/// Adds instructions to a computation and works out their shapes.
///
/// Every call checks what it is given. The first error sticks: that call and all later ones return a harmless
/// placeholder, and status() (or Finish) tells what was wrong, so that building reads as a list of
/// operations:
///
///     Builder b(module.AddComputation("main"));
///     Instruction* x = b.Parameter(0, Shape::ArrayOf(ElementType::kF32, {8}));
///     SF_CHECK(b.Finish(b.Multiply(b.Exp(x), b.Full(x->shape(), 2.0))));
///
/// Results have row-major layouts. After an error the computation is good for nothing but removal.
/// Not thread-safe; a Module is for one thread at a time.
class Builder {
 public:
  using Operands = std::span<Instruction* const>;
  using Dims = std::span<const int64_t>;

  explicit Builder(Computation* computation) : computation_(computation) {}

  Computation* computation() const { return computation_; }
  Module* module() const { return computation_->parent(); }
  bool ok() const { return status_.has_value(); }
  const Status& status() const { return status_; }
  /// Makes `root` the root and returns the status.
  Status Finish(Instruction* root);
  /// New instructions carry this one's metadata from now on (none for nullptr): for passes that replace it.
  void DescribeAs(const Instruction* original) { described_as_ = original; }

  // Any operation. ----------------------------------------------------------------------------------------
  /// One whose shape follows from its operands.
  Instruction* Make(Opcode opcode, Operands operands, std::optional<Attributes> attributes = std::nullopt,
                    std::span<Computation* const> called = {});
  Instruction* Make(Opcode opcode, std::initializer_list<Instruction*> operands,
                    std::optional<Attributes> attributes = std::nullopt,
                    std::initializer_list<Computation*> called = {}) {
    return Make(opcode, Operands(operands.begin(), operands.size()), std::move(attributes),
                std::span<Computation* const>(called.begin(), called.size()));
  }
  /// One with a shape of the caller's choice, checked against operands and attributes.
  Instruction* MakeAs(const Shape& shape, Opcode opcode, Operands operands,
                      std::optional<Attributes> attributes = std::nullopt,
                      std::span<Computation* const> called = {});
  Instruction* MakeAs(const Shape& shape, Opcode opcode, std::initializer_list<Instruction*> operands,
                      std::optional<Attributes> attributes = std::nullopt,
                      std::initializer_list<Computation*> called = {}) {
    return MakeAs(shape, opcode, Operands(operands.begin(), operands.size()), std::move(attributes),
                  std::span<Computation* const>(called.begin(), called.size()));
  }

  // Values from nowhere. ----------------------------------------------------------------------------------
  Instruction* Parameter(int64_t number, const Shape& shape, std::string_view name = {});
  Instruction* Constant(Literal literal);
  /// A scalar of any array type, rounded once; complex types get a zero imaginary part.
  Instruction* Scalar(ElementType type, double value);
  /// A scalar of any array type; integers wrap to its width.
  Instruction* ScalarInt(ElementType type, int64_t value);
  /// The scalar's bits as FromDouble and friends make them.
  Instruction* ScalarBits(ElementType type, uint64_t bits);
  /// An array of `shape`'s type and sizes with one value everywhere (a broadcast scalar).
  Instruction* Full(const Shape& shape, double value);
  Instruction* FullInt(const Shape& shape, int64_t value);
  Instruction* Iota(const Shape& shape, int64_t dimension);

  // Elementwise. ------------------------------------------------------------------------------------------
  // clang-format off
#define SUBFLOOR_BUILDER_UNARY(X)                                                                      \
  X(Abs) X(Acos) X(Acosh) X(Asin) X(Asinh) X(Atanh) X(Cbrt) X(Ceil) X(Copy) X(Cosine) X(Cosh)          \
  X(CountLeadingZeros) X(Erf) X(Exp) X(Expm1) X(Floor) X(Imag) X(IsFinite) X(Log) X(Log1p) X(Logistic) \
  X(Negate) X(Not) X(Popcnt) X(Real) X(RoundNearestAfz) X(RoundNearestEven) X(Rsqrt) X(Sign) X(Sin)    \
  X(Sinh) X(Sqrt) X(Tan) X(Tanh)
// clang-format on
#define X(name) \
  Instruction* name(Instruction* x) { return Make(Opcode::k##name, {x}); }
  SUBFLOOR_BUILDER_UNARY(X)
#undef X
#undef SUBFLOOR_BUILDER_UNARY
  // clang-format off
#define SUBFLOOR_BUILDER_BINARY(X)                                                                      \
  X(Add) X(And) X(Atan2) X(Complex) X(Divide) X(Maximum) X(Minimum) X(Mulhi) X(Multiply) X(Or) X(Power) \
  X(Remainder) X(ShiftLeft) X(ShiftRightArithmetic) X(ShiftRightLogical) X(Subtract) X(Xor)
// clang-format on
#define X(name) \
  Instruction* name(Instruction* x, Instruction* y) { return Make(Opcode::k##name, {x, y}); }
  SUBFLOOR_BUILDER_BINARY(X)
#undef X
#undef SUBFLOOR_BUILDER_BINARY
  Instruction* Compare(Instruction* x, Instruction* y, ComparisonDirection direction,
                       ComparisonType type = ComparisonType::kDefault);
  Instruction* Select(Instruction* pred, Instruction* on_true, Instruction* on_false);
  Instruction* Clamp(Instruction* low, Instruction* x, Instruction* high);
  /// x itself when it has the type already.
  Instruction* Convert(Instruction* x, ElementType type);
  /// The shape follows: a dimension of the size ratio comes or goes at the end.
  Instruction* BitcastConvert(Instruction* x, ElementType type);

  // Movers. -----------------------------------------------------------------------------------------------
  /// x's dimension i becomes dimension `mapping[i]` of an array of sizes `dimensions`.
  Instruction* Broadcast(Instruction* x, Dims dimensions, Dims mapping);
  Instruction* Broadcast(Instruction* x, std::initializer_list<int64_t> dimensions,
                         std::initializer_list<int64_t> mapping) {
    return Broadcast(x, Dims(dimensions.begin(), dimensions.size()), Dims(mapping.begin(), mapping.size()));
  }
  /// x itself when it has the sizes already.
  Instruction* Reshape(Instruction* x, Dims dimensions);
  Instruction* Reshape(Instruction* x, std::initializer_list<int64_t> dimensions) {
    return Reshape(x, Dims(dimensions.begin(), dimensions.size()));
  }
  Instruction* Transpose(Instruction* x, Dims permutation);
  Instruction* Transpose(Instruction* x, std::initializer_list<int64_t> permutation) {
    return Transpose(x, Dims(permutation.begin(), permutation.size()));
  }
  Instruction* Reverse(Instruction* x, std::vector<int64_t> dimensions);
  Instruction* Slice(Instruction* x, SliceRanges ranges);
  /// [start, limit) of one dimension, all of the others.
  Instruction* SliceIn(Instruction* x, int64_t dimension, int64_t start, int64_t limit);
  Instruction* Pad(Instruction* x, Instruction* value, Padding padding);
  Instruction* Concatenate(Operands parts, int64_t dimension);
  Instruction* Concatenate(std::initializer_list<Instruction*> parts, int64_t dimension) {
    return Concatenate(Operands(parts.begin(), parts.size()), dimension);
  }
  Instruction* DynamicSlice(Instruction* x, Operands starts, std::vector<int64_t> sizes);
  Instruction* DynamicUpdateSlice(Instruction* x, Instruction* update, Operands starts);
  Instruction* Gather(Instruction* x, Instruction* indices, GatherAttributes attributes);
  Instruction* Scatter(Instruction* x, Instruction* indices, Instruction* updates,
                       ScatterAttributes attributes, Computation* combiner);

  // Reductions and products. ------------------------------------------------------------------------------
  Instruction* Reduce(Instruction* x, Instruction* init, std::vector<int64_t> dimensions,
                      Computation* reducer);
  /// Several inputs at once: a tuple.
  Instruction* Reduce(Operands inputs, Operands inits, std::vector<int64_t> dimensions, Computation* reducer);
  Instruction* ReduceWindow(Instruction* x, Instruction* init, Window window, Computation* reducer);
  Instruction* Sort(Operands operands, int64_t dimension, Computation* comparator, bool is_stable = true);
  /// In the operands' type, or in `type` if given.
  Instruction* Dot(Instruction* lhs, Instruction* rhs, DotAttributes attributes,
                   std::optional<ElementType> type = std::nullopt);
  Instruction* Convolution(Instruction* input, Instruction* kernel, ConvolutionAttributes attributes,
                           std::optional<ElementType> type = std::nullopt);

  // Tuples and control. -----------------------------------------------------------------------------------
  Instruction* Tuple(Operands elements) { return Make(Opcode::kTuple, elements); }
  Instruction* Tuple(std::initializer_list<Instruction*> elements) { return Make(Opcode::kTuple, elements); }
  Instruction* GetTupleElement(Instruction* tuple, int64_t index);
  Instruction* While(Instruction* init, Computation* condition, Computation* body);
  /// By pred[] (branches: true, false) or s32[] (one branch a value); branch i takes arguments[i].
  Instruction* Conditional(Instruction* selector, Operands arguments, std::span<Computation* const> branches);
  Instruction* Call(Operands arguments, Computation* callee);
  Instruction* Fusion(FusionKind kind, Operands operands, Computation* body);
  Instruction* CustomCall(const Shape& shape, std::string_view target, Operands operands);

 private:
  Instruction* Fail(Error error);
  Instruction* Insert(const Shape& shape, Opcode opcode, Operands operands, Attributes attributes,
                      std::span<Computation* const> called);
  Status CheckOperands(Opcode opcode, Operands operands) const;

  Computation* computation_;
  Status status_;
  Instruction* placeholder_ = nullptr;  // what calls return after an error
  const Instruction* described_as_ = nullptr;
};

/// `(x, y) -> opcode(x, y)` on scalars, as reduce, scatter and all-reduce want it.
Computation* MakeScalarComputation(Module& module, Opcode opcode, ElementType type);
/// `(x0, y0, x1, y1, ...) -> compare(x0, y0)` on scalars, as sort wants it: one type for each operand sorted.
Computation* MakeComparator(Module& module, ComparisonDirection direction, std::span<const ElementType> types,
                            ComparisonType type = ComparisonType::kDefault);

}  // namespace subfloor::hlo
