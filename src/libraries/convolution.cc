#include "libraries/convolution.h"

#include <algorithm>
#include <cstdlib>

#include "libraries/convolution_variants.h"
#include "libraries/gemm/instruction_set.h"

namespace subfloor::libraries {
namespace {

const ConvolutionVariant* const kVariants[] = {&kDepthwiseConvolution, &kImplicitGemmConvolution};

// The best that takes it, or null.
const ConvolutionVariant* Best(const ConvolutionDescription& description) {
  for (const ConvolutionVariant* variant : kVariants)
    if (variant->can_take(description)) return variant;
  return nullptr;
}

// What SUBFLOOR_CONVOLUTION says; empty if nothing.
std::string_view Forced() {
  const char* name = std::getenv("SUBFLOOR_CONVOLUTION");
  return name ? name : "";
}

const ConvolutionVariant* VariantCalled(std::string_view name) {
  const auto* const found = std::ranges::find(kVariants, name, &ConvolutionVariant::name);
  return found == std::end(kVariants) ? nullptr : *found;
}

int64_t SaturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

// What the sizes must satisfy whatever variant runs them.
Status Check(const ConvolutionDescription& d) {
  if (d.spatial_rank < 1 || d.spatial_rank > 3)
    return NotSupported("a convolution over {} spatial dimensions; 1 to 3 are supported", d.spatial_rank);
  if (d.batch < 0 || d.in_features < 0 || d.out_features < 0 || d.groups < 1)
    return BadInput("a convolution with a negative size: {}", d.ToString());
  if (d.in_features % d.groups != 0 || d.out_features % d.groups != 0)
    return BadInput("{} groups do not divide {} and {} features", d.groups, d.in_features, d.out_features);
  for (int i = 0; i < d.spatial_rank; ++i) {
    const ConvolutionDescription::Dimension& s = d.spatial[static_cast<size_t>(i)];
    if (s.input < 0 || s.kernel < 0 || s.output < 0 || s.stride < 1 || s.base_dilation < 1 ||
        s.window_dilation < 1)
      return BadInput("spatial dimension {} has a size, stride or dilation out of range: {}", i,
                      d.ToString());
    if (s.output != s.ExpectedOutput())
      return BadInput("spatial dimension {} of the output has size {}, the window gives {}", i, s.output,
                      s.ExpectedOutput());
  }
  return {};
}

}  // namespace

int64_t ConvolutionDescription::Dimension::ExpectedOutput() const {
  const int64_t dilated = input == 0 ? 0 : (input - 1) * base_dilation + 1;
  const int64_t window = kernel == 0 ? 0 : (kernel - 1) * window_dilation + 1;
  const int64_t padded = dilated + pad_low + pad_high;
  if (padded < window || padded < 0 || kernel == 0) return 0;
  return (padded - window) / stride + 1;
}

int64_t ConvolutionDescription::input_elements() const {
  int64_t count = SaturatingMultiply(batch, in_features);
  for (int i = 0; i < spatial_rank; ++i)
    count = SaturatingMultiply(count, spatial[static_cast<size_t>(i)].input);
  return count;
}

int64_t ConvolutionDescription::kernel_elements() const {
  int64_t count = SaturatingMultiply(in_features / std::max<int64_t>(groups, 1), out_features);
  for (int i = 0; i < spatial_rank; ++i)
    count = SaturatingMultiply(count, spatial[static_cast<size_t>(i)].kernel);
  return count;
}

int64_t ConvolutionDescription::output_elements() const {
  int64_t count = SaturatingMultiply(batch, out_features);
  for (int i = 0; i < spatial_rank; ++i)
    count = SaturatingMultiply(count, spatial[static_cast<size_t>(i)].output);
  return count;
}

int64_t ConvolutionDescription::multiply_adds() const {
  int64_t count = SaturatingMultiply(output_elements(), in_features / std::max<int64_t>(groups, 1));
  for (int i = 0; i < spatial_rank; ++i)
    count = SaturatingMultiply(count, spatial[static_cast<size_t>(i)].kernel);
  return count;
}

std::string ConvolutionDescription::ToString() const {
  std::string input, kernel, output, window;
  for (int i = 0; i < std::min(spatial_rank, 3); ++i) {
    const Dimension& s = spatial[static_cast<size_t>(i)];
    const char* times = i == 0 ? "" : "x";
    input += fmt::format("{},", s.input);
    kernel += fmt::format("{},", s.kernel);
    output += fmt::format("{},", s.output);
    window += fmt::format("{}{}/{}", times, s.kernel, s.stride);
    if (s.base_dilation != 1 || s.window_dilation != 1)
      window += fmt::format("~{}~{}", s.base_dilation, s.window_dilation);
  }
  return fmt::format("{}[{},{}{}] * [{}{},{}] -> {}[{},{}{}], window {}{}", subfloor::ToString(type), batch,
                     input, in_features, kernel, in_features / std::max<int64_t>(groups, 1), out_features,
                     subfloor::ToString(out_type), batch, output, out_features, window,
                     groups != 1 ? fmt::format(", {} groups", groups) : "");
}

bool CanTakeConvolution(const ConvolutionDescription& description, decision::Log* log, int64_t instruction) {
  using decision::Fact, decision::Question;
  auto answer = [&](bool yes, Fact fact) {
    return decision::Decide(log, Question::kConvolutionLibrary, yes, fact, 0, 0, instruction);
  };
  if (!Check(description)) return answer(false, Fact::kFormNotTaken);
  const ConvolutionVariant* taken = Best(description);
  if (taken == nullptr) return answer(false, Fact::kTypeNotTaken);
  // One that is forced and can't is Create's to refuse.
  if (const ConvolutionVariant* forced = VariantCalled(Forced())) taken = forced;
  return answer(true, taken->fact);
}

Result<std::unique_ptr<const Convolution>> Convolution::Create(const ConvolutionDescription& description) {
  SF_CHECK(Check(description));
  SF_CHECK(gemm::CheckForcedInstructionSet());
  const std::string_view forced = Forced();
  if (forced.empty()) {
    if (const ConvolutionVariant* best = Best(description)) return best->make(description);
    return NotSupported("no library takes the convolution {}; a compiled kernel does",
                        description.ToString());
  }
  const ConvolutionVariant* variant = VariantCalled(forced);
  if (variant == nullptr) {
    return BadInput("SUBFLOOR_CONVOLUTION={} names no variant; known are:\n{}", forced,
                    ListConvolutionVariants());
  }
  if (!variant->can_take(description))
    return NotSupported("SUBFLOOR_CONVOLUTION={} does not take {}", forced, description.ToString());
  return variant->make(description);
}

std::string ListConvolutionVariants() {
  std::string text;
  for (const ConvolutionVariant* variant : kVariants)
    text += fmt::format("{:13} {}\n", variant->name, variant->takes);
  return text;
}

}  // namespace subfloor::libraries
