#include "runtime/gpu/device_executable.h"

#include <algorithm>
#include <tuple>

namespace subfloor::runtime {
namespace {

using device::DeviceMemory;

}  // namespace

// One run's stream and memory; returned to the device when the executable goes.
struct DeviceExecutable::RunMemory {
  explicit RunMemory(device::Executor& executor) : executor(executor) {}
  ~RunMemory() {
    stream.reset();
    for (const DeviceMemory& memory : owned) std::ignore = executor.Free(memory);  // nobody is left to tell
  }

  device::Executor& executor;
  std::unique_ptr<device::Stream> stream;
  std::vector<DeviceMemory> allocations;  // by allocation, constants among them
  std::vector<DeviceMemory> owned;
};

DeviceExecutable::DeviceExecutable(Parts parts, device::Executor& executor)
    : name_(std::move(parts.name)),
      executor_(executor),
      allocations_(std::move(parts.allocations)),
      thunks_(std::move(parts.thunks)) {}

DeviceExecutable::~DeviceExecutable() {
  free_.clear();
  for (const DeviceMemory& memory : constants_) {
    if (memory.address != nullptr) std::ignore = executor_.Free(memory);
  }
}

Result<std::unique_ptr<const DeviceExecutable>> DeviceExecutable::Create(Parts parts,
                                                                         device::Executor& executor) {
  std::vector<device::CodeImage> images = std::move(parts.images);
  std::unique_ptr<DeviceExecutable> executable(new DeviceExecutable(std::move(parts), executor));
  SF_CHECK(executable->Prepare(std::move(images)));
  return executable;
}

Status DeviceExecutable::Prepare(std::vector<device::CodeImage> images) {
  for (const device::CodeImage& image : images) modules_.push_back(SF_TRY(executor_.LoadModule(image)));
  const std::unique_ptr<device::Stream> stream = SF_TRY(executor_.MakeStream());
  constants_.resize(allocations_.size());
  for (size_t i = 0; i < allocations_.size(); ++i) {
    const Allocation& allocation = allocations_[i];
    parameter_count_ = std::max(parameter_count_, static_cast<size_t>(allocation.parameter + 1));
    output_count_ = std::max(output_count_, static_cast<size_t>(allocation.output + 1));
    if (allocation.kind != Allocation::Kind::kConstant) continue;
    constants_[i] = SF_TRY(executor_.Allocate(static_cast<uint64_t>(allocation.size_bytes)));
    SF_CHECK(stream->CopyToDevice(constants_[i],
                                  {allocation.constant->data(), static_cast<size_t>(allocation.size_bytes)}));
  }
  SF_CHECK(stream->Synchronize());
  return BindAll([this](const std::string& symbol) -> Result<const device::Kernel*> {
    for (const auto& module : modules_) {
      if (auto kernel = module->FindKernel(symbol)) return kernel;
    }
    return InternalError("no loaded image has a kernel {}", symbol);
  });
}

Status DeviceExecutable::BindAll(const FindDeviceKernel& find) {
  std::vector<DeviceSequence*> pending = {&thunks_};
  while (!pending.empty()) {
    const DeviceSequence* sequence = pending.back();
    pending.pop_back();
    for (const auto& thunk : sequence->thunks()) {
      for (const BufferUse& use : thunk->buffer_uses()) {
        const BufferSlice& slice = use.slice;
        if (slice.allocation < 0 || static_cast<size_t>(slice.allocation) >= allocations_.size() ||
            slice.offset < 0 ||
            slice.offset + slice.size > allocations_[static_cast<size_t>(slice.allocation)].size_bytes) {
          return InternalError("%{}: a slice of {} bytes at {} is outside of allocation {}",
                               thunk->info().instruction, slice.size, slice.offset, slice.allocation);
        }
      }
      SF_CHECK(thunk->Bind(find));
      for (DeviceSequence* nested : thunk->nested()) pending.push_back(nested);
    }
  }
  return {};
}

Result<std::unique_ptr<DeviceExecutable::RunMemory>> DeviceExecutable::TakeMemory() const {
  {
    std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<RunMemory> memory = std::move(free_.back());
      free_.pop_back();
      return memory;
    }
  }
  auto memory = std::make_unique<RunMemory>(executor_);
  memory->stream = SF_TRY(executor_.MakeStream());
  for (size_t i = 0; i < allocations_.size(); ++i) {
    if (allocations_[i].kind == Allocation::Kind::kConstant) {
      memory->allocations.push_back(constants_[i]);
      continue;
    }
    memory->owned.push_back(SF_TRY(executor_.Allocate(static_cast<uint64_t>(allocations_[i].size_bytes))));
    memory->allocations.push_back(memory->owned.back());
  }
  return memory;
}

Status DeviceExecutable::Run(std::span<const std::span<const std::byte>> parameters,
                             std::span<const std::span<std::byte>> outputs) const {
  if (parameters.size() != parameter_count_ || outputs.size() != output_count_) {
    return BadInput("{} parameters and {} outputs for a program of {} and {}", parameters.size(),
                    outputs.size(), parameter_count_, output_count_);
  }
  std::unique_ptr<RunMemory> memory = SF_TRY(TakeMemory());
  const auto move = [&](bool in) -> Status {
    for (size_t i = 0; i < allocations_.size(); ++i) {
      const int64_t leaf = in ? allocations_[i].parameter : allocations_[i].output;
      if (leaf < 0 || allocations_[i].size_bytes == 0) continue;
      const auto size = static_cast<size_t>(allocations_[i].size_bytes);
      const size_t given =
          in ? parameters[static_cast<size_t>(leaf)].size() : outputs[static_cast<size_t>(leaf)].size();
      if (given != size)
        return BadInput("{} {} has {} bytes, the program wants {}", in ? "parameter" : "output", leaf, given,
                        size);
      SF_CHECK(
          in ? memory->stream->CopyToDevice(memory->allocations[i], parameters[static_cast<size_t>(leaf)])
             : memory->stream->CopyToHost(outputs[static_cast<size_t>(leaf)], memory->allocations[i]));
    }
    return {};
  };
  SF_CHECK(move(/*in=*/true));
  SF_CHECK(thunks_.Enqueue({*memory->stream, memory->allocations}));
  SF_CHECK(move(/*in=*/false));
  SF_CHECK(memory->stream->Synchronize());
  std::lock_guard lock(mutex_);
  free_.push_back(std::move(memory));
  return {};
}

}  // namespace subfloor::runtime
