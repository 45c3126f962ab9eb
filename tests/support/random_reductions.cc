// Reductions, windows, sorts, products and random bits.

#include <algorithm>

#include "support/random_generator.h"

namespace subfloor::testing_support {

using enum ElementType;
using hlo::ComparisonDirection;
using hlo::ComparisonType;
using hlo::Instruction;
using hlo::Opcode;

namespace {

std::vector<int64_t> SizesOf(const Shape& shape) {
  return {shape.dimensions().begin(), shape.dimensions().end()};
}

bool IsWhole(ElementType type) { return IsIntegral(type) || IsPred(type); }

}  // namespace

RandomGenerator::Combination RandomGenerator::Combiner(ElementType type) {
  hlo::Module& module = *b_.module();
  if (type == kF8E8M0FNU || random_.OneIn(8)) {  // the value replaces what was there
    hlo::Builder c(NewComputation("overwrite"));
    c.Parameter(0, Shape::Scalar(type));
    (void)c.Finish(c.Parameter(1, Shape::Scalar(type)));
    return {c.computation()};
  }
  if (!IsPred(type) && !IsComplex(type) && random_.OneIn(8)) {  // not associative: folded in index order
    hlo::Builder c(NewComputation("fold"));
    Instruction* old = c.Parameter(0, Shape::Scalar(type));
    Instruction* value = c.Parameter(1, Shape::Scalar(type));
    Instruction* scaled =
        IsFloat(type) ? c.Multiply(old, c.Scalar(type, 0.5)) : c.Multiply(old, c.ScalarInt(type, 3));
    (void)c.Finish(c.Add(scaled, value));
    return {c.computation()};
  }
  Opcode op;
  if (IsPred(type)) {
    op = random_.Pick({Opcode::kAnd, Opcode::kOr, Opcode::kXor});
  } else if (IsComplex(type)) {
    op = Opcode::kAdd;
  } else if (IsFloat(type)) {
    op = random_.Pick(
        {Opcode::kAdd, Opcode::kAdd, Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum, Opcode::kMultiply});
  } else {
    op = random_.Pick({Opcode::kAdd, Opcode::kAdd, Opcode::kMultiply, Opcode::kMaximum, Opcode::kMinimum,
                       Opcode::kAnd, Opcode::kOr, Opcode::kXor});
  }
  return {MakeScalarComputation(module, op, type),
          op == Opcode::kAdd        ? Combination::Kind::kSum
          : op == Opcode::kMultiply ? Combination::Kind::kProduct
                                    : Combination::Kind::kOther,
          IsWhole(type) || op == Opcode::kMaximum || op == Opcode::kMinimum};
}

void RandomGenerator::AddReduction() {
  const RandomValue x = Any();
  const int64_t rank = x.shape().rank();
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < rank; ++d) {
    if (random_.OneIn(2)) dims.push_back(d);
  }
  const ElementType type = x.type();
  // The position of the largest or smallest element beside its value.
  if (random_.OneIn(5) && !IsComplex(type) && !IsPred(type) && (!options_.tame || x.exact) && rank > 0 &&
      type != kF8E8M0FNU) {
    const bool largest = random_.OneIn(2);
    hlo::Builder c(NewComputation("arg"));
    Instruction* a = c.Parameter(0, Shape::Scalar(type));
    Instruction* i = c.Parameter(1, Shape::Scalar(kS32));
    Instruction* v = c.Parameter(2, Shape::Scalar(type));
    Instruction* j = c.Parameter(3, Shape::Scalar(kS32));
    Instruction* better = c.Compare(a, v, largest ? ComparisonDirection::kGt : ComparisonDirection::kLt);
    Instruction* equal = c.Compare(a, v, ComparisonDirection::kEq);
    Instruction* first = c.Or(better, c.And(equal, c.Compare(i, j, ComparisonDirection::kLt)));
    (void)c.Finish(c.Tuple({c.Select(first, a, v), c.Select(first, i, j)}));
    Instruction* positions = b_.Iota(x.shape().WithElementType(kS32), random_.Below(rank));
    Instruction* start = b_.ScalarBits(type, 0);
    Instruction* both =
        b_.Reduce(std::vector<Instruction*>{x.value, positions},
                  std::vector<Instruction*>{start, b_.ScalarInt(kS32, 0)}, dims, c.computation());
    Keep(b_.GetTupleElement(both, 0), x.exact);
    return Keep(b_.GetTupleElement(both, 1), x.exact);
  }
  int64_t terms = 1;
  for (int64_t d : dims) terms *= x.shape().dimension(d);
  const Combination reducer = Combiner(type);
  const RandomValue init = Of(type, {});
  Keep(b_.Reduce(Combinable(reducer, x.value, terms), Combinable(reducer, init.value, terms), dims,
                 reducer.computation),
       reducer.exact && x.exact && init.exact);
}

