#include "device/sim/sim_executor.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "device/description/cgroup.h"
#include "device/host/code_loader.h"
#include "device/sim/device_heap.h"
#include "device/sim/launcher.h"
#include "device/sim/streams.h"

namespace subfloor::device::sim {
namespace {

class Sim;

class SimKernelObject : public Kernel {
 public:
  SimKernelObject(const Sim* owner, SimulatedKernel kernel) : owner(owner), kernel(std::move(kernel)) {}
  const std::string& name() const override { return kernel.plan.symbol; }

  const Sim* const owner;
  const SimulatedKernel kernel;
};

class SimModule : public Module {
 public:
  Result<const Kernel*> FindKernel(std::string_view name) const override {
    for (const auto& kernel : kernels) {
      if (kernel->name() == name) return kernel.get();
    }
    return BadInput("the module has no kernel called '{}'", name);
  }

  std::unique_ptr<LoadedImage> image;
  std::vector<std::unique_ptr<Kernel>> kernels;
};

class SimEvent : public Event {
 public:
  explicit SimEvent(Sim& sim) : sim(sim) {}
  Result<bool> Query() override;
  Status Synchronize() override;

  Sim& sim;
  std::shared_ptr<Moment> moment;  ///< the last recording
};

class SimStream : public Stream {
 public:
  explicit SimStream(Sim& sim);
  ~SimStream() override;
  Status Launch(const Kernel& kernel, const LaunchDimensions& dimensions,
                std::span<const DeviceMemory> arguments) override;
  Status CopyToDevice(DeviceMemory to, std::span<const std::byte> from) override;
  Status CopyToHost(std::span<std::byte> to, DeviceMemory from) override;
  Status CopyOnDevice(DeviceMemory to, DeviceMemory from) override;
  Status Fill(DeviceMemory memory, std::byte value) override;
  Status Record(Event& event) override;
  Status Wait(Event& event) override;
  Status Synchronize() override;

 private:
  void Enqueue(std::function<Status()> work) { queue_.steps.push_back({std::move(work), nullptr, nullptr}); }

  Sim& sim_;
  Queue queue_;
};

// The device: everything behind one mutex.
class Sim : public SimExecutor {
 public:
  Sim(const DeviceDescription& device, const SimOptions& options)
      : device(device),
        options(options),
        name_("sim:" + device.name),
        heap(std::min(static_cast<uint64_t>(device.memory_bytes),
                      static_cast<uint64_t>(UsableMemoryBytes()) / 2)),
        scheduler(options.seed),
        launcher(static_cast<uint32_t>(device.threads_per_warp), options),
        findings(options.findings_kept_of_each) {}

  const std::string& name() const override { return name_; }

  Result<DeviceMemory> Allocate(uint64_t size_bytes) override {
    std::lock_guard lock(mutex);
    return heap.Allocate(size_bytes);
  }
  Status Free(DeviceMemory memory) override {
    std::lock_guard lock(mutex);
    scheduler.DrainAll();
    return heap.Free(memory);
  }

  Result<std::unique_ptr<Module>> LoadModule(const CodeImage& image) override {
    if (image.simulated.empty()) return BadInput("the code image has no kernels for a simulated device");
    auto module = std::make_unique<SimModule>();
    module->image = SF_TRY(LoadCodeImage(image));
    for (const SimulatedKernelPlan& plan : image.simulated) {
      const SubfloorKernel entry = SF_TRY(module->image->Find(plan.symbol));
      module->kernels.push_back(SF_TRY(MakeKernel({plan, entry})));
    }
    return module;
  }
  Result<std::unique_ptr<Kernel>> MakeKernel(SimulatedKernel kernel) override {
    const SimulatedKernelPlan& plan = kernel.plan;
    if (kernel.entry == nullptr) return BadInput("kernel '{}' has no code", plan.symbol);
    if (plan.whole_block && (plan.checked || plan.synchronises))
      return BadInput("kernel '{}' runs whole blocks, so it can be neither checked nor synchronise",
                      plan.symbol);
    return std::make_unique<SimKernelObject>(this, std::move(kernel));
  }

  Result<std::unique_ptr<Stream>> MakeStream() override { return std::make_unique<SimStream>(*this); }
  Result<std::unique_ptr<Event>> MakeEvent() override { return std::make_unique<SimEvent>(*this); }

