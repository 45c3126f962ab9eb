#include "hlo/builder.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "hlo/shape_inference.h"
#include "types/narrow.h"

namespace subfloor::hlo {

Instruction* Builder::Fail(Error error) {
  if (status_) status_ = std::unexpected(std::move(error));
  if (placeholder_ == nullptr) placeholder_ = computation_->Add(Opcode::kAfterAll, Shape::Token(), {});
  return placeholder_;
}

Status Builder::Finish(Instruction* root) {
  if (status_ && (root == nullptr || root->parent() != computation_)) {
    Fail(Error(ErrorKind::kInternal,
               fmt::format("the root of %{} is none of its instructions", computation_->name())));
  }
  if (status_) computation_->set_root(root);
  return status_;
}

Status Builder::CheckOperands(Opcode opcode, Operands operands) const {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] == nullptr) return InternalError("operand {} of {} is missing", i, ToString(opcode));
    if (operands[i]->parent() != computation_) {
      return InternalError("operand {} of {}, %{}, is in another computation than %{}", i, ToString(opcode),
                           operands[i]->name(), computation_->name());
    }
  }
  return {};
}

Instruction* Builder::Insert(const Shape& shape, Opcode opcode, Operands operands, Attributes attributes,
                             std::span<Computation* const> called) {
  Instruction* made =
      computation_->Add(opcode, shape.WithDefaultLayout(), operands, std::move(attributes), called);
  if (described_as_ != nullptr && !described_as_->annotations().metadata.empty()) {
    made->mutable_annotations().metadata = described_as_->annotations().metadata;
  }
  return made;
}

namespace {

absl::InlinedVector<const Shape*, 8> ShapesOf(Builder::Operands operands) {
  absl::InlinedVector<const Shape*, 8> shapes;
  for (const Instruction* operand : operands) shapes.push_back(&operand->shape());
  return shapes;
}

}  // namespace

Instruction* Builder::Make(Opcode opcode, Operands operands, std::optional<Attributes> attributes,
                           std::span<Computation* const> called) {
  if (!ok()) return placeholder_;
  if (Status status = CheckOperands(opcode, operands); !status) return Fail(std::move(status).error());
  Attributes given = attributes ? *std::move(attributes) : DefaultAttributes(opcode);
  Result<Shape> shape = InferShape(opcode, ShapesOf(operands), given, called);
  if (!shape) return Fail(std::move(shape).error());
  return Insert(*shape, opcode, operands, std::move(given), called);
}

Instruction* Builder::MakeAs(const Shape& shape, Opcode opcode, Operands operands,
                             std::optional<Attributes> attributes, std::span<Computation* const> called) {
  if (!ok()) return placeholder_;
  if (Status status = CheckOperands(opcode, operands); !status) return Fail(std::move(status).error());
  if (shape.IsOversized()) {
    return Fail(
        Error(ErrorKind::kBadInput, fmt::format("{} has more than 2^63 - 1 bytes", shape.ToString(false))));
  }
  Attributes given = attributes ? *std::move(attributes) : DefaultAttributes(opcode);
  if (Status status = CheckShape(shape, opcode, ShapesOf(operands), given, called); !status) {
    return Fail(std::move(status).error());
  }
  return Insert(shape, opcode, operands, std::move(given), called);
}

Instruction* Builder::Parameter(int64_t number, const Shape& shape, std::string_view name) {
  if (!ok()) return placeholder_;
  constexpr int64_t kMost = 1 << 24;
  if (number < 0 || number >= kMost) {
    return Fail(
        Error(ErrorKind::kBadInput, fmt::format("parameter number {}; 0 to {} work", number, kMost - 1)));
  }
  if (number < computation_->parameter_count() && computation_->parameter(number) != nullptr) {
    return Fail(Error(ErrorKind::kBadInput,
                      fmt::format("%{} has a parameter {} already", computation_->name(), number)));
  }
  return computation_->AddParameter(number, shape.WithDefaultLayout(), name);
}

Instruction* Builder::Constant(Literal literal) {
  if (!ok()) return placeholder_;
  const Shape shape = literal.shape();
  return MakeAs(shape, Opcode::kConstant, {}, ConstantAttributes{std::move(literal), false});
}

Instruction* Builder::ScalarBits(ElementType type, uint64_t bits) {
  if (!ok()) return placeholder_;
  Result<Literal> literal = Literal::Zeros(Shape::Scalar(type));
  if (!literal) return Fail(std::move(literal).error());
  SetBits(*literal, 0, bits);
  return Constant(*std::move(literal));
}

Instruction* Builder::Scalar(ElementType type, double value) {
  if (!ok()) return placeholder_;
  Result<Literal> literal = Literal::Zeros(Shape::Scalar(type));
  if (!literal) return Fail(std::move(literal).error());
  SetFromDouble(*literal, 0, value);
  return Constant(*std::move(literal));
}

Instruction* Builder::ScalarInt(ElementType type, int64_t value) {
  if (!ok()) return placeholder_;
  Result<Literal> literal = Literal::Zeros(Shape::Scalar(type));
  if (!literal) return Fail(std::move(literal).error());
  SetFromInt(*literal, 0, value);
  return Constant(*std::move(literal));
}