void RandomGenerator::AddWindow() {
  const RandomValue x = Any([](const RandomValue& v) { return v.shape().rank() > 0; }, Type());
  const std::vector<int64_t> sizes = SizesOf(x.shape());
  if (sizes.empty()) return;
  // select-and-scatter first makes its source of the right size.
  if (random_.OneIn(4) && IsFloat(x.type()) && x.type() != kF8E8M0FNU && (!options_.tame || x.exact)) {
    hlo::Window window;
    std::vector<int64_t> source;
    for (int64_t size : sizes) {
      hlo::WindowDimension w;
      w.size = random_.Between(1, std::clamp<int64_t>(size, 1, 3));
      w.stride = random_.Between(1, 2);
      source.push_back(hlo::WindowOutputSize(size, w));
      window.push_back(w);
    }
    const RandomValue s = Of(x.type(), source), init = Of(x.type(), {});
    hlo::Module& module = *b_.module();
    hlo::Builder c(NewComputation("select"));
    (void)c.Finish(c.Compare(c.Parameter(0, Shape::Scalar(x.type())), c.Parameter(1, Shape::Scalar(x.type())),
                             ComparisonDirection::kGe));
    hlo::Computation* add = MakeScalarComputation(module, Opcode::kAdd, x.type());
    const int64_t terms = s.shape().element_count();
    return Keep(b_.Make(Opcode::kSelectAndScatter,
                        {x.value, Summable(s.value, terms, 1), Summable(init.value, terms, 1)},
                        hlo::WindowAttributes{window}, {c.computation(), add}),
                false);
  }
  hlo::Window window;
  for (int64_t size : sizes) {
    hlo::WindowDimension w;
    if (random_.OneIn(2)) {
      w.size = random_.Between(1, 4);
      w.stride = random_.Between(1, 3);
      w.padding_low = random_.Between(-1, 2);
      w.padding_high = random_.Between(-1, 2);
      if (random_.OneIn(4)) w.base_dilation = 2;
      if (random_.OneIn(4)) w.window_dilation = 2;
      if (hlo::WindowOutputSize(size, w) <= 0) w = {};
    }
    window.push_back(w);
  }
  int64_t terms = 1;
  for (const hlo::WindowDimension& w : window) terms *= w.size;
  const Combination reducer = Combiner(x.type());
  const RandomValue init = Of(x.type(), {});
  Keep(b_.ReduceWindow(Combinable(reducer, x.value, terms), Combinable(reducer, init.value, terms), window,
                       reducer.computation),
       reducer.exact && x.exact && init.exact);
}

void RandomGenerator::AddSort() {
  const bool tame = options_.tame;
  const RandomValue keys = Any(
      [&](const RandomValue& v) {
        return v.shape().rank() > 0 && !IsComplex(v.type()) && (v.exact || !tame);
      },
      Type());
  if (keys.shape().rank() == 0 || IsComplex(keys.type()) || (tame && !keys.exact)) return;
  const std::vector<int64_t> sizes = SizesOf(keys.shape());
  if (random_.OneIn(3) && sizes.back() > 0 && !IsPred(keys.type())) {
    const hlo::TopKAttributes attributes{
        .k = random_.Between(1, sizes.back()), .largest = random_.OneIn(2), .is_stable = true};
    Instruction* top = b_.Make(Opcode::kTopK, {keys.value}, attributes);
    Keep(b_.GetTupleElement(top, 0), keys.exact);
    return Keep(b_.GetTupleElement(top, 1), keys.exact);
  }
  std::vector<Instruction*> operands = {keys.value};
  std::vector<ElementType> types = {keys.type()};
  std::vector<bool> exact = {keys.exact};
  for (int64_t i = random_.Below(3); i > 0; --i) {
    const RandomValue payload = Of(Type(), sizes);
    operands.push_back(payload.value);
    types.push_back(payload.type());
    exact.push_back(payload.exact && keys.exact);
  }
  hlo::Computation* comparator = MakeComparator(
      *b_.module(), random_.Pick({ComparisonDirection::kLt, ComparisonDirection::kGt}), types,
      IsFloat(keys.type()) && random_.OneIn(2) ? ComparisonType::kTotalOrder : ComparisonType::kDefault);
  Instruction* sorted = b_.Sort(operands, random_.Below(keys.shape().rank()), comparator);
  if (operands.size() == 1) return Keep(sorted, exact[0]);
  for (size_t i = 0; i < operands.size(); ++i)
    Keep(b_.GetTupleElement(sorted, static_cast<int64_t>(i)), exact[i]);
}

