// Ops that move elements and compute nothing: each one block copy, or a few.

#include <algorithm>

#include "evaluator/number.h"
#include "evaluator/op_functions.h"
#include "evaluator/strided_copy.h"
#include "types/narrow.h"

namespace subfloor::evaluator {
namespace {

using hlo::Instruction;

int64_t ElementBytes(const Literal& literal) { return ByteWidth(literal.element_type()); }

std::vector<int64_t> Strides(const Shape& shape) { return RowMajorStrides(shape.dimensions()); }

int64_t OffsetOf(std::span<const int64_t> index, std::span<const int64_t> strides) {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i) offset += index[i] * strides[i];
  return offset;
}

/// The whole of `shape`, read from an operand through `view`.
Result<Literal> ReadThrough(const Shape& shape, const Literal& operand, const StridedView& view) {
  Literal result = SF_TRY(Literal::Zeros(shape));
  CopyBlock(result.mutable_bytes().data(), {0, Strides(shape)}, operand.bytes().data(), view,
            shape.dimensions(), ElementBytes(operand));
  return result;
}

}  // namespace

Result<Literal> EvaluateBroadcast(Context& context, const Instruction& instruction, Operands operands) {
  const Literal& operand = *operands[0];
  const std::vector<int64_t> strides = Strides(operand.shape());
  StridedView view{0, std::vector<int64_t>(static_cast<size_t>(instruction.shape().rank()), 0)};
  const auto dimensions = instruction.dimensions();
  for (size_t i = 0; i < dimensions.size() && i < strides.size(); ++i) {
    const bool stretched = operand.shape().dimension(static_cast<int64_t>(i)) == 1;
    view.strides[static_cast<size_t>(dimensions[i])] = stretched ? 0 : strides[i];
  }
  return ReadThrough(instruction.shape(), operand, view);
}

Result<Literal> EvaluateTranspose(Context& context, const Instruction& instruction, Operands operands) {
  const std::vector<int64_t> strides = Strides(operands[0]->shape());
  StridedView view;
  for (int64_t dimension : instruction.dimensions())
    view.strides.push_back(strides[static_cast<size_t>(dimension)]);
  return ReadThrough(instruction.shape(), *operands[0], view);
}

Result<Literal> EvaluateSlice(Context& context, const Instruction& instruction, Operands operands) {
  const std::vector<int64_t> strides = Strides(operands[0]->shape());
  StridedView view;
  const hlo::SliceRanges& ranges = instruction.As<hlo::SliceAttributes>().slice;
  for (size_t i = 0; i < ranges.size(); ++i) {
    view.offset += ranges[i].start * strides[i];
    view.strides.push_back(strides[i] * ranges[i].stride);
  }
  return ReadThrough(instruction.shape(), *operands[0], view);
}

Result<Literal> EvaluateReverse(Context& context, const Instruction& instruction, Operands operands) {
  const Shape& shape = operands[0]->shape();
  StridedView view{0, Strides(shape)};
  for (int64_t dimension : instruction.dimensions()) {
    int64_t& stride = view.strides[static_cast<size_t>(dimension)];
    view.offset += (shape.dimension(dimension) - 1) * stride;
    stride = -stride;
  }
  return ReadThrough(instruction.shape(), *operands[0], view);
}

Result<Literal> EvaluatePad(Context& context, const Instruction& instruction, Operands operands) {
  const Literal& operand = *operands[0];
  const Shape& shape = instruction.shape();
  const size_t rank = static_cast<size_t>(shape.rank());
  Literal result = SF_TRY(ReadThrough(shape, *operands[1], {0, std::vector<int64_t>(rank, 0)}));

  // Of each dimension the operand's elements [first, first + size) land inside; negative padding cuts some
  // off.
  const hlo::Padding& padding = instruction.As<hlo::PadAttributes>().padding;
  const std::vector<int64_t> from_strides = Strides(operand.shape()), to_strides = Strides(shape);
  StridedView from{0, from_strides}, to;
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t step = padding[i].interior + 1, low = padding[i].low;
    const int64_t extent = operand.shape().dimension(static_cast<int64_t>(i));
    const int64_t first = low >= 0 ? 0 : (-low + step - 1) / step;
    const int64_t room =
        shape.dimension(static_cast<int64_t>(i)) - 1 - low;  // position of the last one, from low on
    const int64_t end = room < 0 ? 0 : std::min(extent, room / step + 1);
    sizes.push_back(std::max<int64_t>(end - first, 0));
    from.offset += first * from_strides[i];
    to.offset += (low + first * step) * to_strides[i];
    to.strides.push_back(step * to_strides[i]);
  }
  CopyBlock(result.mutable_bytes().data(), to, operand.bytes().data(), from, sizes, ElementBytes(operand));
  return result;
}

Result<Literal> EvaluateConcatenate(Context& context, const Instruction& instruction, Operands operands) {
  const Shape& shape = instruction.shape();
  Literal result = SF_TRY(Literal::Zeros(shape));
  const std::vector<int64_t> to_strides = Strides(shape);
  const int64_t dimension = instruction.dimensions()[0];
  std::byte* bytes = result.mutable_bytes().data();
  int64_t position = 0;
  for (const Literal* operand : operands) {
    const StridedView to{position * to_strides[static_cast<size_t>(dimension)], to_strides};
    CopyBlock(bytes, to, operand->bytes().data(), {0, Strides(operand->shape())},
              operand->shape().dimensions(), ElementBytes(*operand));
    position += operand->shape().dimension(dimension);
  }
  return result;
}

Result<Literal> EvaluateIota(Context& context, const Instruction& instruction, Operands operands) {
  const Shape& shape = instruction.shape();
  const int64_t dimension = instruction.As<hlo::IotaAttributes>().iota_dimension;
  const int64_t extent = shape.dimension(dimension);
  // One line of values, then a broadcast of it.
  Literal line = SF_TRY(Literal::Zeros(Shape::ArrayOf(shape.element_type(), {extent})));
  for (int64_t i = 0; i < extent; ++i) SetFromInt(line, i, i);
  StridedView view{0, std::vector<int64_t>(static_cast<size_t>(shape.rank()), 0)};
  view.strides[static_cast<size_t>(dimension)] = 1;
  return ReadThrough(shape, line, view);
}

Result<Literal> EvaluateDynamicSlice(Context& context, const Instruction& instruction, Operands operands) {
  const Literal& operand = *operands[0];
  const std::vector<int64_t> starts = SF_TRY(
      ClampedStarts(operands.subspan(1), operand.shape().dimensions(), instruction.shape().dimensions()));
  const std::vector<int64_t> strides = Strides(operand.shape());
  return ReadThrough(instruction.shape(), operand, {OffsetOf(starts, strides), strides});
}

Result<Literal> EvaluateDynamicUpdateSlice(Context& context, const Instruction& instruction,
                                           Operands operands) {
  const Literal& update = *operands[1];
  const std::vector<int64_t> starts = SF_TRY(
      ClampedStarts(operands.subspan(2), operands[0]->shape().dimensions(), update.shape().dimensions()));
  const std::vector<int64_t> strides = Strides(operands[0]->shape());
  Literal result = context.Take(operands, 0);
  CopyBlock(result.mutable_bytes().data(), {OffsetOf(starts, strides), strides}, update.bytes().data(),
            {0, Strides(update.shape())}, update.shape().dimensions(), ElementBytes(update));
  return result;
}

}  // namespace subfloor::evaluator
