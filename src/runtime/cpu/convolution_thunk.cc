#include "runtime/cpu/convolution_thunk.h"

#include "runtime/cpu/run_tiles.h"

namespace subfloor::runtime {

Status ConvolutionThunk::Bind(const BindContext& context) {
  convolution_ = SF_TRY(libraries::Convolution::Create(description_));
  const libraries::ConvolutionDescription& d = description_;
  const int64_t in = ByteWidth(d.type), out = ByteWidth(d.out_type);
  if (d.input_elements() * in > input_.size || d.kernel_elements() * in > kernel_.size ||
      d.output_elements() * out > output_.size)
    return InternalError("the convolution {} has slices of {}, {} and {} bytes", d.ToString(), input_.size,
                         kernel_.size, output_.size);
  return {};
}

BufferUses ConvolutionThunk::buffer_uses() const {
  return {{input_, BufferUse::Kind::kRead},
          {kernel_, BufferUse::Kind::kRead},
          {output_, BufferUse::Kind::kWrite}};
}

Completion ConvolutionThunk::Execute(const RunContext& context) const {
  const void* input = context.Address(input_);
  const void* kernel = context.Address(kernel_);
  void* output = context.Address(output_);
  return RunTiles(context, convolution_->tile_count(),
                  [&](int64_t tile) { return convolution_->RunTile(tile, input, kernel, output); });
}

}  // namespace subfloor::runtime
