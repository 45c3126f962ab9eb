#include <algorithm>

#include "hlo/inference/rules.h"

/// Operations that move elements without computing with them.
namespace subfloor::hlo::inference {
namespace {

constexpr __int128 kMaxSize = std::numeric_limits<int64_t>::max();

// All of `indices` from operand `first` on are scalar integers of one type.
Status WantStartIndices(const OpView& op, size_t first, int64_t rank) {
  // The old form has one vector of indices.
  if (op.operand_count() == first + 1 && op.operand(first).IsArray() && op.operand(first).rank() == 1) {
    const Shape& indices = op.operand(first);
    if (!IsIntegral(indices.element_type()) || indices.dimension(0) != rank) {
      return WrongOperand(op, first, fmt::format("{} integer start indices there", rank));
    }
    return {};
  }
  SF_CHECK(WantOperands(op, first + static_cast<size_t>(rank), first + static_cast<size_t>(rank)));
  for (size_t i = first; i < op.operand_count(); ++i) {
    SF_CHECK(WantIntegerScalar(op, i));
    if (op.operand(i).element_type() != op.operand(first).element_type()) {
      return WrongOperand(op, i,
                          fmt::format("start indices of one type, {} as operand {}",
                                      ToString(op.operand(first).element_type()), first));
    }
  }
  return {};
}

bool HasUnbounded(const Shape& shape) {
  return std::ranges::find(shape.dimensions(), Shape::kUnbounded) != shape.dimensions().end();
}

}  // namespace

Result<Shape> InferIota(const OpView& op) {
  SF_CHECK(WantOperands(op, 0, 0));
  const Shape& shape = *op.written;
  if (!shape.IsArray() || IsPred(shape.element_type())) {
    return BadInput("iota of {}; it wants an array of numbers", shape.ToString(false));
  }
  const int64_t d = op.As<IotaAttributes>().iota_dimension;
  if (d < 0 || d >= shape.rank()) {
    return BadInput("iota_dimension is {}; {} has {} dimensions", d, shape.ToString(false), shape.rank());
  }
  return shape.WithoutLayout();
}

Result<Shape> InferBroadcast(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  SF_CHECK(WantArrays(op));
  const Shape& from = op.operand(0);
  const Shape& to = *op.written;
  const auto& dimensions = op.As<DimensionsAttributes>().dimensions;
  if (!to.IsArray() || to.element_type() != from.element_type()) {
    return BadInput("broadcast of {} gives {}; it keeps the element type", from.ToString(false),
                    to.ToString(false));
  }
  if (static_cast<int64_t>(dimensions.size()) != from.rank()) {
    return BadInput("dimensions of broadcast are {{{}}}; operand 0 is {} and wants {} of them",
                    fmt::join(dimensions, ","), from.ToString(false), from.rank());
  }
  SF_CHECK(WantDimensions(op, "dimensions", dimensions, to.rank(), /*sorted=*/true));
  for (int64_t i = 0; i < from.rank(); ++i) {
    const int64_t d = dimensions[static_cast<size_t>(i)];
    if (!SizesAgree(from.dimension(i), to.dimension(d))) {
      return BadInput("broadcast puts dimension {} of {} at dimension {} of {}; the sizes must be equal", i,
                      from.ToString(false), d, to.ToString(false));
    }
    if (from.IsDynamic(i) && !to.IsDynamic(d)) {
      return BadInput("dimension {} of {} is dynamic, dimension {} of broadcast's result {} is not", i,
                      from.ToString(false), d, to.ToString(false));
    }
  }
  return to.WithoutLayout();
}

Result<Shape> InferReshape(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  SF_CHECK(WantArrays(op));
  const Shape& from = op.operand(0);
  const Shape& to = *op.written;
  if (!to.IsArray() || to.element_type() != from.element_type()) {
    return BadInput("reshape of {} gives {}; it keeps the element type", from.ToString(false),
                    to.ToString(false));
  }
  if (!HasUnbounded(from) && !HasUnbounded(to) && from.element_count() != to.element_count()) {
    return BadInput("reshape of {} with {} elements gives {} with {}", from.ToString(false),
                    from.element_count(), to.ToString(false), to.element_count());
  }
  const int64_t inferred = op.As<ReshapeAttributes>().inferred_dimension;
  if (inferred < -1 || inferred >= to.rank()) {
    return BadInput("inferred_dimension is {}; {} has {} dimensions", inferred, to.ToString(false),
                    to.rank());
  }
  return to.WithoutLayout();
}

Result<Shape> InferDynamicReshape(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, SIZE_MAX));
  SF_CHECK(WantArrays(op));
  const Shape& from = op.operand(0);
  const Shape& to = *op.written;
  if (!to.IsArray() || to.element_type() != from.element_type()) {
    return BadInput("dynamic-reshape of {} gives {}; it keeps the element type", from.ToString(false),
                    to.ToString(false));
  }
  SF_CHECK(WantOperands(op, 1 + static_cast<size_t>(to.rank()), 1 + static_cast<size_t>(to.rank())));
  for (size_t i = 1; i < op.operand_count(); ++i) SF_CHECK(WantIntegerScalar(op, i));
  if (!HasUnbounded(from) && !HasUnbounded(to) && from.element_count() != to.element_count()) {
    return BadInput("dynamic-reshape of {} with {} elements gives {} with {}", from.ToString(false),
                    from.element_count(), to.ToString(false), to.element_count());
  }
  return to.WithoutLayout();
}

