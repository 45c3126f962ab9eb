// convolution: sums of products over the window, in the wide type, rounded once.

#include <algorithm>

#include "evaluator/index_space.h"
#include "evaluator/op_functions.h"
#include "evaluator/products.h"

namespace subfloor::evaluator {
namespace {

using hlo::ConvolutionAttributes;
using hlo::ConvolutionDimensions;

// An array with its dimensions in a given order, as wide values.
template <typename W>
std::vector<W> Rearranged(const Literal& literal, std::span<const int64_t> order) {
  const std::vector<W> values = LoadAll<W>(literal);
  std::vector<W> result;
  result.reserve(values.size());
  for (int64_t offset : OffsetsOver(literal.shape(), order))
    result.push_back(values[static_cast<size_t>(offset)]);
  return result;
}

std::vector<int64_t> Order(std::initializer_list<int64_t> first, std::span<const int64_t> spatial,
                           std::initializer_list<int64_t> last) {
  std::vector<int64_t> order(first);
  order.insert(order.end(), spatial.begin(), spatial.end());
  order.insert(order.end(), last);
  return order;
}

// One pair of an input position and a kernel position that meet in an output position.
struct Tap {
  int64_t input;
  int64_t kernel;
};

// Where window position `k` of output position `out` reads, or -1 if in padding or between dilated elements.
int64_t InputPosition(const hlo::WindowDimension& window, int64_t out, int64_t k, int64_t input_size) {
  const int64_t dilated = out * window.stride - window.padding_low + k * window.window_dilation;
  if (dilated < 0 || dilated % window.base_dilation != 0) return -1;
  const int64_t position = dilated / window.base_dilation;
  return position < input_size ? position : -1;
}

class Geometry {
 public:
  Geometry(const Shape& input, const Shape& kernel, const Shape& output,
           const ConvolutionAttributes& attributes)
      : window_(attributes.window) {
    const ConvolutionDimensions& dims = attributes.dimensions;
    for (size_t i = 0; i < window_.size(); ++i) {
      input_sizes_.push_back(input.dimension(dims.input_spatial[i]));
      kernel_sizes_.push_back(kernel.dimension(dims.kernel_spatial[i]));
      output_sizes_.push_back(output.dimension(dims.output_spatial[i]));
    }
    input_strides_ = RowMajorStrides(input_sizes_);
    kernel_strides_ = RowMajorStrides(kernel_sizes_);
  }

  std::span<const int64_t> output_sizes() const { return output_sizes_; }

  // All taps of one output position, in the window's row-major order.
  std::vector<Tap> Taps(std::span<const int64_t> output) const {
    std::vector<Tap> taps = {{0, 0}};
    for (size_t d = 0; d < window_.size(); ++d) {
      std::vector<Tap> finer;
      for (const Tap& tap : taps) {
        for (int64_t k = 0; k < kernel_sizes_[d]; ++k) {
          const int64_t input = InputPosition(window_[d], output[d], k, input_sizes_[d]);
          if (input < 0) continue;
          const int64_t kernel = window_[d].reversal ? kernel_sizes_[d] - 1 - k : k;
          finer.push_back({tap.input + input * input_strides_[d], tap.kernel + kernel * kernel_strides_[d]});
        }
      }
      taps = std::move(finer);
    }
    return taps;
  }

 private:
  const hlo::Window& window_;
  std::vector<int64_t> input_sizes_, kernel_sizes_, output_sizes_, input_strides_, kernel_strides_;
};

int64_t Product(std::span<const int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) product *= size;
  return product;
}

}  // namespace

