#pragma once

#include <string>
#include <vector>

#include "runtime/thunk.h"

namespace subfloor::runtime {

/// How a kernel of the code image is called (see codegen's KernelPlan).
struct KernelLaunch {
  std::string symbol;
  int64_t workgroups = 1;
  int64_t scratch_bytes = 0;  ///< per workgroup; 0: the kernel takes no scratch argument
};

/// Calls a compiled kernel once for each workgroup, in any order, in parallel where the run has a pool.
class KernelThunk final : public Thunk {
 public:
  /// Every slice starts at a multiple of SUBFLOOR_BUFFER_ALIGNMENT. `scratch` is used iff
  /// launch.scratch_bytes > 0 and holds ScratchBytes(launch); each workgroup gets a share of its own.
  KernelThunk(ThunkInfo info, KernelLaunch launch, std::vector<BufferSlice> inputs,
              std::vector<BufferSlice> outputs, BufferSlice scratch = {});

  /// Bytes of the scratch slice for all workgroups.
  static int64_t ScratchBytes(const KernelLaunch& launch);

  const KernelLaunch& launch() const { return launch_; }
  Status Bind(const BindContext& context) override;
  BufferUses buffer_uses() const override;
  Completion Execute(const RunContext& context) const override;

 private:
  KernelLaunch launch_;
  std::vector<BufferSlice> arguments_;  // inputs, then outputs
  size_t input_count_;
  BufferSlice scratch_;
  SubfloorKernel kernel_ = nullptr;
};

}  // namespace subfloor::runtime