Result<Shape> InferBitcast(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  const Shape& from = op.operand(0);
  const Shape& to = *op.written;
  if (from.IsArray() != to.IsArray()) {
    return BadInput("bitcast of {} gives {}; arrays go to arrays", from.ToString(false), to.ToString(false));
  }
  if (from.IsArray() && to.byte_size() > from.byte_size()) {
    return BadInput("bitcast of {} with {} bytes gives {} with {}", from.ToString(false), from.byte_size(),
                    to.ToString(false), to.byte_size());
  }
  return to.WithoutLayout();
}

Result<Shape> InferTranspose(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  SF_CHECK(WantArrays(op));
  const Shape& from = op.operand(0);
  const auto& permutation = op.As<DimensionsAttributes>().dimensions;
  if (static_cast<int64_t>(permutation.size()) != from.rank()) {
    return BadInput("transpose names {} dimensions; operand 0 is {} and has {}", permutation.size(),
                    from.ToString(false), from.rank());
  }
  SF_CHECK(WantDimensions(op, "dimensions", permutation, from.rank()));
  Dims dims;
  for (int64_t d : permutation) dims.AddFrom(from, d);
  return dims.Make(from.element_type());
}

Result<Shape> InferReverse(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  SF_CHECK(WantArrays(op));
  SF_CHECK(WantDimensions(op, "dimensions", op.As<DimensionsAttributes>().dimensions, op.operand(0).rank()));
  return Retyped(op.operand(0), op.operand(0).element_type());
}

Result<Shape> InferSlice(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  SF_CHECK(WantArrays(op));
  const Shape& from = op.operand(0);
  const SliceRanges& slice = op.As<SliceAttributes>().slice;
  if (static_cast<int64_t>(slice.size()) != from.rank()) {
    return BadInput("slice gives {} ranges; operand 0 is {} and has {} dimensions", slice.size(),
                    from.ToString(false), from.rank());
  }
  Dims dims;
  for (int64_t d = 0; d < from.rank(); ++d) {
    const auto& [start, limit, stride] = slice[static_cast<size_t>(d)];
    const bool unbounded = from.dimension(d) == Shape::kUnbounded;
    if (start < 0 || start > limit || (!unbounded && limit > from.dimension(d)) || stride < 1) {
      return BadInput(
          "slice takes [{}:{}:{}] of dimension {} of {}; it wants 0 <= start <= limit <= size, stride >= 1",
          start, limit, stride, d, from.ToString(false));
    }
    const bool whole = start == 0 && limit == from.dimension(d) && stride == 1;
    dims.Add((limit - start) / stride + ((limit - start) % stride != 0 ? 1 : 0), from.IsDynamic(d) && whole);
  }
  return dims.Make(from.element_type());
}

