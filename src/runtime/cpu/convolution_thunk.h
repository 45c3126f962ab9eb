#pragma once

#include <memory>

#include "libraries/convolution.h"
#include "runtime/thunk.h"

namespace subfloor::runtime {

/// A convolution by a library, its tiles spread over the run's pool.
class ConvolutionThunk final : public Thunk {
 public:
  /// Slices hold the arrays as the description says; libraries::CanTakeConvolution(description) must be true.
  ConvolutionThunk(ThunkInfo info, libraries::ConvolutionDescription description, BufferSlice input,
                   BufferSlice kernel, BufferSlice output)
      : Thunk(ThunkKind::kConvolution, std::move(info)),
        description_(description),
        input_(input),
        kernel_(kernel),
        output_(output) {}

  Status Bind(const BindContext& context) override;
  BufferUses buffer_uses() const override;
  Completion Execute(const RunContext& context) const override;

 private:
  libraries::ConvolutionDescription description_;
  BufferSlice input_, kernel_, output_;
  std::unique_ptr<const libraries::Convolution> convolution_;
};

}  // namespace subfloor::runtime
