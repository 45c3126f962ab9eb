#pragma once

#include <cstdint>
#include <memory>

#include "device/description/simulated_kernel.h"
#include "mlir/Pass/Pass.h"

namespace subfloor::codegen {

/// On what a kernel's threads run.
enum class GpuKind : uint8_t {
  kNvptx,
  kAmdgpu,
  kSimulator,         ///< the host: plain loads and stores; a block without barriers is one call
  kSimulatorChecked,  ///< the host: every access, barrier and shuffle asks the simulator
};

struct GpuTarget {
  GpuKind kind = GpuKind::kNvptx;
  int64_t threads_per_warp = 32;
};

/// Turns every sf.kernel with a block of threads into an exported function of the target: a kernel for NVPTX
/// and AMDGPU, a function of the kernel ABI (device/description/kernel_abi.h) for the simulator. `plan`,
/// which outlives the pass, takes what the simulator must know of the module's one kernel; null where nobody
/// asks.
std::unique_ptr<mlir::Pass> LowerGpuKernelsPass(GpuTarget target,
                                                device::SimulatedKernelPlan* plan = nullptr);

}  // namespace subfloor::codegen
