// Rarer operations of the random program generator: linear algebra, transforms, normalisation, scans, and
// what wraps computations and tuples.

#include <algorithm>

#include "support/random_generator.h"

namespace subfloor::testing_support {

using enum ElementType;
using hlo::ComparisonDirection;
using hlo::Instruction;
using hlo::Opcode;

namespace {

std::vector<int64_t> SizesOf(const Shape& shape) {
  return {shape.dimensions().begin(), shape.dimensions().end()};
}

bool IsWhole(ElementType type) { return IsIntegral(type) || IsPred(type); }

}  // namespace

void RandomGenerator::AddLinearAlgebra() {
  const ElementType type = random_.Pick({kF32, kF32, kF64, kC64});
  if ((IsComplex(type) && !Has(kComplexNumbers)) || !Allowed(type)) return;
  const int64_t n = random_.Pick<int64_t>({1, 2, 3, 5, 8});
  std::vector<int64_t> sizes = {n, n};
  if (random_.OneIn(3)) sizes.insert(sizes.begin(), random_.Between(1, 3));
  const auto rank = static_cast<int64_t>(sizes.size());
  const RandomValue x = Of(type, sizes, /*exact=*/true);
  Instruction* diagonal =
      b_.Compare(b_.Iota(Shape::ArrayOf(kS32, sizes), rank - 1),
                 b_.Iota(Shape::ArrayOf(kS32, sizes), rank - 2), ComparisonDirection::kEq);
  // Small off the diagonal and large on it, so that errors stay what they are.
  Instruction* small = IsComplex(type) ? b_.Make(Opcode::kTanh, {b_.Real(x.value)}) : b_.Tanh(x.value);
  Instruction* scaled = b_.Multiply(small, b_.Full(small->shape(), 0.25));
  Instruction* large = b_.Add(b_.Abs(scaled), b_.Full(small->shape(), 2));
  const auto complete = [&](Instruction* real) {
    return IsComplex(type) ? b_.Complex(real, b_.Full(real->shape(), 0)) : real;
  };
  if (random_.OneIn(2)) {
    const bool lower = random_.OneIn(2);
    hlo::DotAttributes product;
    for (int64_t d = 0; d + 2 < rank; ++d) {
      product.lhs_batch.push_back(d);
      product.rhs_batch.push_back(d);
    }
    product.lhs_contracting = product.rhs_contracting = {rank - 1};
    Instruction* a = b_.Select(diagonal, complete(large), complete(scaled));
    return Keep(b_.Make(Opcode::kCholesky, {b_.Dot(a, a, product)}, hlo::CholeskyAttributes{.lower = lower}),
                false);
  }
  hlo::TriangularSolveAttributes attributes;
  attributes.left_side = random_.OneIn(2);
  attributes.lower = random_.OneIn(2);
  attributes.unit_diagonal = random_.OneIn(3);
  attributes.transpose_a = random_.Pick(
      {hlo::TransposeKind::kNoTranspose, hlo::TransposeKind::kTranspose, hlo::TransposeKind::kAdjoint});
  std::vector<int64_t> right = sizes;
  right[static_cast<size_t>(attributes.left_side ? rank - 1 : rank - 2)] = random_.Between(1, 6);
  const RandomValue b = Of(type, right, /*exact=*/true);
  Instruction* a = b_.Select(diagonal, complete(large), complete(scaled));
  Instruction* value = IsComplex(type) ? complete(b_.Tanh(b_.Imag(b.value))) : Summable(b.value, n, 1);
  Keep(b_.Make(Opcode::kTriangularSolve, {a, value}, attributes), false);
}

void RandomGenerator::AddFft() {
  if (!Has(kComplexNumbers)) return;
  const auto kind =
      random_.Pick({hlo::FftType::kFft, hlo::FftType::kIfft, hlo::FftType::kRfft, hlo::FftType::kIrfft});
  const bool wide = random_.OneIn(3);
  const ElementType real = wide ? kF64 : kF32;
  if (!Allowed(real)) return;
  std::vector<int64_t> length;
  for (int64_t i = random_.Between(1, 2); i > 0; --i)
    length.push_back(random_.Pick<int64_t>({1, 2, 3, 4, 5, 8, 12, 17}));
  std::vector<int64_t> sizes = length;
  if (kind == hlo::FftType::kIrfft) sizes.back() = sizes.back() / 2 + 1;
  if (random_.OneIn(2)) sizes.insert(sizes.begin(), random_.Between(1, 3));
  const RandomValue x = Of(real, sizes, /*exact=*/true), y = Of(real, sizes, /*exact=*/true);
  int64_t terms = 1;
  for (int64_t n : length) terms *= n;
  Instruction* re = Summable(x.value, terms, 1);
  Instruction* operand = kind == hlo::FftType::kRfft ? re : b_.Complex(re, Summable(y.value, terms, 1));
  Keep(b_.Make(Opcode::kFft, {operand}, hlo::FftAttributes{.fft_type = kind, .fft_length = length}), false);
}

void RandomGenerator::AddBatchNorm() {
  const ElementType type = random_.Pick({kF32, kF32, kF64, kBF16});
  if (!Allowed(type)) return;
  const std::vector<int64_t> sizes = Sizes(1, 4);
  const int64_t feature = random_.Below(static_cast<int64_t>(sizes.size()));
  const std::vector<int64_t> features = {sizes[static_cast<size_t>(feature)]};
  const hlo::BatchNormAttributes attributes{.epsilon = 0.25, .feature_index = feature};
  const auto within = [&](Instruction* x) { return Magnitude(x) <= 2 ? x : Bounded(x, -2, 2); };
  Instruction* x = within(Of(type, sizes, /*exact=*/true).value);
  Instruction* scale = within(Of(type, features, /*exact=*/true).value);
  Instruction* third = within(Of(type, features, /*exact=*/true).value);
  if (random_.OneIn(3)) {
    Instruction* all = b_.Make(Opcode::kBatchNormTraining, {x, scale, third}, attributes);
    for (int64_t i = 0; i < 3; ++i) Keep(b_.GetTupleElement(all, i), false);
    return;
  }
  Instruction* variance = b_.Abs(within(Of(type, features, /*exact=*/true).value));
  if (random_.OneIn(2)) {
    Instruction* mean = within(Of(type, features, /*exact=*/true).value);
    return Keep(b_.Make(Opcode::kBatchNormInference, {x, scale, third, mean, variance}, attributes), false);
  }
  Instruction* gradient = within(Of(type, sizes, /*exact=*/true).value);
  Instruction* all = b_.Make(Opcode::kBatchNormGrad, {x, scale, third, variance, gradient}, attributes);
  for (int64_t i = 0; i < 3; ++i) Keep(b_.GetTupleElement(all, i), false);
}

// c' = c / 2 + x (or 3 c + x), and out comes c', one step after the other.
void RandomGenerator::AddScan() {
  const RandomValue x = Any(
      [](const RandomValue& v) {
        return v.shape().rank() > 0 && !IsComplex(v.type()) && !IsPred(v.type()) && v.type() != kF8E8M0FNU;
      },
      kS32);
  const ElementType type = x.type();
  if (x.shape().rank() == 0 || IsComplex(type) || IsPred(type) || type == kF8E8M0FNU) return;
  const int64_t along = random_.Below(x.shape().rank());
  std::vector<int64_t> sizes = SizesOf(x.shape());
  sizes.erase(sizes.begin() + along);
  const RandomValue init = Of(type, sizes);
  hlo::Builder c(NewComputation("step"));
  const Shape slice = Shape::ArrayOf(type, sizes);
  Instruction* value = c.Parameter(0, slice);
  Instruction* carry = c.Parameter(1, slice);
  Instruction* scaled = c.Multiply(carry, IsFloat(type) ? c.Full(slice, 0.5) : c.FullInt(slice, 3));
  Instruction* next = c.Add(scaled, value);
  if (!c.Finish(c.Tuple({next, next}))) return;
  hlo::ScanAttributes attributes;
  attributes.dimensions = {along};
  attributes.num_carries = 1;
  attributes.is_reverse = random_.OneIn(2);
  Instruction* scan = b_.Make(Opcode::kScan, {Summable(x.value, 4, 1), Summable(init.value, 4, 1)},
                              attributes, {c.computation()});
  Keep(b_.GetTupleElement(scan, 0), x.exact && init.exact);
  Keep(b_.GetTupleElement(scan, 1), x.exact && init.exact);
}

void RandomGenerator::AddRaggedDot() {
  const ElementType type = random_.Pick({kF32, kBF16, kS32});
  if (!Allowed(type)) return;
  const int64_t m = random_.Between(1, 9), k = random_.Between(1, 9), n = random_.Between(1, 9),
                groups = random_.Between(1, 4);
  const RandomValue a = Of(type, {m, k}), b = Of(type, {groups, k, n});
  std::vector<int32_t> sizes;
  for (int64_t i = 0, left = m; i < groups; ++i) {
    sizes.push_back(static_cast<int32_t>(i + 1 == groups ? left : random_.Between(0, left)));
    left -= sizes.back();
  }
  hlo::DotAttributes attributes;
  attributes.lhs_contracting = {1};
  attributes.rhs_contracting = {1};
  attributes.lhs_ragged = {0};
  attributes.rhs_group = {0};
  Instruction* counts = b_.Constant(Literal::Vector(std::span<const int32_t>(sizes)));
  Keep(b_.Make(Opcode::kRaggedDot, {Summable(a.value, k, 2), Summable(b.value, k, 2), counts}, attributes),
       IsWhole(type) && a.exact && b.exact);
}

// A body of elementwise operations, applied to scalars by map, to arrays by fusion.
void RandomGenerator::AddWrapped() {
  switch (random_.Below(6)) {
    case 0:
      return AddMap();
    case 1:
      return AddFusion();
    case 2:
      return AddTuples();
    case 3:
      return AddInPlaceLoop();
    case 4: {
      const RandomValue x = Any(), y = Any();
      Instruction* both = b_.Make(Opcode::kOptBarrier, {b_.Tuple({x.value, y.value})});
      Keep(b_.GetTupleElement(both, 0), x.exact);
      return Keep(b_.GetTupleElement(both, 1), y.exact);
    }
    default: {
      const RandomValue x = Any();
      Instruction* token = b_.Make(Opcode::kAfterAll, {});
      return Keep(b_.Make(Opcode::kAddDependency, {x.value, token}), x.exact);
    }
  }
}

void RandomGenerator::AddMap() {
  const RandomValue x = Any();
  const RandomValue y = Of(x.type(), SizesOf(x.shape()));
  RandomModuleOptions scalars = options_;
  scalars.families = options_.families & (kElementwiseOps | kTranscendental | kConversions);
  scalars.max_elements = 1;
  scalars.empty_arrays = false;
  RandomGenerator body(NewComputation("mapped"), random_, scalars, depth_ + 1, std::nullopt);
  body.Keep(body.builder().Parameter(0, Shape::Scalar(x.type())), x.exact);
  body.Keep(body.builder().Parameter(1, Shape::Scalar(x.type())), y.exact);
  body.AddOperations(static_cast<int>(random_.Between(1, 5)));
  const RandomValue result = body.Of(random_.OneIn(3) ? Type() : x.type(), {});
  if (!body.builder().Finish(result.value)) return;
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < x.shape().rank(); ++d) dims.push_back(d);
  Keep(b_.Make(Opcode::kMap, {x.value, y.value}, hlo::DimensionsAttributes{dims},
               {body.builder().computation()}),
       result.exact);
}

