#include "cpu/library_calls.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "libraries/convolution.h"
#include "libraries/fft.h"
#include "libraries/matmul.h"
#include "runtime/cpu/convolution_thunk.h"
#include "runtime/cpu/dot_thunk.h"
#include "runtime/cpu/fft_thunk.h"

namespace subfloor::cpu {
namespace {

using hlo::Instruction;
using hlo::Opcode;

// One side of a dot as a stack of matrices: batch dimensions first, then a run of free and a run of
// contracted ones, in either order, each run in memory order.
struct Side {
  int64_t batch = 1, free = 1, contracted = 1;
  bool contracted_first = false;
};

std::optional<Side> AsMatrices(const Shape& shape, std::span<const int64_t> batch,
                               std::span<const int64_t> contracting) {
  Side side;
  for (size_t i = 0; i < batch.size(); ++i) {
    if (batch[i] != static_cast<int64_t>(i)) return std::nullopt;
    side.batch *= shape.dimension(batch[i]);
  }
  // The contracted run must be contiguous, ascending, and at one end of what follows the batch.
  const auto first = static_cast<int64_t>(batch.size());
  for (size_t i = 0; i < contracting.size(); ++i) {
    if (contracting[i] != contracting[0] + static_cast<int64_t>(i)) return std::nullopt;
    side.contracted *= shape.dimension(contracting[i]);
  }
  const auto count = static_cast<int64_t>(contracting.size());
  if (count > 0 && contracting[0] != first && contracting[0] + count != shape.rank()) return std::nullopt;
  side.contracted_first = count > 0 && contracting[0] == first && first + count < shape.rank();
  for (int64_t d = first; d < shape.rank(); ++d) {
    if (std::ranges::find(contracting, d) == contracting.end()) side.free *= shape.dimension(d);
  }
  return side;
}

std::optional<libraries::MatmulDescription> DescribeDot(const Instruction& dot) {
  const auto& attributes = dot.As<hlo::DotAttributes>();
  const Shape& lhs = dot.operand(0)->shape();
  const Shape& rhs = dot.operand(1)->shape();
  const std::optional<Side> left = AsMatrices(lhs, attributes.lhs_batch, attributes.lhs_contracting);
  const std::optional<Side> right = AsMatrices(rhs, attributes.rhs_batch, attributes.rhs_contracting);
  if (!left || !right) return std::nullopt;
  libraries::MatmulDescription matmul;
  matmul.batch = left->batch;
  matmul.m = left->free;
  matmul.n = right->free;
  matmul.k = left->contracted;
  matmul.lhs_type = lhs.element_type();
  matmul.rhs_type = rhs.element_type();
  matmul.out_type = dot.shape().element_type();
  matmul.transpose_lhs = left->contracted_first;
  // A right side of contracted dimensions only is a column: [k, 1].
  matmul.transpose_rhs =
      !right->contracted_first && matmul.n > 1 && matmul.k >= 1 && !(attributes.rhs_contracting.empty());
  return matmul;
}

std::optional<libraries::ConvolutionDescription> DescribeConvolution(const Instruction& convolution) {
  const auto& attributes = convolution.As<hlo::ConvolutionAttributes>();
  const hlo::ConvolutionDimensions& dims = attributes.dimensions;
  const Shape& input = convolution.operand(0)->shape();
  const Shape& kernel = convolution.operand(1)->shape();
  const Shape& output = convolution.shape();
  const auto rank = static_cast<int64_t>(dims.input_spatial.size());
  if (rank < 1 || rank > 3 || attributes.batch_group_count != 1) return std::nullopt;
  if (input.element_type() != kernel.element_type()) return std::nullopt;
  // Channels last: batch, spatial in order, features; the kernel spatial in order, in, out.
  if (dims.input_batch != 0 || dims.input_feature != rank + 1 || dims.output_batch != 0 ||
      dims.output_feature != rank + 1 || dims.kernel_input_feature != rank ||
      dims.kernel_output_feature != rank + 1) {
    return std::nullopt;
  }
  libraries::ConvolutionDescription description;
  description.spatial_rank = static_cast<int>(rank);
  for (int64_t i = 0; i < rank; ++i) {
    const auto at = static_cast<size_t>(i);
    const hlo::WindowDimension& window = attributes.window[at];
    if (dims.input_spatial[at] != i + 1 || dims.output_spatial[at] != i + 1 || dims.kernel_spatial[at] != i) {
      return std::nullopt;
    }
    if (window.reversal) return std::nullopt;
    auto& spatial = description.spatial[at];
    spatial.input = input.dimension(i + 1);
    spatial.kernel = kernel.dimension(i);
    spatial.output = output.dimension(i + 1);
    spatial.stride = window.stride;
    spatial.pad_low = window.padding_low;
    spatial.pad_high = window.padding_high;
    spatial.base_dilation = window.base_dilation;
    spatial.window_dilation = window.window_dilation;
  }
  description.batch = input.dimension(0);
  description.in_features = input.dimension(rank + 1);
  description.out_features = output.dimension(rank + 1);
  description.groups = attributes.feature_group_count;
  description.type = input.element_type();
  description.out_type = output.element_type();
  return description;
}

libraries::FftDescription DescribeFft(const Instruction& fft) {
  const auto& attributes = fft.As<hlo::FftAttributes>();
  libraries::FftDescription description;
  switch (attributes.fft_type) {
    case hlo::FftType::kFft:
      description.kind = libraries::FftKind::kFft;
      break;
    case hlo::FftType::kIfft:
      description.kind = libraries::FftKind::kIfft;
      break;
    case hlo::FftType::kRfft:
      description.kind = libraries::FftKind::kRfft;
      break;
    case hlo::FftType::kIrfft:
      description.kind = libraries::FftKind::kIrfft;
      break;
  }
  description.real_type = ComponentType(fft.operand(0)->shape().element_type());
  description.lengths = attributes.fft_length;
  const Shape& shape = fft.operand(0)->shape();
  const int64_t leading = shape.rank() - static_cast<int64_t>(attributes.fft_length.size());
  for (int64_t d = 0; d < leading; ++d) description.batch *= shape.dimension(d);
  return description;
}

}  // namespace

bool LibraryTakes(const Instruction& instruction, decision::Log* log) {
  using decision::Fact;
  using decision::Question;
  if (instruction.opcode() == Opcode::kDot) {
    const auto matmul = DescribeDot(instruction);
    if (!matmul)
      return decision::Decide(log, Question::kDotLibrary, false, Fact::kFormNotTaken, 0, 0, instruction.id());
    // Setting up a call takes longer than so small a product, and loops of our own fuse with what is around.
    constexpr int64_t kWorthACall = 4'096;
    int64_t multiply_adds = 1;
    for (int64_t size : {matmul->batch, matmul->m, matmul->n, matmul->k}) {
      multiply_adds = std::min(kWorthACall, multiply_adds * std::min(size, kWorthACall));
    }
    if (multiply_adds < kWorthACall) {
      return decision::Decide(log, Question::kDotLibrary, false, Fact::kShapeTooSmall, multiply_adds,
                              kWorthACall, instruction.id());
    }
    return libraries::CanTakeMatmul(*matmul, log, instruction.id());
  }
  if (instruction.opcode() == Opcode::kConvolution) {
    const auto convolution = DescribeConvolution(instruction);
    if (!convolution) {
      return decision::Decide(log, Question::kConvolutionLibrary, false, Fact::kFormNotTaken, 0, 0,
                              instruction.id());
    }
    return libraries::CanTakeConvolution(*convolution, log, instruction.id());
  }
  if (instruction.opcode() != Opcode::kFft) return false;
  const libraries::FftDescription fft = DescribeFft(instruction);
  int64_t elements = 1;
  for (int64_t length : fft.lengths) elements *= length;
  return decision::Decide(log, Question::kFftLibrary, true, Fact::kMixedRadix, fft.batch, elements,
                          instruction.id());
}

Result<std::unique_ptr<runtime::Thunk>> MakeLibraryThunk(const Instruction& instruction,
                                                         runtime::ThunkInfo info,
                                                         std::span<const runtime::BufferSlice> operands,
                                                         runtime::BufferSlice result) {
  switch (instruction.opcode()) {
    case Opcode::kDot:
      if (const auto matmul = DescribeDot(instruction)) {
        return std::make_unique<runtime::DotThunk>(std::move(info), *matmul, operands[0], operands[1],
                                                   result);
      }
      break;
    case Opcode::kConvolution:
      if (const auto convolution = DescribeConvolution(instruction)) {
        return std::make_unique<runtime::ConvolutionThunk>(std::move(info), *convolution, operands[0],
                                                           operands[1], result);
      }
      break;
    case Opcode::kFft:
      return std::make_unique<runtime::FftThunk>(std::move(info), DescribeFft(instruction), operands[0],
                                                 result);
    default:
      break;
  }
  return InternalError("no library takes this {}", ToString(instruction.opcode()));
}

}  // namespace subfloor::cpu