void RandomGenerator::AddDot() {
  const ElementType type = random_.OneIn(3) ? random_.Pick({kF32, kBF16, kS8, kS32}) : Type();
  if (type == kF8E8M0FNU) return;
  hlo::DotAttributes attributes;
  // Sizes of batch, rows, columns and the sum; each operand has its dimensions in an order of its own.
  struct Operand {
    std::vector<int64_t> sizes, batch, sum;
  };
  Operand lhs, rhs;
  const auto size = [&]() { return random_.Pick<int64_t>({1, 2, 3, 4, 7, 8, 16, 17}); };
  const int64_t batches = random_.OneIn(3) ? 1 : 0,
                sums = random_.OneIn(6) ? random_.Pick<int64_t>({0, 2}) : 1;
  std::vector<int64_t> batch_sizes, sum_sizes;
  for (int64_t i = 0; i < batches; ++i) batch_sizes.push_back(random_.Between(1, 4));
  for (int64_t i = 0; i < sums; ++i) sum_sizes.push_back(size());
  for (Operand* operand : {&lhs, &rhs}) {
    struct Dim {
      int64_t size;
      int kind;  // 0 batch, 1 sum, 2 free
      size_t number;
    };
    std::vector<Dim> dims;
    for (size_t i = 0; i < batch_sizes.size(); ++i) dims.push_back({batch_sizes[i], 0, i});
    for (size_t i = 0; i < sum_sizes.size(); ++i) dims.push_back({sum_sizes[i], 1, i});
    for (int64_t i = random_.Pick<int64_t>({0, 1, 1, 1, 2}); i > 0; --i) dims.push_back({size(), 2, 0});
    operand->batch.resize(batch_sizes.size());
    operand->sum.resize(sum_sizes.size());
    for (int64_t from : random_.Permutation(static_cast<int64_t>(dims.size()))) {
      const Dim& dim = dims[static_cast<size_t>(from)];
      const auto place = static_cast<int64_t>(operand->sizes.size());
      if (dim.kind == 0) operand->batch[dim.number] = place;
      if (dim.kind == 1) operand->sum[dim.number] = place;
      operand->sizes.push_back(dim.size);
    }
  }
  attributes.lhs_batch = lhs.batch;
  attributes.rhs_batch = rhs.batch;
  attributes.lhs_contracting = lhs.sum;
  attributes.rhs_contracting = rhs.sum;
  const RandomValue a = Of(type, lhs.sizes), b = Of(type, rhs.sizes);
  std::optional<ElementType> result;
  // Not from inexact operands: see AddConversion.
  if (IsFloat(type) && BitWidth(type) <= 16 && (a.exact && b.exact) && random_.OneIn(2)) result = kF32;
  if ((type == kS8 || type == kU8) && random_.OneIn(2)) result = kS32;
  if (IsPred(type)) result = kPred;
  int64_t terms = 1;
  for (int64_t n : sum_sizes) terms *= n;
  Keep(b_.Dot(Summable(a.value, terms, 2), Summable(b.value, terms, 2), attributes, result),
       IsWhole(type) && a.exact && b.exact);
}