void RandomGenerator::AddFusion() {
  if (depth_ >= 2) return;
  std::vector<RandomValue> operands = {Any()};
  if (random_.OneIn(2)) operands.push_back(Any());
  RandomModuleOptions inside = options_;
  inside.families = options_.families & (kElementwiseOps | kTranscendental | kConversions | kMovers |
                                         kReductions | kDynamicSlices | kScatters | kGathers);
  RandomGenerator body(NewComputation("fused"), random_, inside, depth_ + 1, std::nullopt);
  std::vector<Instruction*> arguments;
  for (const RandomValue& operand : operands) {
    body.Keep(body.builder().Parameter(static_cast<int64_t>(arguments.size()), operand.shape()),
              operand.exact);
    arguments.push_back(operand.value);
  }
  body.AddOperations(static_cast<int>(random_.Between(1, 6)));
  const RandomValue first = body.pool().back(), second = body.pool()[body.pool().size() / 2];
  const bool two = random_.OneIn(3);
  Instruction* root = two ? body.builder().Tuple({first.value, second.value}) : first.value;
  if (root->IsParameter() || !body.builder().Finish(root)) return;
  Instruction* fusion = b_.Fusion(random_.Pick({hlo::FusionKind::kLoop, hlo::FusionKind::kInput}), arguments,
                                  body.builder().computation());
  if (!two) return Keep(fusion, first.exact);
  Keep(b_.GetTupleElement(fusion, 0), first.exact);
  Keep(b_.GetTupleElement(fusion, 1), second.exact);
}

