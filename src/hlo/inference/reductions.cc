#include <algorithm>

#include "hlo/inference/rules.h"

/// Reductions, windows, scan, sort and top-k.
namespace subfloor::hlo::inference {
namespace {

// Splits 2N operands into N inputs of equal sizes and N scalar initial values. Gives N.
Result<size_t> WantInputsAndInits(const OpView& op) {
  const size_t count = op.operand_count();
  if (count == 0 || count % 2 != 0) {
    return BadInput("{} has {} operands; it wants inputs and as many initial values", op.name(), count);
  }
  SF_CHECK(WantArrays(op));
  const size_t n = count / 2;
  for (size_t i = 0; i < n; ++i) {
    if (!DimensionsAgree(op.operand(0), op.operand(i))) {
      return BadInput("operand {} is {} but operand 0 is {}; {} wants inputs of equal sizes", i,
                      op.operand(i).ToString(false), op.operand(0).ToString(false), op.name());
    }
    if (!op.operand(n + i).IsScalar()) return WrongOperand(op, n + i, "a scalar initial value there");
  }
  return n;
}

Result<std::vector<ElementType>> ReducerTypesOf(const OpView& op, size_t n) {
  SF_CHECK(WantCalled(op, 1));
  std::vector<ElementType> types, inits;
  for (size_t i = 0; i < n; ++i) {
    types.push_back(op.operand(i).element_type());
    inits.push_back(op.operand(n + i).element_type());
  }
  return ReducerTypes(op, *op.called[0], types, inits);
}

}  // namespace

Status CheckWindow(const OpView& op, const Window& window) {
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDimension& w = window[d];
    const auto positive = [&](std::string_view what, int64_t value) -> Status {
      if (value >= 1) return {};
      return BadInput("the window of {} has {} {} in dimension {}; it wants 1 or more", op.name(), what,
                      value, d);
    };
    if (w.size < 0) return BadInput("the window of {} has size {} in dimension {}", op.name(), w.size, d);
    SF_CHECK(positive("stride", w.stride));
    SF_CHECK(positive("lhs_dilate", w.base_dilation));
    SF_CHECK(positive("rhs_dilate", w.window_dilation));
    for (int64_t value :
         {w.size, w.stride, w.base_dilation, w.window_dilation, w.padding_low, w.padding_high}) {
      SF_CHECK(WantWindowNumber(op, "the window", value, static_cast<int64_t>(d)));
    }
    if (static_cast<__int128>(w.size) * w.window_dilation > std::numeric_limits<int64_t>::max() / 4) {
      return BadInput("the window of {} reaches over more than 2^61 elements in dimension {}", op.name(), d);
    }
  }
  return {};
}

Result<Dims> WindowOutput(const OpView& op, const Shape& base, const Window& window) {
  SF_CHECK(CheckWindow(op, window));
  if (static_cast<int64_t>(window.size()) != base.rank()) {
    return BadInput("the window of {} has {} dimensions; operand 0 is {} and has {}", op.name(),
                    window.size(), base.ToString(false), base.rank());
  }
  Dims dims;
  for (int64_t d = 0; d < base.rank(); ++d) {
    const WindowDimension& w = window[static_cast<size_t>(d)];
    const int64_t size = base.dimension(d);
    if (size == Shape::kUnbounded) {
      dims.Add(Shape::kUnbounded, true);
      continue;
    }
    if (static_cast<__int128>(size) * w.base_dilation > std::numeric_limits<int64_t>::max() / 4) {
      return BadInput("the dilated dimension {} of {} has more than 2^61 elements", d, base.ToString(false));
    }
    dims.Add(WindowOutputSize(size, w), base.IsDynamic(d));
  }
  return dims;
}

Result<Shape> InferReduce(const OpView& op) {
  const size_t n = SF_TRY(WantInputsAndInits(op));
  const auto& dimensions = op.As<DimensionsAttributes>().dimensions;
  const Shape& input = op.operand(0);
  SF_CHECK(WantDimensions(op, "dimensions", dimensions, input.rank()));
  const std::vector<ElementType> types = SF_TRY(ReducerTypesOf(op, n));
  Dims dims;
  for (int64_t d = 0; d < input.rank(); ++d) {
    if (std::ranges::find(dimensions, d) == dimensions.end()) dims.AddFrom(input, d);
  }
  std::vector<Shape> results;
  for (ElementType type : types) results.push_back(SF_TRY(dims.Make(type)));
  return OneOrTuple(std::move(results));
}

