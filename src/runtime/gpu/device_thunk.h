#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "device/executor.h"
#include "runtime/buffer_slice.h"
#include "runtime/thunk.h"

namespace subfloor::runtime {

/// Finds a kernel by its symbol among the loaded images.
using FindDeviceKernel = std::function<Result<const device::Kernel*>(const std::string& symbol)>;

/// What a thunk needs of the run it is part of.
struct DeviceRun {
  device::Stream& stream;
  std::span<const device::DeviceMemory> allocations;  ///< in the order of the allocation table

  device::DeviceMemory Memory(const BufferSlice& slice) const {
    return allocations[static_cast<size_t>(slice.allocation)].Slice(static_cast<uint64_t>(slice.offset),
                                                                    static_cast<uint64_t>(slice.size));
  }
};

class DeviceSequence;

/// One step of a program on a device: enqueues work on the run's stream. Immutable once bound; plain values,
/// no HLO. Threads: any number of runs at once.
class DeviceThunk {
 public:
  explicit DeviceThunk(ThunkInfo info) : info_(std::move(info)) {}
  virtual ~DeviceThunk() = default;
  DeviceThunk(const DeviceThunk&) = delete;
  DeviceThunk& operator=(const DeviceThunk&) = delete;

  const ThunkInfo& info() const { return info_; }

  /// Looks up what Enqueue will launch. Called once, before all else.
  virtual Status Bind(const FindDeviceKernel& find) { return {}; }
  /// Its own uses, without those of nested thunks.
  virtual BufferUses buffer_uses() const = 0;
  virtual std::vector<DeviceSequence*> nested() { return {}; }
  /// Control flow waits for what decides it; all else returns as soon as the work is in the stream.
  virtual Status Enqueue(const DeviceRun& run) const = 0;

 private:
  ThunkInfo info_;
};

/// Thunks in an order that is always right to enqueue them in.
class DeviceSequence {
 public:
  DeviceSequence() = default;
  DeviceSequence(DeviceSequence&&) = default;
  DeviceSequence& operator=(DeviceSequence&&) = default;

  template <typename T, typename... Args>
  void Emplace(Args&&... args) {
    thunks_.push_back(std::make_unique<T>(std::forward<Args>(args)...));
  }
  const std::vector<std::unique_ptr<DeviceThunk>>& thunks() const { return thunks_; }

  /// One after the other. The first error ends it and names the instruction it came from.
  Status Enqueue(const DeviceRun& run) const;

 private:
  std::vector<std::unique_ptr<DeviceThunk>> thunks_;
};

}  // namespace subfloor::runtime