// Tuples of tuples: from parameters of the entry, through a branch, a loop that hands its state around.
void RandomGenerator::AddTuples() {
  if (next_parameter_ && random_.OneIn(3)) {
    const Shape a = Shape::ArrayOf(Type(), Sizes(0, 3)), b = Shape::ArrayOf(Type(), Sizes(0, 2));
    const Shape shape = Shape::Tuple({a, Shape::Tuple({b, Shape::Tuple({})})}).WithDefaultLayout();
    Instruction* parameter = b_.Parameter((*next_parameter_)++, shape);
    Keep(b_.GetTupleElement(parameter, 0), true);
    return Keep(b_.GetTupleElement(b_.GetTupleElement(parameter, 1), 0), true);
  }
  const RandomValue x = Any(), y = Of(x.type(), SizesOf(x.shape())), z = Any();
  Instruction* nested = b_.Tuple({x.value, b_.Tuple({y.value, z.value})});
  const auto take = [](hlo::Builder& b, Instruction* tuple) {
    Instruction* inner = b.GetTupleElement(tuple, 1);
    return std::vector<Instruction*>{b.GetTupleElement(tuple, 0), b.GetTupleElement(inner, 0),
                                     b.GetTupleElement(inner, 1)};
  };
  const bool exact = x.exact && y.exact;
  if (depth_ >= 2 || random_.OneIn(3)) {
    const std::vector<Instruction*> parts = take(b_, nested);
    Keep(parts[0], x.exact);
    return Keep(parts[2], z.exact);
  }
  if (random_.OneIn(2)) {  // one branch keeps, the other swaps
    const RandomValue selector = Of(kPred, {}, /*exact=*/true);
    std::vector<hlo::Computation*> branches;
    for (const bool swap : {false, true}) {
      hlo::Builder c(NewComputation("branch"));
      Instruction* parameter = c.Parameter(0, nested->shape());
      const std::vector<Instruction*> parts = take(c, parameter);
      Instruction* root = swap ? c.Tuple({parts[1], c.Tuple({parts[0], parts[2]})}) : parameter;
      if (!c.Finish(root)) return;
      branches.push_back(c.computation());
    }
    const std::vector<Instruction*> parts =
        take(b_, b_.Conditional(selector.value, std::vector{nested, nested}, branches));
    Keep(parts[0], exact && selector.exact);
    Keep(parts[1], exact && selector.exact);
    return Keep(parts[2], z.exact);
  }
  // A loop that swaps two values of its state in every trip.
  Instruction* init = b_.Tuple({nested, b_.ScalarInt(kS32, 0)});
  hlo::Builder condition(NewComputation("condition"));
  Instruction* counter = condition.GetTupleElement(condition.Parameter(0, init->shape()), 1);
  (void)condition.Finish(
      condition.Compare(counter, condition.ScalarInt(kS32, random_.Below(4)), hlo::ComparisonDirection::kLt));
  hlo::Builder body(NewComputation("body"));
  Instruction* state = body.Parameter(0, init->shape());
  const std::vector<Instruction*> parts = take(body, body.GetTupleElement(state, 0));
  Instruction* swapped = body.Tuple({parts[1], body.Tuple({parts[0], parts[2]})});
  (void)body.Finish(body.Tuple({swapped, body.Add(body.GetTupleElement(state, 1), body.ScalarInt(kS32, 1))}));
  if (!condition.ok() || !body.ok()) return;
  Instruction* loop = b_.While(init, condition.computation(), body.computation());
  const std::vector<Instruction*> results = take(b_, b_.GetTupleElement(loop, 0));
  for (size_t i = 0; i < 2; ++i) Keep(results[i], exact);
  Keep(results[2], z.exact);
}

