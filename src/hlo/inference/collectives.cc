#include <algorithm>

#include "hlo/inference/rules.h"

/// Operations in which several devices take part.
namespace subfloor::hlo::inference {
namespace {

Status WantReducer(const OpView& op) {
  SF_CHECK(WantCalled(op, 1));
  const Computation& reducer = *op.called[0];
  const Shape* root = SF_TRY(RootShape(op, reducer));
  bool scalars = reducer.parameter_count() == 2 && root->IsScalar();
  for (int64_t i = 0; scalars && i < 2; ++i)
    scalars = reducer.parameter(i) && reducer.parameter(i)->shape().IsScalar();
  if (scalars) return {};
  return BadInput("the reducer of {}, %{}, wants two scalar parameters and a scalar result", op.name(),
                  reducer.name());
}

Shape AllOperands(const OpView& op) {
  std::vector<Shape> shapes;
  for (const Shape* operand : op.operands) shapes.push_back(operand->WithoutLayout());
  return OneOrTuple(std::move(shapes));
}

Result<int64_t> OnlyDimension(const OpView& op) {
  const auto& dimensions = op.As<CollectiveAttributes>().dimensions;
  if (dimensions.size() != 1)
    return BadInput("{} names {} dimensions; it wants one", op.name(), dimensions.size());
  for (const Shape* operand : op.operands)
    SF_CHECK(WantDimensions(op, "dimensions", dimensions, operand->rank()));
  return dimensions[0];
}

// `result` has, operand by operand, the operand's sizes but for dimension `d`, where the larger is a
// multiple.
Status CheckResized(const OpView& op, const Shape& result, int64_t d, bool grows) {
  const size_t n = op.operand_count();
  if (n > 1 && result.tuple_size() != static_cast<int64_t>(n)) {
    return BadInput("{} of {} operands gives {}; it wants a tuple of {}", op.name(), n,
                    result.ToString(false), n);
  }
  for (size_t i = 0; i < n; ++i) {
    const Shape& from = op.operand(i);
    const Shape& to = n > 1 || result.IsTuple() ? result.tuple_shape(static_cast<int64_t>(i)) : result;
    bool fits = to.IsArray() && to.element_type() == from.element_type() && to.rank() == from.rank();
    for (int64_t k = 0; fits && k < from.rank(); ++k) {
      const int64_t small = grows ? from.dimension(k) : to.dimension(k),
                    large = grows ? to.dimension(k) : from.dimension(k);
      fits = k == d ? (small > 0 ? large % small == 0 : small == large) : SizesAgree(small, large);
    }
    if (!fits) {
      return BadInput("{} of {} along dimension {} gives {}; it wants a {} there, all else equal", op.name(),
                      from.ToString(false), d, to.ToString(false), grows ? "multiple" : "divisor");
    }
  }
  return {};
}

}  // namespace

Result<Shape> InferAllReduce(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, SIZE_MAX));
  SF_CHECK(WantArrays(op));
  SF_CHECK(WantReducer(op));
  return AllOperands(op);
}

Result<Shape> InferReduceScatter(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, SIZE_MAX));
  SF_CHECK(WantArrays(op));
  SF_CHECK(WantReducer(op));
  SF_CHECK(CheckResized(op, *op.written, SF_TRY(OnlyDimension(op)), /*grows=*/false));
  return op.written->WithoutLayout();
}

Result<Shape> InferAllGather(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, SIZE_MAX));
  SF_CHECK(WantArrays(op));
  SF_CHECK(CheckResized(op, *op.written, SF_TRY(OnlyDimension(op)), /*grows=*/true));
  return op.written->WithoutLayout();
}

Result<Shape> InferAllGatherStart(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, SIZE_MAX));
  SF_CHECK(WantArrays(op));
  const Shape& shape = *op.written;
  if (shape.tuple_size() < 2 || !shape.tuple_shape(0).Compatible(AllOperands(op))) {
    return BadInput("all-gather-start gives {}; it wants (operands, result)", shape.ToString(false));
  }
  SF_CHECK(CheckResized(op, shape.tuple_shape(1), SF_TRY(OnlyDimension(op)), /*grows=*/true));
  return shape.WithoutLayout();
}

