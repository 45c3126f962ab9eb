#pragma once

#include <string>
#include <vector>

#include "codegen/compile_kernels.h"
#include "codegen/target/gpu_kernels.h"
#include "device/description/device_description.h"
#include "device/description/simulated_kernel.h"
#include "dispatch/gpu_dispatch.h"

namespace subfloor::codegen {

/// A fusion's kernel as a GPU takes it.
struct GpuKernelCode {
  std::string symbol;
  dispatch::Launch launch;
  std::string ptx;                ///< NVIDIA: the text
  std::vector<std::byte> object;  ///< AMD: the relocatable object
  std::vector<PhaseTime> times;   ///< "emission", "lowering", "optimisation", "machine code"
};

/// The same kernel for the simulated GPU: host code, and what the simulator must know of it.
struct SimulatedKernelCode {
  device::CodeImage image;
  device::SimulatedKernelPlan plan;
};

/// Emits, lowers and compiles the kernel that `choice` plans for `job`. Dumps the stages of CompileKernels.
/// Errors: not supported, naming the op or the emitter; internal, naming the kernel. Threads: any.
Result<GpuKernelCode> CompileGpuKernel(const KernelJob& job, const dispatch::GpuChoice& choice,
                                       const device::DeviceDescription& device, const CompileOptions& options,
                                       decision::Log* log = nullptr);
/// For the simulator of that device, to run on options.cpu.
Result<SimulatedKernelCode> CompileSimulatedKernel(const KernelJob& job, const dispatch::GpuChoice& choice,
                                                   const device::DeviceDescription& device, bool checked,
                                                   const CompileOptions& options,
                                                   decision::Log* log = nullptr);

}  // namespace subfloor::codegen
