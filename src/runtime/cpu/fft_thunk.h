#pragma once

#include <memory>

#include "libraries/fft.h"
#include "runtime/thunk.h"

namespace subfloor::runtime {

/// Fourier transforms over the innermost dimensions, the batch spread over the run's pool.
class FftThunk final : public Thunk {
 public:
  FftThunk(ThunkInfo info, libraries::FftDescription description, BufferSlice input, BufferSlice output)
      : Thunk(ThunkKind::kFft, std::move(info)),
        description_(std::move(description)),
        input_(input),
        output_(output) {}

  Status Bind(const BindContext& context) override;
  BufferUses buffer_uses() const override {
    return {{input_, BufferUse::Kind::kRead}, {output_, BufferUse::Kind::kWrite}};
  }
  Completion Execute(const RunContext& context) const override;

 private:
  libraries::FftDescription description_;
  BufferSlice input_, output_;
  std::unique_ptr<const libraries::Fft> fft_;
};

}  // namespace subfloor::runtime