// A loop that reads a row of one array and writes a row of another in place, maybe reading what it wrote
// before.
void RandomGenerator::AddInPlaceLoop() {
  if (depth_ >= 2) return;
  const RandomValue x =
      Any([](const RandomValue& v) { return v.shape().rank() > 0 && v.shape().element_count() > 0; }, kF32);
  if (x.shape().rank() == 0 || x.shape().element_count() == 0) return;
  const ElementType type = x.type();
  const std::vector<int64_t> sizes = SizesOf(x.shape());
  const int64_t along = random_.Below(x.shape().rank());
  const int64_t rows = sizes[static_cast<size_t>(along)];
  std::vector<int64_t> row = sizes;
  row[static_cast<size_t>(along)] = 1;
  const RandomValue y = Of(type, sizes);
  Instruction* init = b_.Tuple({b_.ScalarInt(kS32, 0), x.value, y.value});
  hlo::Builder condition(NewComputation("condition"));
  Instruction* counter = condition.GetTupleElement(condition.Parameter(0, init->shape()), 0);
  (void)condition.Finish(condition.Compare(counter, condition.ScalarInt(kS32, std::min<int64_t>(rows, 9)),
                                           hlo::ComparisonDirection::kLt));
  hlo::Builder c(NewComputation("body"));
  Instruction* state = c.Parameter(0, init->shape());
  Instruction* i = c.GetTupleElement(state, 0);
  Instruction* from = c.GetTupleElement(state, 1);
  Instruction* to = c.GetTupleElement(state, 2);
  const auto starts = [&](Instruction* index) {
    std::vector<Instruction*> all(sizes.size(), c.ScalarInt(kS32, 0));
    all[static_cast<size_t>(along)] = index;
    return all;
  };
  Instruction* one = c.ScalarInt(kS32, 1);
  Instruction* value = c.DynamicSlice(from, starts(i), row);
  if (random_.OneIn(2)) {
    Instruction* before = c.DynamicSlice(to, starts(c.Subtract(i, one)), row);
    value = IsPred(type)         ? c.Xor(value, before)
            : type == kF8E8M0FNU ? before
            : IsIntegral(type)   ? c.Subtract(value, before)
            : IsComplex(type)    ? c.Subtract(value, before)
                                 : c.Maximum(value, c.Negate(before));
  }
  Instruction* updated = c.DynamicUpdateSlice(to, value, starts(random_.OneIn(4) ? c.Add(i, one) : i));
  // Sometimes the old array is wanted after the new one is made, or the two change places.
  const int64_t shape_of_end = random_.Below(4);
  Instruction* first = shape_of_end == 0 ? updated : shape_of_end == 1 ? to : from;
  Instruction* second = shape_of_end == 0 ? from : updated;
  if (!c.Finish(c.Tuple({c.Add(i, one), first, second})) || !condition.ok()) return;
  Instruction* loop = b_.While(init, condition.computation(), c.computation());
  Keep(b_.GetTupleElement(loop, 1), x.exact && y.exact);
  Keep(b_.GetTupleElement(loop, 2), x.exact && y.exact);
}

}  // namespace subfloor::testing_support
