#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "device/description/code_image.h"

/// One device of any platform: memory, code, streams, events. Platforms stand in platform.h.
///
/// Everything is made by an Executor and must be gone before it. Objects of one executor given to another are
/// bad input. Threads: any number may use an executor, its streams and its events at once.
namespace subfloor::device {

/// Memory on a device, or a part of it: a value, which owns nothing. The address means something on the
/// device only.
struct DeviceMemory {
  std::byte* address = nullptr;
  uint64_t size_bytes = 0;

  /// The caller sees to it that offset + size stay within.
  DeviceMemory Slice(uint64_t offset_bytes, uint64_t slice_bytes) const {
    return {address + offset_bytes, slice_bytes};
  }
};

/// How many threads run a kernel.
struct LaunchDimensions {
  std::array<uint64_t, 3> grid = {1, 1, 1};   ///< blocks
  std::array<uint64_t, 3> block = {1, 1, 1};  ///< threads of a block
  uint64_t shared_bytes = 0;                  ///< of a block, where the kernel itself asks for less
};

/// A function of a loaded module, which owns it.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual const std::string& name() const = 0;
};

/// Code on the device. Outlives the launches of its kernels.
class Module {
 public:
  virtual ~Module() = default;
  /// Errors: bad input, if there is none of that name.
  virtual Result<const Kernel*> FindKernel(std::string_view name) const = 0;
};

/// A point in a stream. One that was never recorded has happened. Recorded again, it means the new point;
/// streams that wait already keep waiting for the old one.
class Event {
 public:
  virtual ~Event() = default;
  /// Whether the stream has come past the event. Asked again and again, it becomes true without anything else
  /// being called. Errors: of the stream where it was recorded.
  virtual Result<bool> Query() = 0;
  /// Returns when the stream has come past the event. Errors: as Query.
  virtual Status Synchronize() = 0;
};

/// Work that is done in the order in which it was enqueued. Each call checks what it is given and returns;
/// memory of the host must stay until the work is done.
///
/// Errors: bad input for memory that is not allocated, sizes that differ, launches that the device does not
/// allow. What fails later fails the stream: the rest of its work is dropped, and Synchronize gives the error
/// once.
class Stream {
 public:
  /// Waits for what was enqueued; its errors are lost.
  virtual ~Stream() = default;

  /// Arguments: in the order of SubfloorKernelCall.
  virtual Status Launch(const Kernel& kernel, const LaunchDimensions& dimensions,
                        std::span<const DeviceMemory> arguments) = 0;
  virtual Status CopyToDevice(DeviceMemory to, std::span<const std::byte> from) = 0;
  virtual Status CopyToHost(std::span<std::byte> to, DeviceMemory from) = 0;
  /// The two must not overlap.
  virtual Status CopyOnDevice(DeviceMemory to, DeviceMemory from) = 0;
  virtual Status Fill(DeviceMemory memory, std::byte value) = 0;

  virtual Status Record(Event& event) = 0;
  /// What is enqueued from now on is done after the event's last recording so far.
  virtual Status Wait(Event& event) = 0;

  /// Returns when all that was enqueued is done.
  virtual Status Synchronize() = 0;
};

class Executor {
 public:
  virtual ~Executor() = default;

  /// "sim:h100"
  virtual const std::string& name() const = 0;

  /// Memory of unknown content, aligned to 256 bytes; of size 0 too, at an address of its own. Errors: out of
  /// resources, naming what is free.
  virtual Result<DeviceMemory> Allocate(uint64_t size_bytes) = 0;
  /// Waits for all streams first. Errors: bad input, if `memory` is not as Allocate gave it, or was freed.
  virtual Status Free(DeviceMemory memory) = 0;

  /// The image may be freed afterwards. Errors: as LoadCodeImage (host/code_loader.h).
  virtual Result<std::unique_ptr<Module>> LoadModule(const CodeImage& image) = 0;
  virtual Result<std::unique_ptr<Stream>> MakeStream() = 0;
  virtual Result<std::unique_ptr<Event>> MakeEvent() = 0;

  /// Time from `start` to `stop`. Errors: bad input, if either was never recorded or has not happened.
  virtual Result<int64_t> ElapsedNs(const Event& start, const Event& stop) const = 0;

  /// Returns when all streams are done. Errors: the first stream's that failed; the others keep theirs.
  virtual Status Synchronize() = 0;
};

}  // namespace subfloor::device
