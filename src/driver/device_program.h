#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "driver/compiler.h"
#include "driver/options.h"
#include "hlo/module.h"
#include "types/literal.h"

namespace subfloor::driver {

/// What "sim:h100" or "sim:h100:checked" names: a device and how it is simulated. A file that describes a
/// device may stand for the name. Errors: bad input for an unknown name; not supported for a device that is
/// not simulated, since none is driven here.
Result<SimulatedTarget> SimulatedTargetOf(const std::string& name);

/// The same, or a device by its own name: then native, for compiling alone.
Result<SimulatedTarget> TargetOf(const std::string& name);

/// A program compiled for a simulated device, with the device: takes and gives literals.
/// Threads: Run may be called from any number of threads at once.
class DeviceProgram {
 public:
  /// Opens the compiler library if that has not happened. Errors: those of LoadCompiler and
  /// Compiler::CompileForDevice; an internal one says where the program that shows it was left.
  static Result<std::unique_ptr<DeviceProgram>> Compile(const hlo::Module& module, const Options& options,
                                                        const SimulatedTarget& target, DeviceFusing fusing,
                                                        const Dump& dump = {}, const OnPhase& on_phase = {});
  ~DeviceProgram();

  /// Arguments as the module's parameters, by number. Errors: bad input, for what the simulator finds wrong
  /// with a kernel too: a program may promise what is not so (unique_indices).
  Result<Literal> Run(std::span<const Literal> arguments) const;
  /// Microseconds that each of `repeat` runs took on the host, copies to the device and back included: no
  /// claim about the device.
  Result<std::vector<double>> Time(std::span<const Literal> arguments, int64_t repeat) const;
  /// What a profiler of the device would have counted since the program was made, a line a kernel. Memory
  /// traffic is counted by checked kernels only.
  std::string Counters() const;

  const decision::CompileReport& report() const;

 private:
  DeviceProgram();
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace subfloor::driver
