#include "runtime/gpu/device_kernel_thunk.h"

#include <absl/container/inlined_vector.h>

namespace subfloor::runtime {

DeviceKernelThunk::DeviceKernelThunk(ThunkInfo info, std::string symbol, device::LaunchDimensions dimensions,
                                     std::vector<BufferSlice> inputs, std::vector<BufferSlice> outputs)
    : DeviceThunk(std::move(info)),
      symbol_(std::move(symbol)),
      dimensions_(dimensions),
      arguments_(std::move(inputs)),
      input_count_(arguments_.size()) {
  arguments_.insert(arguments_.end(), outputs.begin(), outputs.end());
}

Status DeviceKernelThunk::Bind(const FindDeviceKernel& find) {
  kernel_ = SF_TRY(find(symbol_));
  return {};
}

BufferUses DeviceKernelThunk::buffer_uses() const {
  BufferUses uses;
  for (size_t i = 0; i < arguments_.size(); ++i)
    uses.push_back({arguments_[i], i < input_count_ ? BufferUse::Kind::kRead : BufferUse::Kind::kWrite});
  return uses;
}

Status DeviceKernelThunk::Enqueue(const DeviceRun& run) const {
  absl::InlinedVector<device::DeviceMemory, 32> memory;
  for (const BufferSlice& slice : arguments_) memory.push_back(run.Memory(slice));
  return run.stream.Launch(*kernel_, dimensions_, memory);
}

}  // namespace subfloor::runtime