  Result<int64_t> ElapsedNs(const Event& start, const Event& stop) const override {
    std::lock_guard lock(mutex);
    const auto* from = dynamic_cast<const SimEvent*>(&start);
    const auto* to = dynamic_cast<const SimEvent*>(&stop);
    for (const SimEvent* event : {from, to}) {
      if (event == nullptr || &event->sim != this) return BadInput("the event is of another device");
      if (event->moment == nullptr) return BadInput("the event was never recorded");
      if (!event->moment->done) return BadInput("the event has not happened yet; synchronize with it first");
    }
    return to->moment->time_ns - from->moment->time_ns;
  }

  Status Synchronize() override {
    std::lock_guard lock(mutex);
    scheduler.DrainAll();
    for (Queue* queue : queues) {
      if (queue->error) return std::unexpected(*std::exchange(queue->error, std::nullopt));
    }
    return {};
  }

  std::vector<FindingGroup> TakeFindings() override {
    std::lock_guard lock(mutex);
    return findings.Take();
  }
  KernelCounters CountersOf(std::string_view kernel) const override {
    std::lock_guard lock(mutex);
    auto found = counters.find(kernel);
    return found == counters.end() ? KernelCounters() : found->second;
  }

  /// The launch, checked, without its arguments' memory. Errors: bad input; not supported.
  Result<Launch> CheckLaunch(const Kernel& kernel, const LaunchDimensions& dimensions) const;
  /// Where the arguments are now. They may have been freed since they were given.
  Status Run(Launch launch, std::span<const DeviceMemory> arguments);