Result<Literal> EvaluateConvolution(Context& context, const hlo::Instruction& instruction,
                                    Operands operands) {
  const auto& attributes = instruction.As<ConvolutionAttributes>();
  if (!attributes.sparsity_config.text.empty()) {
    return NotSupported("a convolution with sparsity; the same convolution on a dense operand would work");
  }
  const ConvolutionDimensions& dims = attributes.dimensions;
  const ElementType type = instruction.shape().element_type();
  const Literal input = SF_TRY(AsProductOperand(*operands[0], type));
  const Literal kernel = SF_TRY(AsProductOperand(*operands[1], type));
  const Shape& output_shape = instruction.shape();
  Literal result = SF_TRY(Literal::Zeros(output_shape));
  if (output_shape.element_count() == 0) return result;

  const int64_t features_in = input.shape().dimension(dims.input_feature);
  const int64_t features_out = output_shape.dimension(dims.output_feature);
  const int64_t group_in = kernel.shape().dimension(dims.kernel_input_feature);
  const int64_t feature_groups = attributes.feature_group_count, batch_groups = attributes.batch_group_count;
  const int64_t groups = std::max(feature_groups, batch_groups);
  if (feature_groups < 1 || batch_groups < 1 || features_out % groups != 0 ||
      group_in * feature_groups != features_in) {
    return BadInput(
        "{} input features and {} output features do not fit {} feature groups and {} batch groups",
        features_in, features_out, feature_groups, batch_groups);
  }
  const int64_t group_out = features_out / groups;
  const int64_t batches_out = output_shape.dimension(dims.output_batch);
  const Geometry geometry(input.shape(), kernel.shape(), output_shape, attributes);
  const auto spatial_of = [](const Shape& shape, std::span<const int64_t> spatial) {
    int64_t product = 1;
    for (int64_t d : spatial) product *= shape.dimension(d);
    return product;
  };
  const int64_t input_spatial = spatial_of(input.shape(), dims.input_spatial);

  // Where the elements of the result lie, walked as [spatial][batch][feature].
  const std::vector<int64_t> where =
      OffsetsOver(output_shape, Order({}, dims.output_spatial, {dims.output_batch, dims.output_feature}));

  WithWide(ProductKind(type, input.element_type(), kernel.element_type()), [&]<typename W>() {
    // Input as [batch][spatial][feature]; kernel as [spatial][input feature][output feature], so that the
    // innermost loop runs over the output features of a group.
    const std::vector<W> in =
        Rearranged<W>(input, Order({dims.input_batch}, dims.input_spatial, {dims.input_feature}));
    const std::vector<W> weights = Rearranged<W>(
        kernel, Order({}, dims.kernel_spatial, {dims.kernel_input_feature, dims.kernel_output_feature}));
    std::vector<W> out(static_cast<size_t>(output_shape.element_count()), W{});
    std::vector<W> sums(static_cast<size_t>(group_out));
    std::vector<int64_t> position(geometry.output_sizes().size(), 0);
    const int64_t positions = Product(geometry.output_sizes());
    for (int64_t p = 0; p < positions; ++p, NextIndex(position, geometry.output_sizes())) {
      const std::vector<Tap> taps = geometry.Taps(position);
      for (int64_t batch = 0; batch < batches_out; ++batch) {
        for (int64_t group = 0; group < groups; ++group) {
          // A batch group reads its own block of the batch, a feature group its own block of the features.
          const int64_t batch_in = batch_groups > 1 ? group * batches_out + batch : batch;
          const int64_t feature_in = feature_groups > 1 ? group * group_in : 0;
          std::ranges::fill(sums, W{});
          for (const Tap& tap : taps) {
            const W* from = in.data() + (batch_in * input_spatial + tap.input) * features_in + feature_in;
            const W* weight = weights.data() + tap.kernel * group_in * features_out + group * group_out;
            for (int64_t f = 0; f < group_in; ++f) {
              MultiplyAddRow<W>(sums.data(), from[f], weight + f * features_out, group_out);
            }
          }
          const int64_t* to = where.data() + (p * batches_out + batch) * features_out + group * group_out;
          for (int64_t f = 0; f < group_out; ++f) {
            out[static_cast<size_t>(to[f])] = sums[static_cast<size_t>(f)];
          }
        }
      }
    }
    StoreAll(out, result);
  });
  return result;
}

}  // namespace subfloor::evaluator
