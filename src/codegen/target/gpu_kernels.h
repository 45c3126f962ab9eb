#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mlir/Pass/Pass.h"

namespace subfloor::codegen {

/// On what a kernel's threads run.
enum class GpuKind : uint8_t {
  kNvptx,
  kAmdgpu,
  kSimulator,         ///< the host: plain loads and stores; a block without barriers is one call
  kSimulatorChecked,  ///< the host: every access, barrier and shuffle asks the simulator
};

/// A place in a kernel that calls the simulator, in order of site numbers.
struct KernelSite {
  std::string kernel;
  std::string text;  ///< what is done, and the HLO instruction that it is done for
};

struct GpuTarget {
  GpuKind kind = GpuKind::kNvptx;
  int64_t threads_per_warp = 32;
};

/// Turns every sf.kernel with a block of threads into an exported function of the target: a kernel for NVPTX
/// and AMDGPU, a function of the kernel ABI (device/description/kernel_abi.h) for the simulator. Appends the
/// simulator's sites to `sites`, which outlives the pass, one kernel after the other, each numbered from 0.
std::unique_ptr<mlir::Pass> LowerGpuKernelsPass(GpuTarget target, std::vector<KernelSite>* sites = nullptr);

}  // namespace subfloor::codegen