  const DeviceDescription device;
  const SimOptions options;
  const std::string name_;
  mutable std::mutex mutex;
  DeviceHeap heap;
  Scheduler scheduler;
  Launcher launcher;
  FindingList findings;
  std::map<std::string, KernelCounters, std::less<>> counters;
  std::vector<Queue*> queues;
  uint64_t launches = 0;
};

// `found` is what was made for, if it was made for anything.
Status CheckMadeFor(const SimulatedKernelPlan& plan, const char* what, const std::array<uint64_t, 3>& wanted,
                    const std::array<uint64_t, 3>& found) {
  if (wanted[0] == 0 || wanted == found) return {};
  return BadInput("kernel '{}' was made for a {} of {}x{}x{}, not {}x{}x{}", plan.symbol, what, wanted[0],
                  wanted[1], wanted[2], found[0], found[1], found[2]);
}

// The product, unless a factor is 0 or above its limit, or the product is above `limit`.
std::optional<uint64_t> Product(const std::array<uint64_t, 3>& sizes, const std::array<int64_t, 3>& limits,
                                uint64_t limit) {
  uint64_t product = 1;
  for (size_t i = 0; i < 3; ++i) {
    if (sizes[i] == 0 || sizes[i] > static_cast<uint64_t>(limits[i]) || sizes[i] > limit / product)
      return std::nullopt;
    product *= sizes[i];
  }
  return product;
}

Result<Launch> Sim::CheckLaunch(const Kernel& kernel, const LaunchDimensions& dimensions) const {
  const auto* object = dynamic_cast<const SimKernelObject*>(&kernel);
  if (object == nullptr || object->owner != this)
    return BadInput("kernel '{}' is of another device", kernel.name());
  const SimulatedKernelPlan& plan = object->kernel.plan;
  const auto& [grid, block, shared_bytes] = dimensions;
  SF_CHECK(CheckMadeFor(plan, "grid", plan.grid, grid));
  SF_CHECK(CheckMadeFor(plan, "block", plan.block, block));
  const auto& most = device.block_limit;
  const auto threads =
      Product(block, device.block_limit, static_cast<uint64_t>(device.threads_per_block_limit));
  if (!threads)
    return BadInput("kernel '{}': a block of {}x{}x{} threads; {} takes up to {}x{}x{} and {} in all",
                    plan.symbol, block[0], block[1], block[2], name_, most[0], most[1], most[2],
                    device.threads_per_block_limit);
  // One number names a block; a checked kernel's is kept for each byte.
  const uint64_t block_limit = plan.checked ? AccessStamp::kBlockLimit : uint64_t{1} << 48;
  const auto& wide = device.grid_limit;
  const auto blocks = Product(grid, device.grid_limit, block_limit);
  if (!blocks)
    return BadInput(
        "kernel '{}': a grid of {}x{}x{} blocks; {} takes up to {}x{}x{}, the simulator {} in all",
        plan.symbol, grid[0], grid[1], grid[2], name_, wide[0], wide[1], wide[2], block_limit);
  for (size_t i = 0; i < 3; ++i) {
    if (grid[i] > static_cast<uint64_t>(device.grid_threads_limit) / block[i])
      return BadInput("kernel '{}': {} blocks of {} threads along one dimension; {} takes {} threads there",
                      plan.symbol, grid[i], block[i], name_, device.grid_threads_limit);
  }
  const uint64_t shared = std::max(plan.shared_bytes, shared_bytes);
  if (shared > static_cast<uint64_t>(device.shared_per_block_optin_bytes))
    return BadInput("kernel '{}' wants {} bytes of shared memory; {} has {} for a block", plan.symbol, shared,
                    name_, device.shared_per_block_optin_bytes);
  device::sim::Launch launch;
  launch.kernel = &object->kernel;
  launch.dimensions = dimensions;
  launch.blocks = *blocks;
  launch.threads = static_cast<uint32_t>(*threads);
  launch.shared_bytes = shared;
  return launch;
}

Status Sim::Run(device::sim::Launch launch, std::span<const DeviceMemory> arguments) {
  for (const DeviceMemory& memory : arguments) {
    Allocation* allocation = SF_TRY(heap.Find(memory));
    launch.arguments.push_back({memory.address, memory.size_bytes, allocation,
                                static_cast<uint64_t>(memory.address - allocation->data)});
  }
  launch.number = ++launches;
  if (options.seed != 0) launch.seed = Random(options.seed + launch.number).Next() | 1;
  return launcher.Run(launch, findings, counters[launch.kernel->plan.symbol]);
}

SimStream::SimStream(Sim& sim) : sim_(sim) {
  std::lock_guard lock(sim_.mutex);
  sim_.scheduler.Add(&queue_);
  sim_.queues.push_back(&queue_);
}

SimStream::~SimStream() {
  std::lock_guard lock(sim_.mutex);
  sim_.scheduler.Drain(queue_);
  sim_.scheduler.Remove(&queue_);
  std::erase(sim_.queues, &queue_);
}

Status SimStream::Launch(const Kernel& kernel, const LaunchDimensions& dimensions,
                         std::span<const DeviceMemory> arguments) {
  std::lock_guard lock(sim_.mutex);
  auto launch = SF_TRY(sim_.CheckLaunch(kernel, dimensions));
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (auto found = sim_.heap.Find(arguments[i]); !found)
      return std::unexpected(
          std::move(found).error().Prepend(fmt::format("argument {} of kernel '{}'", i, kernel.name())));
  }
  Enqueue([this, launch, memory = std::vector(arguments.begin(), arguments.end())] {
    return sim_.Run(launch, memory);
  });
  return {};
}

Status SimStream::CopyToDevice(DeviceMemory to, std::span<const std::byte> from) {
  std::lock_guard lock(sim_.mutex);
  if (to.size_bytes != from.size())
    return BadInput("cannot copy {} bytes to {} bytes of the device", from.size(), to.size_bytes);
  SF_CHECK(sim_.heap.Find(to));
  Enqueue([this, to, from]() -> Status {
    Allocation* allocation = SF_TRY(sim_.heap.Find(to));
    if (!from.empty()) std::memcpy(to.address, from.data(), from.size());
    allocation->initialised.Mark(static_cast<uint64_t>(to.address - allocation->data), to.size_bytes);
    return {};
  });
  return {};
}

Status SimStream::CopyToHost(std::span<std::byte> to, DeviceMemory from) {
  std::lock_guard lock(sim_.mutex);
  if (to.size() != from.size_bytes)
    return BadInput("cannot copy {} bytes of the device to {} bytes", from.size_bytes, to.size());
  SF_CHECK(sim_.heap.Find(from));
  Enqueue([this, to, from]() -> Status {
    SF_CHECK(sim_.heap.Find(from));
    if (!to.empty()) std::memcpy(to.data(), from.address, to.size());
    return {};
  });
  return {};
}

Status SimStream::CopyOnDevice(DeviceMemory to, DeviceMemory from) {
  std::lock_guard lock(sim_.mutex);
  if (to.size_bytes != from.size_bytes)
    return BadInput("cannot copy {} bytes to {} bytes on the device", from.size_bytes, to.size_bytes);
  SF_CHECK(sim_.heap.Find(to));
  SF_CHECK(sim_.heap.Find(from));
  if (to.address < from.address + from.size_bytes && from.address < to.address + to.size_bytes)
    return BadInput("cannot copy {} bytes on the device: the two ranges overlap", to.size_bytes);
  Enqueue([this, to, from]() -> Status {
    Allocation* target = SF_TRY(sim_.heap.Find(to));
    const Allocation* source = SF_TRY(sim_.heap.Find(from));
    std::memcpy(to.address, from.address, to.size_bytes);
    target->initialised.CopyFrom(static_cast<uint64_t>(to.address - target->data), source->initialised,
                                 static_cast<uint64_t>(from.address - source->data), to.size_bytes);
    return {};
  });
  return {};
}

Status SimStream::Fill(DeviceMemory memory, std::byte value) {
  std::lock_guard lock(sim_.mutex);
  SF_CHECK(sim_.heap.Find(memory));
  Enqueue([this, memory, value]() -> Status {
    Allocation* allocation = SF_TRY(sim_.heap.Find(memory));
    std::memset(memory.address, static_cast<int>(value), memory.size_bytes);
    allocation->initialised.Mark(static_cast<uint64_t>(memory.address - allocation->data), memory.size_bytes);
    return {};
  });
  return {};
}

Status SimStream::Record(Event& event) {
  std::lock_guard lock(sim_.mutex);
  auto* own = dynamic_cast<SimEvent*>(&event);
  if (own == nullptr || &own->sim != &sim_) return BadInput("the event is of another device");
  own->moment = std::make_shared<Moment>();
  own->moment->queue = &queue_;
  queue_.steps.push_back({nullptr, nullptr, own->moment});
  return {};
}

Status SimStream::Wait(Event& event) {
  std::lock_guard lock(sim_.mutex);
  auto* own = dynamic_cast<SimEvent*>(&event);
  if (own == nullptr || &own->sim != &sim_) return BadInput("the event is of another device");
  if (own->moment != nullptr) queue_.steps.push_back({nullptr, own->moment, nullptr});
  return {};
}

Status SimStream::Synchronize() {
  std::lock_guard lock(sim_.mutex);
  sim_.scheduler.Drain(queue_);
  if (queue_.error) return std::unexpected(*std::exchange(queue_.error, std::nullopt));
  return {};
}

Result<bool> SimEvent::Query() {
  std::lock_guard lock(sim.mutex);
  if (moment == nullptr) return true;
  sim.scheduler.RunOneTowards(*moment);
  if (moment->error) return std::unexpected(*moment->error);
  return moment->done;
}

Status SimEvent::Synchronize() {
  std::lock_guard lock(sim.mutex);
  if (moment == nullptr) return {};
  sim.scheduler.RunUntil(*moment);
  if (moment->error) return std::unexpected(*moment->error);
  return {};
}

}  // namespace

