#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/error.h"
#include "decision/decision.h"
#include "device/description/code_image.h"
#include "dispatch/gpu_dispatch.h"
#include "gpu/compiler.h"
#include "hlo/instruction.h"

namespace subfloor::gpu {

/// How a fusion became code.
struct DeviceKernel {
  dispatch::GpuEmitter emitter = dispatch::GpuEmitter::kLoop;
  std::string symbol;           ///< empty for copies, which are no kernel
  dispatch::Launch launch;      ///< of the kernel
  std::vector<int64_t> copied;  ///< for copies: by output leaf, the parameter
  /// (output leaf, parameter) updated in place.
  std::vector<std::pair<int64_t, int64_t>> in_place;
};

using DeviceKernels = absl::flat_hash_map<const hlo::Instruction*, DeviceKernel>;

/// The emitter of each fusion, as dispatch chooses it: what buffers may share is decided by it.
Result<absl::flat_hash_map<const hlo::Instruction*, dispatch::GpuChoice>> ChooseEmitters(
    std::span<const hlo::Instruction* const> fusions, const device::DeviceDescription& device,
    decision::Log* log);

/// (output leaf, parameter) that the emitter updates in place.
std::vector<std::pair<int64_t, int64_t>> InPlace(const hlo::Instruction& fusion,
                                                 const dispatch::GpuChoice& choice);

/// (output leaf, parameter) pairs that lie in the same bytes.
using SharedBuffers = std::function<std::vector<std::pair<int64_t, int64_t>>(const hlo::Instruction& fusion)>;

/// Makes the kernels of all fusions, equal ones once, several at a time. A fusion that its emitter does not
/// take becomes a loop if loops take it, and `choices` and the log say so. Puts the code into `compiled`, as
/// images or as native kernels, and into its report what was decided. Errors: not supported, naming the
/// fusion, its op and what would work.
Result<DeviceKernels> MakeKernels(std::span<const hlo::Instruction* const> fusions,
                                  absl::flat_hash_map<const hlo::Instruction*, dispatch::GpuChoice>& choices,
                                  const SharedBuffers& shared, const CompileOptions& options,
                                  Compiled& compiled);

}  // namespace subfloor::gpu
