#include "driver/device_program.h"

#include <algorithm>
#include <chrono>

#include "device/sim/sim_executor.h"
#include "driver/explain_gpu.h"
#include "driver/reproducer.h"
#include "driver/signature.h"

namespace subfloor::driver {
namespace {

// One buffer of the host for each leaf.
class HostBuffers {
 public:
  explicit HostBuffers(std::span<const int64_t> sizes) {
    for (int64_t size : sizes) bytes_.emplace_back(static_cast<size_t>(size));
    for (std::vector<std::byte>& buffer : bytes_) {
      writable.emplace_back(buffer);
      readable.emplace_back(buffer);
    }
  }
  HostBuffers(const HostBuffers&) = delete;
  HostBuffers& operator=(const HostBuffers&) = delete;

  std::vector<std::span<std::byte>> writable;
  std::vector<std::span<const std::byte>> readable;

 private:
  std::vector<std::vector<std::byte>> bytes_;
};

}  // namespace

Result<SimulatedTarget> SimulatedTargetOf(const std::string& name) {
  constexpr std::string_view kPrefix = "sim:", kChecked = ":checked";
  if (!name.starts_with(kPrefix)) {
    if (FindDevice(name))
      return NotSupported("nothing drives a {} here; --target=sim:{} simulates it", name, name);
    return BadInput("no target is called '{}'; there are cpu and sim:DEVICE, such as sim:h100", name);
  }
  std::string device = name.substr(kPrefix.size());
  SimulatedTarget target;
  target.checked = device.ends_with(kChecked);
  if (target.checked) device.resize(device.size() - kChecked.size());
  target.device = SF_TRY(FindDevice(device));
  return target;
}

Result<SimulatedTarget> TargetOf(const std::string& name) {
  if (name.starts_with("sim:")) return SimulatedTargetOf(name);
  SimulatedTarget target;
  target.device = SF_TRY(FindDevice(name));
  target.native = true;
  return target;
}

struct DeviceProgram::Parts {
  std::unique_ptr<device::sim::SimExecutor> executor;
  std::unique_ptr<const runtime::DeviceExecutable> executable;  // goes before the executor
  decision::CompileReport report;
  Signature signature;
};

DeviceProgram::DeviceProgram() : parts_(std::make_unique<Parts>()) {}
DeviceProgram::~DeviceProgram() = default;

const decision::CompileReport& DeviceProgram::report() const { return parts_->report; }

Result<std::unique_ptr<DeviceProgram>> DeviceProgram::Compile(const hlo::Module& module,
                                                              const Options& options,
                                                              const SimulatedTarget& target,
                                                              DeviceFusing fusing, const Dump& dump,
                                                              const OnPhase& on_phase) {
  const Compiler* compiler = SF_TRY(LoadCompiler());
  auto compiled = compiler->CompileForDevice(module, options, target, fusing, dump, on_phase);
  if (!compiled) return std::unexpected(WithReproducer(std::move(compiled).error(), module, options));
  std::unique_ptr<DeviceProgram> program(new DeviceProgram());
  Parts& parts = *program->parts_;
  device::sim::SimOptions simulation;
  simulation.host_threads = static_cast<uint32_t>(options.ThreadCount());
  parts.executor = SF_TRY(device::sim::MakeSimExecutor(target.device, simulation));
  parts.report = std::move(compiled->report);
  parts.signature = Signature(module);
  parts.executable = SF_TRY(runtime::DeviceExecutable::Create(std::move(compiled->parts), *parts.executor));
  return program;
}

Result<Literal> DeviceProgram::Run(std::span<const Literal> arguments) const {
  const HostBuffers inputs(parts_->signature.argument_sizes()), outputs(parts_->signature.result_sizes());
  SF_CHECK(parts_->signature.Place(arguments, inputs.writable));
  SF_CHECK(parts_->executable->Run(inputs.readable, outputs.writable));
  return parts_->signature.Take(outputs.readable);
}

Result<std::vector<double>> DeviceProgram::Time(std::span<const Literal> arguments, int64_t repeat) const {
  const HostBuffers inputs(parts_->signature.argument_sizes()), outputs(parts_->signature.result_sizes());
  SF_CHECK(parts_->signature.Place(arguments, inputs.writable));
  std::vector<double> times;
  for (int64_t i = 0; i < repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    SF_CHECK(parts_->executable->Run(inputs.readable, outputs.writable));
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  return times;
}

std::string DeviceProgram::Counters() const {
  std::string text = fmt::format("{:<32} {:>8} {:>10} {:>12} {:>22} {:>22} {:>9}\n", "kernel", "launches",
                                 "blocks", "threads", "sectors loaded/ideal", "stored/ideal", "conflicts");
  std::vector<std::string> symbols;
  for (const decision::FusionReport& fusion : parts_->report.fusions) {
    const bool is_new = std::ranges::find(symbols, fusion.symbol) == symbols.end();
    if (!fusion.symbol.empty() && is_new) symbols.push_back(fusion.symbol);
  }
  for (const std::string& symbol : symbols) {
    const device::sim::KernelCounters counters = parts_->executor->CountersOf(symbol);
    const device::sim::AccessCounters loads = counters.GlobalLoads(), stores = counters.GlobalStores();
    const device::sim::AccessCounters shared = counters.Shared();
    text += fmt::format(
        "{:<32} {:>8} {:>10} {:>12} {:>22} {:>22} {:>9}\n", symbol, counters.launches, counters.blocks,
        counters.threads, fmt::format("{}/{}", loads.sectors, loads.ideal_sectors),
        fmt::format("{}/{}", stores.sectors, stores.ideal_sectors), shared.passes - shared.ideal_passes);
  }
  return text;
}

}  // namespace subfloor::driver
