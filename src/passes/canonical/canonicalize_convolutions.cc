#include "passes/canonical/canonicalize_convolutions.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "passes/make.h"

namespace subfloor::passes {
namespace {

using hlo::ConvolutionAttributes;
using hlo::ConvolutionDimensions;
using hlo::Instruction;
using hlo::Opcode;

// Where batch (or kernel input feature), spatial dimensions and feature (or kernel output feature) stand, in
// canonical order.
std::vector<int64_t> InputOrder(const ConvolutionDimensions& d) {
  std::vector<int64_t> order = {d.input_batch};
  order.insert(order.end(), d.input_spatial.begin(), d.input_spatial.end());
  order.push_back(d.input_feature);
  return order;
}
std::vector<int64_t> KernelOrder(const ConvolutionDimensions& d) {
  std::vector<int64_t> order = d.kernel_spatial;
  order.push_back(d.kernel_input_feature);
  order.push_back(d.kernel_output_feature);
  return order;
}
std::vector<int64_t> OutputOrder(const ConvolutionDimensions& d) {
  std::vector<int64_t> order = {d.output_batch};
  order.insert(order.end(), d.output_spatial.begin(), d.output_spatial.end());
  order.push_back(d.output_feature);
  return order;
}

ConvolutionDimensions Canonical(int64_t rank) {
  ConvolutionDimensions d;
  d.input_batch = d.output_batch = 0;
  d.input_feature = d.output_feature = rank + 1;
  d.kernel_input_feature = rank;
  d.kernel_output_feature = rank + 1;
  std::string digits;
  for (int64_t i = 0; i < rank; ++i) {
    d.input_spatial.push_back(i + 1);
    d.output_spatial.push_back(i + 1);
    d.kernel_spatial.push_back(i);
    digits += static_cast<char>('0' + i);
  }
  d.text = fmt::format("b{0}f_{0}io->b{0}f", digits);
  return d;
}

// [groups * n, spatial, c] with one block of the batch a group -> [n, spatial, groups * c], blocks side by
// side.
Instruction* BatchBlocksToFeatures(Instruction* input, int64_t groups) {
  const auto sizes = input->shape().dimensions();
  const size_t rank = sizes.size();
  std::vector<int64_t> split = {groups, sizes[0] / groups};
  split.insert(split.end(), sizes.begin() + 1, sizes.end());
  std::vector<int64_t> order;  // batch, spatial, group, feature
  for (size_t i = 1; i < rank; ++i) order.push_back(static_cast<int64_t>(i));
  order.push_back(0);
  order.push_back(static_cast<int64_t>(rank));
  std::vector<int64_t> joined(sizes.begin(), sizes.end());
  joined[0] /= groups;
  joined[rank - 1] *= groups;
  return MakeReshape(MakeTranspose(MakeReshape(input, split), order), joined);
}

bool Canonicalize(Instruction* convolution) {
  const ConvolutionAttributes& attributes = convolution->As<ConvolutionAttributes>();
  const ConvolutionDimensions& dims = attributes.dimensions;
  const auto rank = static_cast<int64_t>(dims.input_spatial.size());
  Instruction *input = convolution->operand(0), *kernel = convolution->operand(1);
  if (rank < 1 || rank > 3 || input->shape().rank() != rank + 2 || kernel->shape().rank() != rank + 2 ||
      convolution->shape().rank() != rank + 2 || !attributes.sparsity_config.text.empty()) {
    return false;
  }
  const std::vector<int64_t> output_order = OutputOrder(dims);
  const bool reversed = std::ranges::any_of(attributes.window, [](const auto& d) { return d.reversal; });
  const auto small = [](ElementType type) { return IsFloat(type) && BitWidth(type) <= 8; };
  const ElementType result_type = convolution->shape().element_type();
  const bool widen = (small(input->shape().element_type()) || small(kernel->shape().element_type())) &&
                     IsFloat(result_type) && result_type != ElementType::kF64 &&
                     IsFloat(input->shape().element_type()) && IsFloat(kernel->shape().element_type());
  if (IsIdentityPermutation(InputOrder(dims)) && IsIdentityPermutation(KernelOrder(dims)) &&
      IsIdentityPermutation(output_order) && !reversed && attributes.batch_group_count == 1 && !widen) {
    return false;
  }
  input = MakeTranspose(input, InputOrder(dims));
  kernel = MakeTranspose(kernel, KernelOrder(dims));
  ConvolutionAttributes made = attributes;
  if (reversed) {
    hlo::IntList along;
    for (size_t i = 0; i < made.window.size(); ++i) {
      if (made.window[i].reversal) along.push_back(static_cast<int64_t>(i));
      made.window[i].reversal = false;
    }
    kernel = kernel->parent()->Add(Opcode::kReverse,
                                   ArrayShape(kernel->shape().element_type(), kernel->shape().dimensions()),
                                   {kernel}, hlo::DimensionsAttributes{along});
  }
  if (attributes.batch_group_count > 1) {
    input = BatchBlocksToFeatures(input, attributes.batch_group_count);
    made.feature_group_count = attributes.batch_group_count;
    made.batch_group_count = 1;
  }
  if (widen) {
    input = MakeConvert(input, ElementType::kF32);
    kernel = MakeConvert(kernel, ElementType::kF32);
  }
  made.dimensions = Canonical(rank);
  const Shape shape = ArrayShape(widen ? ElementType::kF32 : result_type,
                                 Permute(convolution->shape().dimensions(), output_order));
  Instruction* operands[] = {input, kernel};
  Instruction* value = convolution->parent()->Add(Opcode::kConvolution, shape, operands, std::move(made), {},
                                                  convolution->name());
  if (convolution->has_annotations()) value->mutable_annotations() = convolution->annotations();
  value = MakeTranspose(MakeConvert(value, result_type), InversePermutation(output_order));
  convolution->parent()->Replace(convolution, value);
  return true;
}

}  // namespace

Result<bool> CanonicalizeConvolutions(hlo::Module& module, PassContext&) {
  bool changed = false;
  for (hlo::Computation* computation : module.computations()) {
    for (Instruction* instruction : computation->MakePostOrder()) {
      if (instruction->opcode() != Opcode::kConvolution || instruction->operand_count() != 2 ||
          HasControlEdges(instruction) || instruction->shape().HasDynamicDimension()) {
        continue;
      }
      changed |= Canonicalize(instruction);
    }
  }
  return changed;
}

}  // namespace subfloor::passes