Result<std::unique_ptr<SimExecutor>> MakeSimExecutor(const DeviceDescription& device,
                                                     const SimOptions& options) {
  if (device.threads_per_warp != 32 && device.threads_per_warp != 64)
    return BadInput("warps of {} threads; 32 and 64 can be simulated", device.threads_per_warp);
  if (device.threads_per_block_limit < 1 ||
      device.threads_per_block_limit > static_cast<int64_t>(AccessStamp::kThreadLimit))
    return BadInput("blocks of up to {} threads; 1 to {} can be simulated", device.threads_per_block_limit,
                    AccessStamp::kThreadLimit);
  if (device.shared_per_block_optin_bytes < 0 || device.shared_per_block_optin_bytes > int64_t{1} << 30)
    return BadInput("{} bytes of shared memory; at most 2^30 can be simulated",
                    device.shared_per_block_optin_bytes);
  if (device.memory_bytes < 0 || device.grid_threads_limit < 1)
    return BadInput("{} bytes of memory and grids of {} threads; this is no device", device.memory_bytes,
                    device.grid_threads_limit);
  if (options.host_threads == 0 || options.host_threads > 1024)
    return BadInput("{} host threads; wanted 1 to 1024", options.host_threads);
  return std::make_unique<Sim>(device, options);
}

}  // namespace subfloor::device::sim