Result<Shape> InferPad(const OpView& op) {
  SF_CHECK(WantOperands(op, 2, 2));
  SF_CHECK(WantArrays(op));
  const Shape& from = op.operand(0);
  const Shape& value = op.operand(1);
  if (!value.IsScalar() || (value.element_type() != from.element_type() &&
                            !(IsFloat(value.element_type()) && IsFloat(from.element_type())))) {
    return WrongOperand(op, 1, fmt::format("a scalar {} there", ToString(from.element_type())));
  }
  const Padding& padding = op.As<PadAttributes>().padding;
  if (static_cast<int64_t>(padding.size()) != from.rank()) {
    return BadInput("padding has {} parts; operand 0 is {} and has {} dimensions", padding.size(),
                    from.ToString(false), from.rank());
  }
  Dims dims;
  for (int64_t d = 0; d < from.rank(); ++d) {
    const auto& [low, high, interior] = padding[static_cast<size_t>(d)];
    if (interior < 0)
      return BadInput("interior padding of dimension {} is {}; it wants 0 or more", d, interior);
    for (int64_t value : {low, high, interior}) SF_CHECK(WantWindowNumber(op, "the padding", value, d));
    if (from.dimension(d) == Shape::kUnbounded) {
      dims.Add(Shape::kUnbounded, true);
      continue;
    }
    const __int128 size = static_cast<__int128>(from.dimension(d)) + low + high +
                          static_cast<__int128>(std::max<int64_t>(from.dimension(d) - 1, 0)) * interior;
    if (size < 0 || size > kMaxSize) {
      return BadInput("padding {}_{}_{} of dimension {} of {} leaves no size from 0 to 2^63 - 1", low, high,
                      interior, d, from.ToString(false));
    }
    dims.Add(static_cast<int64_t>(size), from.IsDynamic(d));
  }
  return dims.Make(from.element_type());
}

Result<Shape> InferConcatenate(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, SIZE_MAX));
  SF_CHECK(WantArrays(op));
  const auto& dimensions = op.As<DimensionsAttributes>().dimensions;
  const Shape& first = op.operand(0);
  if (dimensions.size() != 1)
    return BadInput("concatenate names {} dimensions; it wants one", dimensions.size());
  SF_CHECK(WantDimensions(op, "dimensions", dimensions, first.rank()));
  const int64_t along = dimensions[0];
  Dims dims;
  for (int64_t d = 0; d < first.rank(); ++d) dims.AddFrom(first, d);
  ElementType type = first.element_type();
  __int128 size = 0;
  bool unbounded = false;
  for (size_t i = 0; i < op.operand_count(); ++i) {
    const Shape& shape = op.operand(i);
    const bool types_agree = shape.element_type() == type || (IsFloat(shape.element_type()) && IsFloat(type));
    bool sizes_agree = shape.rank() == first.rank();
    for (int64_t d = 0; sizes_agree && d < first.rank(); ++d) {
      sizes_agree = d == along || SizesAgree(shape.dimension(d), first.dimension(d));
    }
    if (!types_agree || !sizes_agree) {
      return BadInput(
          "operand {} is {} but operand 0 is {}; concatenate wants equal types and sizes but for dimension "
          "{}",
          i, shape.ToString(false), first.ToString(false), along);
    }
    if (shape.element_type() != type &&
        FormatOf(shape.element_type()).mantissa_bits > FormatOf(type).mantissa_bits) {
      type = shape.element_type();
    }
    for (int64_t d = 0; d < first.rank(); ++d)
      dims.dynamic[static_cast<size_t>(d)] |= shape.IsDynamic(d) ? 1 : 0;
    unbounded |= shape.dimension(along) == Shape::kUnbounded;
    if (!unbounded) size += shape.dimension(along);
  }
  if (size > kMaxSize) return BadInput("concatenate makes a dimension of more than 2^63 - 1");
  dims.sizes[static_cast<size_t>(along)] = unbounded ? Shape::kUnbounded : static_cast<int64_t>(size);
  return dims.Make(type);
}

