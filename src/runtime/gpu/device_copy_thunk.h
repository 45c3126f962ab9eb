#pragma once

#include "runtime/gpu/device_thunk.h"

namespace subfloor::runtime {

/// Copies bytes from one slice to another of the same size, on the device.
class DeviceCopyThunk final : public DeviceThunk {
 public:
  DeviceCopyThunk(ThunkInfo info, BufferSlice from, BufferSlice to)
      : DeviceThunk(std::move(info)), from_(from), to_(to) {}

  BufferUses buffer_uses() const override {
    return {{from_, BufferUse::Kind::kRead}, {to_, BufferUse::Kind::kWrite}};
  }
  Status Enqueue(const DeviceRun& run) const override {
    return run.stream.CopyOnDevice(run.Memory(to_), run.Memory(from_));
  }

 private:
  BufferSlice from_, to_;
};

}  // namespace subfloor::runtime