Result<Shape> InferCollectiveDone(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  const Shape& started = op.operand(0);
  if (op.opcode == Opcode::kAllReduceDone) return started.WithoutLayout();
  if (started.tuple_size() < 2)
    return WrongOperand(op, 0, "a tuple of 2 or more, as the -start half makes it");
  return started.tuple_shape(1).WithoutLayout();
}

Result<Shape> InferAllToAll(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, SIZE_MAX));
  SF_CHECK(WantArrays(op));
  const auto& attributes = op.As<CollectiveAttributes>();
  if (!attributes.dimensions.empty()) {
    SF_CHECK(WantOperands(op, 1, 1));
    const int64_t d = SF_TRY(OnlyDimension(op));
    const Shape& operand = op.operand(0);
    if (operand.HasDynamicDimension()) {
      return NotSupported("all-to-all of {} along a dimension; its tuple form takes dynamic shapes",
                          operand.ToString(false));
    }
    if (!attributes.replica_groups.groups.empty()) {
      const auto size = static_cast<int64_t>(attributes.replica_groups.groups[0].size());
      if (size > 0 && operand.dimension(d) % size != 0) {
        return WrongOperand(op, 0, fmt::format("a dimension {} that {} group members divide", d, size));
      }
    }
    return operand.WithoutLayout();
  }
  for (size_t i = 1; i < op.operand_count(); ++i) {
    if (!op.operand(i).Compatible(op.operand(0))) return WrongOperand(op, i, op.operand(0).ToString(false));
  }
  std::vector<Shape> shapes;
  for (const Shape* operand : op.operands) shapes.push_back(operand->WithoutLayout());
  return Shape::Tuple(std::move(shapes));
}

Result<Shape> InferCollectivePermute(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, SIZE_MAX));
  if (op.As<CollectiveAttributes>().slice_sizes.empty()) return AllOperands(op);
  // In place: (input, output, input offsets, output offsets).
  SF_CHECK(WantOperands(op, 4, 4));
  return op.operand(1).WithoutLayout();
}

Result<Shape> InferCollectivePermuteStart(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, SIZE_MAX));
  const Shape& shape = *op.written;
  const bool in_place = !op.As<CollectiveAttributes>().slice_sizes.empty();
  if (shape.tuple_size() < 2 || (!in_place && (!shape.tuple_shape(0).Compatible(AllOperands(op)) ||
                                               !shape.tuple_shape(1).Compatible(AllOperands(op))))) {
    return BadInput("collective-permute-start gives {}; it wants (operands, result, ...)",
                    shape.ToString(false));
  }
  return shape.WithoutLayout();
}

Result<Shape> InferCollectiveBroadcast(const OpView& op) {
  const bool dynamic_root = op.As<CollectiveAttributes>().has_dynamic_root;
  SF_CHECK(WantOperands(op, dynamic_root ? 2 : 1, SIZE_MAX));
  std::vector<Shape> shapes;
  for (size_t i = 0; i + (dynamic_root ? 1 : 0) < op.operand_count(); ++i)
    shapes.push_back(op.operand(i).WithoutLayout());
  return OneOrTuple(std::move(shapes));
}

Result<Shape> InferRaggedAllToAll(const OpView& op) {
  SF_CHECK(WantOperands(op, 6, 6));
  SF_CHECK(WantArrays(op));
  if (op.operand(0).element_type() != op.operand(1).element_type() ||
      op.operand(0).rank() != op.operand(1).rank()) {
    return WrongOperand(op, 1, fmt::format("an output like {}", op.operand(0).ToString(false)));
  }
  for (size_t i = 2; i < 6; ++i) {
    const Shape& sizes = op.operand(i);
    if (!IsIntegral(sizes.element_type()) || sizes.rank() < 1 || sizes.rank() > 2 ||
        !sizes.Compatible(op.operand(2))) {
      return WrongOperand(op, i, "integer offsets and sizes, one shape for all");
    }
  }
  return op.operand(1).WithoutLayout();
}

Result<Shape> InferDeviceId(const OpView& op) {
  SF_CHECK(WantOperands(op, 0, 0));
  return Shape::Scalar(ElementType::kU32);
}

}  // namespace subfloor::hlo::inference
