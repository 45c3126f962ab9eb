#include "evaluator/sample_recipe.h"

#include <algorithm>

namespace subfloor::evaluator {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using Part = SampleRecipe::Part;
using Source = SampleRecipe::Source;
using Index = std::vector<int64_t>;

Index Unravel(int64_t element, const Shape& shape) {
  Index index(static_cast<size_t>(shape.rank()));
  for (size_t d = index.size(); d-- > 0;) {
    index[d] = element % shape.dimension(static_cast<int64_t>(d));
    element /= shape.dimension(static_cast<int64_t>(d));
  }
  return index;
}
int64_t Ravel(const Index& index, const Shape& shape) {
  int64_t element = 0;
  for (size_t d = 0; d < index.size(); ++d)
    element = element * shape.dimension(static_cast<int64_t>(d)) + index[d];
  return element;
}
/// Steps to the next index of a block in row-major order; false after the last.
bool Next(Index& index, std::span<const int64_t> sizes) {
  for (size_t d = sizes.size(); d-- > 0;) {
    if (++index[d] < sizes[d]) return true;
    index[d] = 0;
  }
  return false;
}
bool Contains(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

const Shape& OperandShape(const Instruction& instruction, int64_t i) {
  return instruction.operand(i)->shape();
}

/// Where one element of a mover's result comes from; nullopt when the opcode moves nothing.
std::optional<Source> MoverSource(const Instruction& instruction, int64_t element) {
  const Shape& shape = instruction.shape();
  if (instruction.opcode() == Opcode::kReshape) return Source{0, element};
  Index at = Unravel(element, shape);
  const Shape* operand = instruction.operand_count() > 0 ? &OperandShape(instruction, 0) : nullptr;
  switch (instruction.opcode()) {
    case Opcode::kBroadcast: {
      Index from;
      for (size_t i = 0; i < instruction.dimensions().size(); ++i) {
        const bool stretched = operand->dimension(static_cast<int64_t>(i)) == 1;
        from.push_back(stretched ? 0 : at[static_cast<size_t>(instruction.dimensions()[i])]);
      }
      return Source{0, Ravel(from, *operand)};
    }
    case Opcode::kTranspose: {
      Index from(at.size());
      for (size_t i = 0; i < at.size(); ++i) from[static_cast<size_t>(instruction.dimensions()[i])] = at[i];
      return Source{0, Ravel(from, *operand)};
    }
    case Opcode::kSlice: {
      const hlo::SliceRanges& ranges = instruction.As<hlo::SliceAttributes>().slice;
      for (size_t i = 0; i < at.size(); ++i) at[i] = ranges[i].start + at[i] * ranges[i].stride;
      return Source{0, Ravel(at, *operand)};
    }
    case Opcode::kReverse:
      for (int64_t d : instruction.dimensions()) {
        at[static_cast<size_t>(d)] = shape.dimension(d) - 1 - at[static_cast<size_t>(d)];
      }
      return Source{0, Ravel(at, *operand)};
    case Opcode::kPad: {
      const hlo::Padding& padding = instruction.As<hlo::PadAttributes>().padding;
      for (size_t i = 0; i < at.size(); ++i) {
        const int64_t step = padding[i].interior + 1, position = at[i] - padding[i].low;
        if (position < 0 || position % step != 0 ||
            position / step >= operand->dimension(static_cast<int64_t>(i))) {
          return Source{1, 0};
        }
        at[i] = position / step;
      }
      return Source{0, Ravel(at, *operand)};
    }
    case Opcode::kConcatenate: {
      int64_t& position = at[static_cast<size_t>(instruction.dimensions()[0])];
      for (int64_t i = 0; i < instruction.operand_count(); ++i) {
        const int64_t extent = OperandShape(instruction, i).dimension(instruction.dimensions()[0]);
        if (position < extent)
          return Source{static_cast<int32_t>(i), Ravel(at, OperandShape(instruction, i))};
        position -= extent;
      }
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<SampleRecipe> Mover(const Instruction& instruction, std::span<const int64_t> elements) {
  SampleRecipe recipe{Opcode::kCopy, hlo::NoAttributes{}, {}};
  Part part{instruction.shape().element_type(), {static_cast<int64_t>(elements.size())}, {}};
  for (int64_t element : elements) {
    const std::optional<Source> source = MoverSource(instruction, element);
    if (!source) return std::nullopt;
    part.sources.push_back(*source);
  }
  recipe.parts.push_back(std::move(part));
  return recipe;
}

SampleRecipe Elementwise(const Instruction& instruction, std::span<const int64_t> elements) {
  SampleRecipe recipe{instruction.opcode(), instruction.attributes(), {}};
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const Shape& shape = OperandShape(instruction, i);
    Part part{shape.element_type(), {static_cast<int64_t>(elements.size())}, {}};
    for (int64_t element : elements)
      part.sources.push_back({static_cast<int32_t>(i), shape.rank() == 0 ? 0 : element});
    recipe.parts.push_back(std::move(part));
  }
  return recipe;
}

/// reduce of [n, what each of the n outputs folds] over dimension 1.
std::optional<SampleRecipe> Reduction(const Instruction& instruction, std::span<const int64_t> elements,
                                      int64_t limit) {
  if (!instruction.shape().IsArray()) return std::nullopt;
  const Shape& shape = OperandShape(instruction, 0);
  Index sizes(static_cast<size_t>(shape.rank()), 1);  // of the block that one output folds
  int64_t folded = 1;
  for (int64_t d : instruction.dimensions()) folded *= sizes[static_cast<size_t>(d)] = shape.dimension(d);
  const auto count = static_cast<int64_t>(elements.size());
  if (folded > limit / std::max<int64_t>(count, 1)) return std::nullopt;
  Part part{shape.element_type(), {count, folded}, {}};
  for (int64_t element : elements) {
    const Index output = Unravel(element, instruction.shape());
    Index origin(sizes.size(), 0);
    for (size_t d = 0, o = 0; d < sizes.size(); ++d) {
      if (!Contains(instruction.dimensions(), static_cast<int64_t>(d))) origin[d] = output[o++];
    }
    Index offset(sizes.size(), 0);
    if (folded == 0) continue;
    do {
      Index at = origin;
      for (size_t d = 0; d < at.size(); ++d) at[d] += offset[d];
      part.sources.push_back({0, Ravel(at, shape)});
    } while (Next(offset, sizes));
  }
  Part init{OperandShape(instruction, 1).element_type(), {}, {{1, 0}}};
  return SampleRecipe{Opcode::kReduce, hlo::DimensionsAttributes{{1}}, {std::move(part), std::move(init)}};
}

/// n independent products of vectors: [n, k] by [n, k].
SampleRecipe BatchedProducts(const Instruction& instruction, int64_t count, int64_t depth, Part lhs,
                             Part rhs) {
  lhs.type = OperandShape(instruction, 0).element_type();
  rhs.type = OperandShape(instruction, 1).element_type();
  lhs.dimensions = rhs.dimensions = {count, depth};
  hlo::DotAttributes attributes;
  attributes.lhs_batch = attributes.rhs_batch = {0};
  attributes.lhs_contracting = attributes.rhs_contracting = {1};
  return {Opcode::kDot, attributes, {std::move(lhs), std::move(rhs)}};
}

std::optional<SampleRecipe> Dot(const Instruction& instruction, std::span<const int64_t> elements,
                                int64_t limit) {
  const auto& attributes = instruction.As<hlo::DotAttributes>();
  if (instruction.operand_count() != 2) return std::nullopt;
  const Shape &lhs_shape = OperandShape(instruction, 0), &rhs_shape = OperandShape(instruction, 1);
  Index sizes;
  int64_t depth = 1;
  for (int64_t d : attributes.lhs_contracting) sizes.push_back(lhs_shape.dimension(d)), depth *= sizes.back();
  const auto count = static_cast<int64_t>(elements.size());
  if (depth > limit / std::max<int64_t>(count, 1)) return std::nullopt;
  Part lhs, rhs;
  for (int64_t element : elements) {
    const Index output = Unravel(element, instruction.shape());
    Index left(static_cast<size_t>(lhs_shape.rank()), 0), right(static_cast<size_t>(rhs_shape.rank()), 0);
    size_t o = 0;
    for (size_t b = 0; b < attributes.lhs_batch.size(); ++b, ++o) {
      left[static_cast<size_t>(attributes.lhs_batch[b])] = output[o];
      right[static_cast<size_t>(attributes.rhs_batch[b])] = output[o];
    }
    for (int64_t d = 0; d < lhs_shape.rank(); ++d) {
      if (Contains(attributes.lhs_batch, d) || Contains(attributes.lhs_contracting, d)) continue;
      left[static_cast<size_t>(d)] = output[o++];
    }
    for (int64_t d = 0; d < rhs_shape.rank(); ++d) {
      if (Contains(attributes.rhs_batch, d) || Contains(attributes.rhs_contracting, d)) continue;
      right[static_cast<size_t>(d)] = output[o++];
    }
    if (depth == 0) continue;
    Index k(sizes.size(), 0);
    do {
      for (size_t i = 0; i < k.size(); ++i) {
        left[static_cast<size_t>(attributes.lhs_contracting[i])] = k[i];
        right[static_cast<size_t>(attributes.rhs_contracting[i])] = k[i];
      }
      lhs.sources.push_back({0, Ravel(left, lhs_shape)});
      rhs.sources.push_back({1, Ravel(right, rhs_shape)});
    } while (Next(k, sizes));
  }
  return BatchedProducts(instruction, count, depth, std::move(lhs), std::move(rhs));
}

/// A convolution's element is the product of a patch, with zeros where it leaves the input, and a part of the
/// kernel.
std::optional<SampleRecipe> Convolution(const Instruction& instruction, std::span<const int64_t> elements,
                                        int64_t limit) {
  const auto& attributes = instruction.As<hlo::ConvolutionAttributes>();
  const hlo::ConvolutionDimensions& dims = attributes.dimensions;
  const Shape &input = OperandShape(instruction, 0), &kernel = OperandShape(instruction, 1);
  const size_t spatial = attributes.window.size();
  const int64_t group_features = kernel.dimension(dims.kernel_input_feature);
  Index sizes;  // spatial kernel sizes, then features
  int64_t depth = group_features;
  for (const hlo::WindowDimension& window : attributes.window)
    sizes.push_back(window.size), depth *= window.size;
  sizes.push_back(group_features);
  const auto count = static_cast<int64_t>(elements.size());
  if (depth > limit / std::max<int64_t>(count, 1) || depth == 0) return std::nullopt;

  const int64_t output_features = kernel.dimension(dims.kernel_output_feature);
  const int64_t batch_per_group = input.dimension(dims.input_batch) / attributes.batch_group_count;
  Part lhs, rhs;
  for (int64_t element : elements) {
    const Index output = Unravel(element, instruction.shape());
    const int64_t feature = output[static_cast<size_t>(dims.output_feature)];
    const int64_t feature_group = feature / (output_features / attributes.feature_group_count);
    const int64_t batch_group = feature / (output_features / attributes.batch_group_count);
    Index k(sizes.size(), 0);
    do {
      Index from(static_cast<size_t>(input.rank()), 0), weight(static_cast<size_t>(kernel.rank()), 0);
      bool inside = true;
      for (size_t s = 0; s < spatial; ++s) {
        const hlo::WindowDimension& window = attributes.window[s];
        int64_t position = output[static_cast<size_t>(dims.output_spatial[s])] * window.stride -
                           window.padding_low + k[s] * window.window_dilation;
        inside = inside && position >= 0 && position % window.base_dilation == 0;
        position /= window.base_dilation;
        inside = inside && position < input.dimension(dims.input_spatial[s]);
        from[static_cast<size_t>(dims.input_spatial[s])] = position;
        weight[static_cast<size_t>(dims.kernel_spatial[s])] = window.reversal ? window.size - 1 - k[s] : k[s];
      }
      if (!inside) {
        lhs.sources.push_back({-1, 0});
        rhs.sources.push_back({-1, 0});
        continue;
      }
      from[static_cast<size_t>(dims.input_batch)] =
          output[static_cast<size_t>(dims.output_batch)] + batch_group * batch_per_group;
      from[static_cast<size_t>(dims.input_feature)] = feature_group * group_features + k[spatial];
      weight[static_cast<size_t>(dims.kernel_input_feature)] = k[spatial];
      weight[static_cast<size_t>(dims.kernel_output_feature)] = feature;
      lhs.sources.push_back({0, Ravel(from, input)});
      rhs.sources.push_back({1, Ravel(weight, kernel)});
    } while (Next(k, sizes));
  }
  return BatchedProducts(instruction, count, depth, std::move(lhs), std::move(rhs));
}

}  // namespace

std::optional<SampleRecipe> MakeSampleRecipe(const Instruction& instruction,
                                             std::span<const int64_t> elements, int64_t source_limit) {
  if (!instruction.shape().IsArray()) return std::nullopt;
  switch (instruction.opcode()) {
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kPad:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return Mover(instruction, elements);
    case Opcode::kReduce:
      return Reduction(instruction, elements, source_limit);
    case Opcode::kDot:
      return Dot(instruction, elements, source_limit);
    case Opcode::kConvolution:
      return Convolution(instruction, elements, source_limit);
    default:
      if (instruction.IsElementwise()) return Elementwise(instruction, elements);
      return std::nullopt;
  }
}

}  // namespace subfloor::evaluator