void RandomGenerator::AddConvolution() {
  const ElementType type = random_.Pick({kF32, kF32, kF32, kBF16, kF16, kF64, kS32});
  if (!options_.types.empty() && std::ranges::find(options_.types, type) == options_.types.end()) return;
  const int64_t spatial = random_.Between(1, 2);
  const int64_t feature_groups = random_.OneIn(4) ? 2 : 1,
                batch_groups = feature_groups == 1 && random_.OneIn(6) ? 2 : 1;
  const int64_t batch = random_.Between(1, 2) * batch_groups, in_features = random_.Between(1, 4);
  const int64_t out_features = random_.Between(1, 3) * feature_groups * batch_groups;
  hlo::ConvolutionAttributes attributes;
  attributes.feature_group_count = feature_groups;
  attributes.batch_group_count = batch_groups;

  const std::vector<int64_t> input_order = random_.Permutation(spatial + 2),
                             kernel_order = random_.Permutation(spatial + 2),
                             output_order = random_.Permutation(spatial + 2);
  hlo::ConvolutionDimensions& dims = attributes.dimensions;
  std::vector<int64_t> input(static_cast<size_t>(spatial) + 2), kernel = input;
  std::string text[3] = {std::string(input.size(), '?'), std::string(input.size(), '?'),
                         std::string(input.size(), '?')};
  const auto place = [](const std::vector<int64_t>& order, int64_t i) {
    return static_cast<size_t>(order[static_cast<size_t>(i)]);
  };
  dims.input_batch = input_order[0];
  dims.input_feature = input_order[1];
  dims.kernel_input_feature = kernel_order[0];
  dims.kernel_output_feature = kernel_order[1];
  dims.output_batch = output_order[0];
  dims.output_feature = output_order[1];
  input[place(input_order, 0)] = batch;
  input[place(input_order, 1)] = in_features * feature_groups;
  kernel[place(kernel_order, 0)] = in_features;
  kernel[place(kernel_order, 1)] = out_features;
  text[0][place(input_order, 0)] = 'b', text[0][place(input_order, 1)] = 'f';
  text[1][place(kernel_order, 0)] = 'i', text[1][place(kernel_order, 1)] = 'o';
  text[2][place(output_order, 0)] = 'b', text[2][place(output_order, 1)] = 'f';
  for (int64_t s = 0; s < spatial; ++s) {
    hlo::WindowDimension w;
    w.size = random_.Between(1, 3);
    w.stride = random_.Between(1, 2);
    w.padding_low = random_.Between(-1, 2);
    w.padding_high = random_.Between(-1, 2);
    if (random_.OneIn(5)) w.base_dilation = 2;
    if (random_.OneIn(5)) w.window_dilation = 2;
    w.reversal = random_.OneIn(5);
    const int64_t size = random_.Between(4, 9);
    if (hlo::WindowOutputSize(size, w) <= 0) w = {};
    dims.input_spatial.push_back(input_order[static_cast<size_t>(s) + 2]);
    dims.kernel_spatial.push_back(kernel_order[static_cast<size_t>(s) + 2]);
    dims.output_spatial.push_back(output_order[static_cast<size_t>(s) + 2]);
    input[place(input_order, s + 2)] = size;
    kernel[place(kernel_order, s + 2)] = w.size;
    for (size_t part = 0; part < 3; ++part) {
      const auto& order = part == 0 ? input_order : part == 1 ? kernel_order : output_order;
      text[part][place(order, s + 2)] = static_cast<char>('0' + s);
    }
    attributes.window.push_back(w);
  }
  dims.text = text[0] + "_" + text[1] + "->" + text[2];
  const RandomValue a = Of(type, input), k = Of(type, kernel);
  int64_t terms = in_features;
  for (const hlo::WindowDimension& w : attributes.window) terms *= w.size;
  Keep(b_.Convolution(Summable(a.value, terms, 2), Summable(k.value, terms, 2), attributes),
       IsWhole(type) && a.exact && k.exact);
}

void RandomGenerator::AddRandomBits() {
  Instruction* state = b_.Constant([&] {
    const uint64_t words[3] = {random_.Next(), random_.Next(), random_.Next()};
    return Literal::Vector(std::span<const uint64_t>(words, random_.OneIn(2) ? 2 : 3));
  }());
  const auto algorithm = state->shape().dimension(0) == 2
                             ? random_.Pick({hlo::RandomAlgorithm::kThreeFry, hlo::RandomAlgorithm::kPhilox,
                                             hlo::RandomAlgorithm::kDefault})
                             : hlo::RandomAlgorithm::kPhilox;
  const Shape bits = Shape::ArrayOf(random_.Pick({kU32, kU32, kU64, kU8, kU16}), Sizes(0, 3));
  const Shape shape = Shape::Tuple({state->shape().WithoutLayout(), bits}).WithDefaultLayout();
  Instruction* both =
      b_.MakeAs(shape, Opcode::kRngBitGenerator, {state}, hlo::RngBitGeneratorAttributes{algorithm});
  if (random_.OneIn(3)) Keep(b_.GetTupleElement(both, 0), true);
  Keep(b_.GetTupleElement(both, 1), true);
}

}  // namespace subfloor::testing_support
