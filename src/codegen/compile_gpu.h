#pragma once

#include <string>
#include <vector>

#include "codegen/compile_kernels.h"
#include "device/description/device_description.h"
#include "dispatch/gpu_dispatch.h"

namespace subfloor::codegen {

/// A fusion's kernel as a GPU takes it.
struct GpuKernelCode {
  std::string symbol;
  dispatch::Launch launch;
  std::string ptx;                         ///< NVIDIA: the text
  std::vector<std::byte> object;           ///< AMD: the relocatable object
  std::vector<decision::PhaseTime> times;  ///< "emission", "lowering", "optimisation", "machine code"
};

/// Emits, lowers and compiles the kernel that `choice` plans for `job`. Dumps the stages of CompileKernels.
/// Errors: not supported, naming the op or the emitter; internal, naming the kernel. Threads: any.
Result<GpuKernelCode> CompileGpuKernel(const KernelJob& job, const dispatch::GpuChoice& choice,
                                       const device::DeviceDescription& device, const CompileOptions& options,
                                       decision::Log* log = nullptr);
/// The same kernel for the simulator of that device: host code that runs on options.cpu, with the plan that
/// the simulator wants in CodeImage::simulated.
Result<device::CodeImage> CompileSimulatedKernel(const KernelJob& job, const dispatch::GpuChoice& choice,
                                                 const device::DeviceDescription& device, bool checked,
                                                 const CompileOptions& options, decision::Log* log = nullptr);

}  // namespace subfloor::codegen
