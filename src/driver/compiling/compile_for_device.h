#pragma once

#include "driver/compiler.h"

namespace subfloor::driver {

/// Compiler::CompileForDevice.
Result<CompiledForDevice> CompileForDevice(const hlo::Module& module, const Options& options,
                                           const SimulatedTarget& target, DeviceFusing fusing,
                                           const Dump& dump, const OnPhase& on_phase);

/// Compiler::OptimizeForDevice.
Status OptimizeForDevice(hlo::Module& module, const Options& options);

}  // namespace subfloor::driver