Result<Shape> InferDynamicSlice(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, SIZE_MAX));
  SF_CHECK(WantArray(op, 0));
  const Shape& from = op.operand(0);
  SF_CHECK(WantStartIndices(op, 1, from.rank()));
  const IntList& sizes = op.As<DynamicSliceAttributes>().sizes;
  if (static_cast<int64_t>(sizes.size()) != from.rank()) {
    return BadInput("dynamic_slice_sizes has {} numbers; operand 0 is {} and has {} dimensions", sizes.size(),
                    from.ToString(false), from.rank());
  }
  Dims dims;
  for (int64_t d = 0; d < from.rank(); ++d) {
    const int64_t size = sizes[static_cast<size_t>(d)];
    if (size < 0 || (from.dimension(d) != Shape::kUnbounded && size > from.dimension(d))) {
      return BadInput("dynamic_slice_sizes takes {} of dimension {} of {}", size, d, from.ToString(false));
    }
    dims.Add(size, from.IsDynamic(d) && size == from.dimension(d));
  }
  return dims.Make(from.element_type());
}

Result<Shape> InferDynamicUpdateSlice(const OpView& op) {
  SF_CHECK(WantOperands(op, 2, SIZE_MAX));
  SF_CHECK(WantArray(op, 0));
  SF_CHECK(WantArray(op, 1));
  const Shape& into = op.operand(0);
  const Shape& update = op.operand(1);
  SF_CHECK(WantStartIndices(op, 2, into.rank()));
  const bool types_agree = update.element_type() == into.element_type() ||
                           (IsFloat(update.element_type()) && IsFloat(into.element_type()));
  bool fits = types_agree && update.rank() == into.rank();
  for (int64_t d = 0; fits && d < into.rank(); ++d) {
    fits = into.dimension(d) == Shape::kUnbounded || update.dimension(d) <= into.dimension(d);
  }
  if (!fits) return WrongOperand(op, 1, fmt::format("an update that fits into {}", into.ToString(false)));
  return Retyped(into, into.element_type());
}

Result<Shape> InferGetDimensionSize(const OpView& op) {
  SF_CHECK(WantOperands(op, 1, 1));
  SF_CHECK(WantArrays(op));
  const auto& dimensions = op.As<DimensionsAttributes>().dimensions;
  if (dimensions.size() != 1)
    return BadInput("get-dimension-size names {} dimensions; it wants one", dimensions.size());
  SF_CHECK(WantDimensions(op, "dimensions", dimensions, op.operand(0).rank()));
  if (op.operand(0).dimension(dimensions[0]) > std::numeric_limits<int32_t>::max()) {
    return WrongOperand(op, 0, "a dimension whose size fits s32");
  }
  return Shape::Scalar(ElementType::kS32);
}

Result<Shape> InferSetDimensionSize(const OpView& op) {
  SF_CHECK(WantOperands(op, 2, 2));
  SF_CHECK(WantArrays(op));
  const auto& dimensions = op.As<DimensionsAttributes>().dimensions;
  if (dimensions.size() != 1)
    return BadInput("set-dimension-size names {} dimensions; it wants one", dimensions.size());
  SF_CHECK(WantDimensions(op, "dimensions", dimensions, op.operand(0).rank()));
  if (!op.operand(1).IsScalar() || op.operand(1).element_type() != ElementType::kS32) {
    return WrongOperand(op, 1, "a scalar s32 there");
  }
  if (op.operand(0).dimension(dimensions[0]) > std::numeric_limits<int32_t>::max()) {
    return WrongOperand(op, 0, "a dimension whose size fits s32");
  }
  Shape shape = Retyped(op.operand(0), op.operand(0).element_type());
  shape.set_dynamic(dimensions[0], true);
  return shape;
}

}  // namespace subfloor::hlo::inference