Instruction* Builder::Full(const Shape& shape, double value) {
  Instruction* scalar = Scalar(shape.element_type(), value);
  return shape.rank() == 0 ? scalar : Broadcast(scalar, shape.dimensions(), {});
}

Instruction* Builder::FullInt(const Shape& shape, int64_t value) {
  Instruction* scalar = ScalarInt(shape.element_type(), value);
  return shape.rank() == 0 ? scalar : Broadcast(scalar, shape.dimensions(), {});
}

Instruction* Builder::Iota(const Shape& shape, int64_t dimension) {
  return MakeAs(shape.WithoutLayout(), Opcode::kIota, {}, IotaAttributes{dimension});
}

Instruction* Builder::Compare(Instruction* x, Instruction* y, ComparisonDirection direction,
                              ComparisonType type) {
  return Make(Opcode::kCompare, {x, y}, CompareAttributes{direction, type});
}

Instruction* Builder::Select(Instruction* pred, Instruction* on_true, Instruction* on_false) {
  return Make(Opcode::kSelect, {pred, on_true, on_false});
}

Instruction* Builder::Clamp(Instruction* low, Instruction* x, Instruction* high) {
  return Make(Opcode::kClamp, {low, x, high});
}

Instruction* Builder::Convert(Instruction* x, ElementType type) {
  if (!ok() || x == nullptr || x->shape().element_type() == type) return x;
  Shape shape = x->shape().WithoutLayout();
  if (shape.IsArray()) shape = shape.WithElementType(type);
  return MakeAs(shape, Opcode::kConvert, {x});
}

Instruction* Builder::BitcastConvert(Instruction* x, ElementType type) {
  if (!ok()) return placeholder_;
  const Shape& from = x->shape();
  std::vector<int64_t> dimensions(from.dimensions().begin(), from.dimensions().end());
  const int from_bits = BitWidth(from.element_type()), to_bits = BitWidth(type);
  if (to_bits > 0 && from_bits > to_bits) dimensions.push_back(from_bits / to_bits);
  if (from_bits < to_bits && !dimensions.empty()) dimensions.pop_back();
  return MakeAs(Shape::ArrayOf(type, dimensions), Opcode::kBitcastConvert, {x});
}

Instruction* Builder::Broadcast(Instruction* x, Dims dimensions, Dims mapping) {
  if (!ok()) return placeholder_;
  return MakeAs(Shape::ArrayOf(x->shape().element_type(), dimensions), Opcode::kBroadcast, {x},
                DimensionsAttributes{{mapping.begin(), mapping.end()}});
}

Instruction* Builder::Reshape(Instruction* x, Dims dimensions) {
  if (!ok() || std::ranges::equal(x->shape().dimensions(), dimensions)) return x;
  return MakeAs(Shape::ArrayOf(x->shape().element_type(), dimensions), Opcode::kReshape, {x});
}

Instruction* Builder::Transpose(Instruction* x, Dims permutation) {
  return Make(Opcode::kTranspose, {x}, DimensionsAttributes{{permutation.begin(), permutation.end()}});
}

Instruction* Builder::Reverse(Instruction* x, std::vector<int64_t> dimensions) {
  return Make(Opcode::kReverse, {x}, DimensionsAttributes{std::move(dimensions)});
}

Instruction* Builder::Slice(Instruction* x, SliceRanges ranges) {
  return Make(Opcode::kSlice, {x}, SliceAttributes{std::move(ranges)});
}

Instruction* Builder::SliceIn(Instruction* x, int64_t dimension, int64_t start, int64_t limit) {
  if (!ok()) return placeholder_;
  SliceRanges ranges;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    if (d == dimension) {
      ranges.push_back({start, limit, 1});
    } else {
      ranges.push_back({0, x->shape().dimension(d), 1});
    }
  }
  return Slice(x, std::move(ranges));
}

Instruction* Builder::Pad(Instruction* x, Instruction* value, Padding padding) {
  return Make(Opcode::kPad, {x, value}, PadAttributes{std::move(padding)});
}

Instruction* Builder::Concatenate(Operands parts, int64_t dimension) {
  return Make(Opcode::kConcatenate, parts, DimensionsAttributes{{dimension}});
}

Instruction* Builder::DynamicSlice(Instruction* x, Operands starts, std::vector<int64_t> sizes) {
  std::vector<Instruction*> operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return Make(Opcode::kDynamicSlice, operands, DynamicSliceAttributes{std::move(sizes)});
}

