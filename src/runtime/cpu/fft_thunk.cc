#include "runtime/cpu/fft_thunk.h"

#include "runtime/cpu/run_tiles.h"

namespace subfloor::runtime {

Status FftThunk::Bind(const BindContext& context) {
  fft_ = SF_TRY(libraries::Fft::Create(description_));
  if (input_.size != description_.input_bytes() || output_.size != description_.output_bytes())
    return InternalError("a transform of {} into {} bytes, its slices have {} and {}",
                         description_.input_bytes(), description_.output_bytes(), input_.size, output_.size);
  return {};
}

Completion FftThunk::Execute(const RunContext& context) const {
  const void* input = context.Address(input_);
  void* output = context.Address(output_);
  return RunTiles(context, description_.batch,
                  [&](int64_t index) { return fft_->Run(index, input, output); });
}

}  // namespace subfloor::runtime
