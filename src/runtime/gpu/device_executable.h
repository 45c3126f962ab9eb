#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "device/description/code_image.h"
#include "device/executor.h"
#include "runtime/allocation.h"
#include "runtime/gpu/device_thunk.h"

namespace subfloor::runtime {

/// A program ready to run on one device, from and to memory of the host. Immutable: any number of threads may
/// run it at once, each run in memory of its own, which is kept for the next.
class DeviceExecutable {
 public:
  struct Parts {
    std::string name;
    std::vector<Allocation> allocations;
    DeviceSequence thunks;
    std::vector<device::CodeImage> images;
  };

  /// Loads the code, puts constants on the device, binds all thunks. `executor` must outlive the executable.
  /// Errors: what the executor refuses; internal for a slice outside of its allocation.
  static Result<std::unique_ptr<const DeviceExecutable>> Create(Parts parts, device::Executor& executor);
  ~DeviceExecutable();

  const std::string& name() const { return name_; }

  /// Copies parameter leaves in, runs, copies output leaves out; returns when all is done. Errors: bad input
  /// for a wrong number or size of buffers; out of resources; what the device reports, findings of the
  /// simulator among it.
  Status Run(std::span<const std::span<const std::byte>> parameters,
             std::span<const std::span<std::byte>> outputs) const;

 private:
  struct RunMemory;
  DeviceExecutable(Parts parts, device::Executor& executor);
  Status Prepare(std::vector<device::CodeImage> images);
  Status BindAll(const FindDeviceKernel& find);
  Result<std::unique_ptr<RunMemory>> TakeMemory() const;

  std::string name_;
  device::Executor& executor_;
  std::vector<Allocation> allocations_;
  DeviceSequence thunks_;
  std::vector<std::unique_ptr<device::Module>> modules_;
  std::vector<device::DeviceMemory> constants_;  // by allocation; empty for others
  size_t parameter_count_ = 0, output_count_ = 0;

  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<RunMemory>> free_;
};

}  // namespace subfloor::runtime