Result<Shape> InferReduceWindow(const OpView& op) {
  const size_t n = SF_TRY(WantInputsAndInits(op));
  SF_CHECK(ReducerTypesOf(op, n));
  const Dims dims = SF_TRY(WindowOutput(op, op.operand(0), op.As<WindowAttributes>().window));
  std::vector<Shape> results;
  for (size_t i = 0; i < n; ++i) results.push_back(SF_TRY(dims.Make(op.operand(n + i).element_type())));
  return OneOrTuple(std::move(results));
}

Result<Shape> InferSelectAndScatter(const OpView& op) {
  SF_CHECK(WantOperands(op, 3, 3));
  SF_CHECK(WantCalled(op, 2));
  SF_CHECK(WantArrays(op));
  const Shape& operand = op.operand(0);
  const Shape& source = op.operand(1);
  if (!op.operand(2).IsScalar()) return WrongOperand(op, 2, "a scalar initial value there");
  const Shape scalar = Shape::Scalar(operand.element_type());
  const Shape* pair[] = {&scalar, &scalar};
  SF_CHECK(WantParameters(op, *op.called[0], "select", pair));
  const Shape* chosen = SF_TRY(RootShape(op, *op.called[0]));
  if (!chosen->IsScalar() || !IsPred(chosen->element_type())) {
    return BadInput("the select of select-and-scatter, %{}, returns {}; it wants pred[]",
                    op.called[0]->name(), chosen->ToString(false));
  }
  const ElementType types[] = {source.element_type()}, inits[] = {op.operand(2).element_type()};
  SF_CHECK(ReducerTypes(op, *op.called[1], types, inits));
  const Dims dims = SF_TRY(WindowOutput(op, operand, op.As<WindowAttributes>().window));
  const Shape wanted = SF_TRY(dims.Make(source.element_type()));
  if (!DimensionsAgree(source, wanted)) {
    return WrongOperand(op, 1, fmt::format("{}, the windows of operand 0", wanted.ToString(false)));
  }
  return Retyped(operand, operand.element_type());
}

Result<Shape> InferScan(const OpView& op) {
  const auto& attributes = op.As<ScanAttributes>();
  SF_CHECK(WantCalled(op, 1));
  SF_CHECK(WantOperands(op, 1, SIZE_MAX));
  SF_CHECK(WantArrays(op));
  const auto carries = static_cast<size_t>(std::max<int64_t>(attributes.num_carries, 0));
  if (attributes.num_carries < 0 || carries >= op.operand_count()) {
    return BadInput("scan has {} operands and num_carries={}; it wants one input at least",
                    op.operand_count(), attributes.num_carries);
  }
  if (attributes.dimensions.size() != 1) {
    return BadInput("scan names {} dimensions; it wants one", attributes.dimensions.size());
  }
  const int64_t along = attributes.dimensions[0];
  const size_t inputs = op.operand_count() - carries;
  // The function sees each input without the scanned dimension, then the carries.
  std::vector<Shape> slices;
  for (size_t i = 0; i < inputs; ++i) {
    const Shape& input = op.operand(i);
    SF_CHECK(WantDimensions(op, "dimensions", attributes.dimensions, input.rank()));
    if (input.dimension(along) != op.operand(0).dimension(along)) {
      return BadInput("operand {} is {} but operand 0 is {}; scan wants equal sizes of dimension {}", i,
                      input.ToString(false), op.operand(0).ToString(false), along);
    }
    Dims dims;
    for (int64_t d = 0; d < input.rank(); ++d) {
      if (d != along) dims.AddFrom(input, d);
    }
    slices.push_back(SF_TRY(dims.Make(input.element_type())));
  }
  std::vector<const Shape*> wanted;
  for (const Shape& slice : slices) wanted.push_back(&slice);
  for (size_t i = inputs; i < op.operand_count(); ++i) wanted.push_back(op.operands[i]);
  SF_CHECK(WantParameters(op, *op.called[0], "function", wanted));
  const Shape* root = SF_TRY(RootShape(op, *op.called[0]));
  const std::span<const Shape> returned =
      root->IsTuple() ? root->tuple_shapes() : std::span<const Shape>(root, /*count=*/1);
  if (returned.size() < carries) {
    return BadInput("%{}, the function of scan, returns {} values; it wants {} carries among them",
                    op.called[0]->name(), returned.size(), carries);
  }
  const size_t outputs = returned.size() - carries;
  std::vector<Shape> results;
  for (size_t i = 0; i < returned.size(); ++i) {
    const Shape& value = returned[i];
    if (!value.IsArray()) {
      return BadInput("%{}, the function of scan, returns {}; it wants arrays", op.called[0]->name(),
                      root->ToString(false));
    }
    if (i >= outputs) {
      const Shape& carry = op.operand(inputs + i - outputs);
      if (!value.Compatible(carry)) {
        return BadInput("%{}, the function of scan, returns {} as carry {}; it wants {}",
                        op.called[0]->name(), value.ToString(false), i - outputs, carry.ToString(false));
      }
      results.push_back(value.WithoutLayout());
      continue;
    }
    if (along > value.rank()) {
      return BadInput("%{}, the function of scan, returns {}; it has no place for dimension {}",
                      op.called[0]->name(), value.ToString(false), along);
    }
    Dims dims;
    for (int64_t d = 0; d < value.rank(); ++d) dims.AddFrom(value, d);
    dims.InsertFrom(static_cast<size_t>(along), op.operand(0), along);
    results.push_back(SF_TRY(dims.Make(value.element_type())));
  }
  return root->IsTuple() ? Shape::Tuple(std::move(results)) : std::move(results[0]);
}

