#pragma once

#include "runtime/gpu/device_thunk.h"

namespace subfloor::runtime {

/// Launches a kernel: parameters in order, then output leaves in order.
class DeviceKernelThunk final : public DeviceThunk {
 public:
  DeviceKernelThunk(ThunkInfo info, std::string symbol, device::LaunchDimensions dimensions,
                    std::vector<BufferSlice> inputs, std::vector<BufferSlice> outputs);

  Status Bind(const FindDeviceKernel& find) override;
  BufferUses buffer_uses() const override;
  Status Enqueue(const DeviceRun& run) const override;

 private:
  std::string symbol_;
  device::LaunchDimensions dimensions_;
  std::vector<BufferSlice> arguments_;
  size_t input_count_;
  const device::Kernel* kernel_ = nullptr;
};

}  // namespace subfloor::runtime
