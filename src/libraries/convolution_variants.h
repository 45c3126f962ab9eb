#pragma once

#include "libraries/convolution.h"

/// The variants behind convolution.h, one file each.
namespace subfloor::libraries {

struct ConvolutionVariant {
  decision::Fact fact;  ///< what the log says when it is chosen
  std::string_view name, takes;
  bool (*can_take)(const ConvolutionDescription& description);
  /// Null if it turns out, on a closer look, that the variant cannot.
  std::unique_ptr<const Convolution> (*make)(const ConvolutionDescription& description);
};

extern const ConvolutionVariant kDepthwiseConvolution, kImplicitGemmConvolution;

}  // namespace subfloor::libraries