Result<Shape> InferSort(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, SIZE_MAX));
  SF_CHECK(WantCalled(op, 1));
  SF_CHECK(WantArrays(op));
  const auto& dimensions = op.As<SortAttributes>().dimensions;
  if (dimensions.size() != 1) return BadInput("sort names {} dimensions; it wants one", dimensions.size());
  SF_CHECK(WantDimensions(op, "dimensions", dimensions, op.operand(0).rank()));
  std::vector<Shape> results, scalars;
  for (size_t i = 0; i < op.operand_count(); ++i) {
    const Shape& operand = op.operand(i);
    if (!DimensionsAgree(op.operand(0), operand)) {
      return BadInput("operand {} is {} but operand 0 is {}; sort wants equal sizes", i,
                      operand.ToString(false), op.operand(0).ToString(false));
    }
    results.push_back(Retyped(operand, operand.element_type()));
    scalars.push_back(Shape::Scalar(operand.element_type()));
  }
  std::vector<const Shape*> wanted;
  for (const Shape& scalar : scalars) wanted.insert(wanted.end(), 2, &scalar);
  SF_CHECK(WantParameters(op, *op.called[0], "comparator", wanted));
  const Shape* root = SF_TRY(RootShape(op, *op.called[0]));
  if (!root->IsScalar() || !IsPred(root->element_type())) {
    return BadInput("the comparator of sort, %{}, returns {}; it wants pred[]", op.called[0]->name(),
                    root->ToString(false));
  }
  return OneOrTuple(std::move(results));
}

Result<Shape> InferTopK(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  SF_CHECK(WantArrays(op));
  const Shape& operand = op.operand(0);
  const int64_t k = op.As<TopKAttributes>().k;
  if (operand.rank() == 0) return WrongOperand(op, 0, "one dimension or more");
  const int64_t last = operand.dimension(operand.rank() - 1);
  if (k < 0 || (last != Shape::kUnbounded && k > last)) {
    return BadInput("k of topk is {}; operand 0 is {}, so 0 to {} work", k, operand.ToString(false), last);
  }
  Dims dims;
  for (int64_t d = 0; d + 1 < operand.rank(); ++d) dims.AddFrom(operand, d);
  dims.Add(k, false);
  return Shape::Tuple({SF_TRY(dims.Make(operand.element_type())), SF_TRY(dims.Make(ElementType::kS32))});
}

}  // namespace subfloor::hlo::inference