Instruction* Builder::DynamicUpdateSlice(Instruction* x, Instruction* update, Operands starts) {
  std::vector<Instruction*> operands = {x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return Make(Opcode::kDynamicUpdateSlice, operands);
}

Instruction* Builder::Gather(Instruction* x, Instruction* indices, GatherAttributes attributes) {
  return Make(Opcode::kGather, {x, indices}, std::move(attributes));
}

Instruction* Builder::Scatter(Instruction* x, Instruction* indices, Instruction* updates,
                              ScatterAttributes attributes, Computation* combiner) {
  return Make(Opcode::kScatter, {x, indices, updates}, std::move(attributes), {combiner});
}

Instruction* Builder::Reduce(Instruction* x, Instruction* init, std::vector<int64_t> dimensions,
                             Computation* reducer) {
  return Make(Opcode::kReduce, {x, init}, DimensionsAttributes{std::move(dimensions)}, {reducer});
}

Instruction* Builder::Reduce(Operands inputs, Operands inits, std::vector<int64_t> dimensions,
                             Computation* reducer) {
  std::vector<Instruction*> operands(inputs.begin(), inputs.end());
  operands.insert(operands.end(), inits.begin(), inits.end());
  Computation* called[] = {reducer};
  return Make(Opcode::kReduce, operands, DimensionsAttributes{std::move(dimensions)}, called);
}

Instruction* Builder::ReduceWindow(Instruction* x, Instruction* init, Window window, Computation* reducer) {
  return Make(Opcode::kReduceWindow, {x, init}, WindowAttributes{std::move(window)}, {reducer});
}

Instruction* Builder::Sort(Operands operands, int64_t dimension, Computation* comparator, bool is_stable) {
  Computation* called[] = {comparator};
  return Make(Opcode::kSort, operands, SortAttributes{{dimension}, is_stable}, called);
}

Instruction* Builder::Dot(Instruction* lhs, Instruction* rhs, DotAttributes attributes,
                          std::optional<ElementType> type) {
  Instruction* dot = Make(Opcode::kDot, {lhs, rhs}, std::move(attributes));
  if (!ok() || !type) return dot;
  // The sizes are known now; the type is a matter of the check alone.
  Shape shape = dot->shape().WithElementType(*type);
  Attributes given = dot->attributes();
  computation_->Remove(dot);
  return MakeAs(shape, Opcode::kDot, {lhs, rhs}, std::move(given));
}

Instruction* Builder::Convolution(Instruction* input, Instruction* kernel, ConvolutionAttributes attributes,
                                  std::optional<ElementType> type) {
  Instruction* made = Make(Opcode::kConvolution, {input, kernel}, std::move(attributes));
  if (!ok() || !type) return made;
  Shape shape = made->shape().WithElementType(*type);
  Attributes given = made->attributes();
  computation_->Remove(made);
  return MakeAs(shape, Opcode::kConvolution, {input, kernel}, std::move(given));
}

Instruction* Builder::GetTupleElement(Instruction* tuple, int64_t index) {
  return Make(Opcode::kGetTupleElement, {tuple}, GetTupleElementAttributes{index});
}

Instruction* Builder::While(Instruction* init, Computation* condition, Computation* body) {
  return Make(Opcode::kWhile, {init}, std::nullopt, {condition, body});
}

Instruction* Builder::Conditional(Instruction* selector, Operands arguments,
                                  std::span<Computation* const> branches) {
  std::vector<Instruction*> operands = {selector};
  operands.insert(operands.end(), arguments.begin(), arguments.end());
  return Make(Opcode::kConditional, operands, std::nullopt, branches);
}

Instruction* Builder::Call(Operands arguments, Computation* callee) {
  Computation* called[] = {callee};
  return Make(Opcode::kCall, arguments, std::nullopt, called);
}

Instruction* Builder::Fusion(FusionKind kind, Operands operands, Computation* body) {
  Computation* called[] = {body};
  return Make(Opcode::kFusion, operands, FusionAttributes{kind, {}}, called);
}

Instruction* Builder::CustomCall(const Shape& shape, std::string_view target, Operands operands) {
  CustomCallAttributes attributes;
  attributes.target.text = target;
  return MakeAs(shape, Opcode::kCustomCall, operands, std::move(attributes));
}

Computation* MakeScalarComputation(Module& module, Opcode opcode, ElementType type) {
  Computation* computation = module.AddComputation(fmt::format("{}_{}", ToString(opcode), ToString(type)));
  const Shape scalar = Shape::Scalar(type).WithDefaultLayout();
  Instruction* x = computation->AddParameter(0, scalar, "x");
  Instruction* y = computation->AddParameter(1, scalar, "y");
  computation->set_root(computation->Add(opcode, scalar, {x, y}));
  return computation;
}

Computation* MakeComparator(Module& module, ComparisonDirection direction, std::span<const ElementType> types,
                            ComparisonType type) {
  Computation* computation = module.AddComputation("comparator");
  for (size_t i = 0; i < types.size(); ++i) {
    const Shape scalar = Shape::Scalar(types[i]).WithDefaultLayout();
    computation->AddParameter(static_cast<int64_t>(2 * i), scalar, fmt::format("x{}", i));
    computation->AddParameter(static_cast<int64_t>(2 * i + 1), scalar, fmt::format("y{}", i));
  }
  computation->set_root(computation->Add(
      Opcode::kCompare, Shape::Scalar(ElementType::kPred).WithDefaultLayout(),
      {computation->parameter(0), computation->parameter(1)}, CompareAttributes{direction, type}));
  return computation;
}

}  // namespace subfloor::hlo
