#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "hlo/inference/rules.h"
#include "hlo/shape_inference.h"

namespace subfloor::hlo::inference {

std::unexpected<Error> WrongOperand(const OpView& op, size_t i, std::string_view wanted) {
  return BadInput("operand {} is {}; {} wants {}", i, op.operand(i).ToString(/*with_layout=*/false),
                  op.name(), wanted);
}

Status WantOperands(const OpView& op, size_t least, size_t most) {
  if (op.operand_count() >= least && op.operand_count() <= most) return {};
  if (least == most) return BadInput("{} has {} operands; it wants {}", op.name(), op.operand_count(), least);
  if (op.operand_count() < least) {
    return BadInput("{} has {} operands; it wants {} or more", op.name(), op.operand_count(), least);
  }
  return BadInput("{} has {} operands; it wants {} to {}", op.name(), op.operand_count(), least, most);
}

Status WantCalled(const OpView& op, size_t count) {
  if (op.called.size() == count && std::ranges::find(op.called, nullptr) == op.called.end()) return {};
  return BadInput("{} calls {} computations; it wants {}", op.name(), op.called.size(), count);
}

Status WantArray(const OpView& op, size_t i) {
  if (op.operand(i).IsArray()) return {};
  return WrongOperand(op, i, "an array");
}

Status WantArrays(const OpView& op) {
  for (size_t i = 0; i < op.operand_count(); ++i) SF_CHECK(WantArray(op, i));
  return {};
}

Status WantIntegerScalar(const OpView& op, size_t i) {
  if (op.operand(i).IsScalar() && IsIntegral(op.operand(i).element_type())) return {};
  return WrongOperand(op, i, "a scalar integer there");
}

Status WantDimensions(const OpView& op, std::string_view attribute, std::span<const int64_t> dimensions,
                      int64_t rank, bool sorted) {
  absl::InlinedVector<bool, 16> seen(static_cast<size_t>(std::max<int64_t>(rank, 0)), false);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t d = dimensions[i];
    if (d < 0 || d >= rank) {
      return BadInput("{} of {} names dimension {}; there are {}", attribute, op.name(), d, rank);
    }
    if (seen[static_cast<size_t>(d)])
      return BadInput("{} of {} names dimension {} twice", attribute, op.name(), d);
    seen[static_cast<size_t>(d)] = true;
    if (sorted && i > 0 && d < dimensions[i - 1]) {
      return BadInput("{} of {} is {{{}}}; it wants ascending dimensions", attribute, op.name(),
                      fmt::join(dimensions, ","));
    }
  }
  return {};
}

Status WantSameSize(const OpView& op, std::string_view what, std::span<const int64_t> a,
                    std::span<const int64_t> b) {
  if (a.size() == b.size()) return {};
  return BadInput("{} of {} have {} and {} dimensions; they go in pairs", what, op.name(), a.size(),
                  b.size());
}

Status WantWindowNumber(const OpView& op, std::string_view what, int64_t value, int64_t d) {
  constexpr int64_t kLimit = int64_t{1} << 40;
  if (value <= kLimit && value >= -kLimit) return {};
  return NotSupported("{} of {} has {} in dimension {}; numbers up to 2^40 work", what, op.name(), value, d);
}

bool SizesAgree(int64_t a, int64_t b) { return a == b || a == Shape::kUnbounded || b == Shape::kUnbounded; }

bool DimensionsAgree(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (int64_t i = 0; i < a.rank(); ++i) {
    if (!SizesAgree(a.dimension(i), b.dimension(i))) return false;
  }
  return true;
}

Result<Shape> Dims::Make(ElementType type) const {
  absl::InlinedVector<bool, 8> marks(dynamic.begin(), dynamic.end());
  return Shape::Array(type, sizes, std::span<const bool>(marks.data(), marks.size()));
}

Shape Retyped(const Shape& like, ElementType type) {
  Shape shape = like.WithElementType(type);
  shape.clear_layout();
  return shape;
}

Shape OneOrTuple(std::vector<Shape> shapes) {
  if (shapes.size() == 1) return std::move(shapes[0]);
  return Shape::Tuple(std::move(shapes));
}

Status WantParameters(const OpView& op, const Computation& computation, std::string_view role,
                      std::span<const Shape* const> shapes) {
  if (computation.parameter_count() != static_cast<int64_t>(shapes.size())) {
    return BadInput("the {} of {}, %{}, takes {} parameters; it wants {}", role, op.name(),
                    computation.name(), computation.parameter_count(), shapes.size());
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Instruction* parameter = computation.parameter(static_cast<int64_t>(i));
    if (parameter == nullptr) {
      return BadInput("the {} of {}, %{}, has no parameter {}", role, op.name(), computation.name(), i);
    }
    if (!parameter->shape().Compatible(*shapes[i])) {
      return BadInput("parameter {} of %{}, the {} of {}, is {}; it wants {}", i, computation.name(), role,
                      op.name(), parameter->shape().ToString(false), shapes[i]->ToString(false));
    }
  }
  return {};
}

Result<const Shape*> RootShape(const OpView& op, const Computation& computation) {
  if (computation.root() == nullptr)
    return BadInput("%{}, called by {}, has no root", computation.name(), op.name());
  return &computation.root()->shape();
}

Result<std::vector<ElementType>> ReducerTypes(const OpView& op, const Computation& reducer,
                                              std::span<const ElementType> types,
                                              std::span<const ElementType> inits) {
  const size_t n = types.size();
  if (reducer.parameter_count() != static_cast<int64_t>(2 * n)) {
    return BadInput("the reducer of {}, %{}, takes {} parameters; it wants {}", op.name(), reducer.name(),
                    reducer.parameter_count(), 2 * n);
  }
  const Shape* root = SF_TRY(RootShape(op, reducer));
  if (n == 1 ? !root->IsScalar() && !(root->IsTuple() && root->tuple_size() == 1)
             : root->tuple_size() != static_cast<int64_t>(n)) {
    return BadInput("the reducer of {}, %{}, returns {}; it wants {}", op.name(), reducer.name(),
                    root->ToString(false), n == 1 ? "a scalar" : fmt::format("a tuple of {} scalars", n));
  }
  std::vector<ElementType> results;
  for (size_t i = 0; i < n; ++i) {
    const Shape& result = root->IsTuple() ? root->tuple_shape(static_cast<int64_t>(i)) : *root;
    if (!result.IsScalar()) {
      return BadInput("result {} of %{}, the reducer of {}, is {}; it wants a scalar", i, reducer.name(),
                      op.name(), result.ToString(false));
    }
    results.push_back(result.element_type());
    const auto agrees = [&](ElementType type) { return SameUpToPrecision(type, result.element_type()); };
    for (size_t k : {i, n + i}) {
      const Instruction* parameter = reducer.parameter(static_cast<int64_t>(k));
      if (parameter == nullptr || !parameter->shape().IsScalar() ||
          !agrees(parameter->shape().element_type())) {
        return BadInput("parameter {} of %{}, the reducer of {}, is {}; it wants {}", k, reducer.name(),
                        op.name(), parameter ? parameter->shape().ToString(false) : "missing",
                        result.ToString(false));
      }
    }
    if (!agrees(types[i]) || !agrees(inits[i])) {
      return BadInput("the reducer of {}, %{}, computes {}, but input {} is {} and its initial value {}",
                      op.name(), reducer.name(), ToString(result.element_type()), i, ToString(types[i]),
                      ToString(inits[i]));
    }
  }
  return results;
}

}  // namespace subfloor::hlo::inference
