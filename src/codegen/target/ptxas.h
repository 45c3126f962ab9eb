#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace subfloor::codegen {

/// What NVIDIA's assembler made of one kernel.
struct PtxasKernel {
  std::string name;
  int64_t registers = 0;
  int64_t shared_bytes = 0;
  int64_t stack_bytes = 0;
  int64_t spill_store_bytes = 0, spill_load_bytes = 0;
};

struct PtxasResult {
  std::vector<std::byte> cubin;
  std::vector<PtxasKernel> kernels;
};

/// The assembler's path: $SUBFLOOR_PTXAS, else ptxas in $PATH, in $CUDA_HOME/bin or in /usr/local/cuda/bin;
/// nothing where there is none.
std::optional<std::string> FindPtxas();

/// Runs it on a module for `architecture` ("sm_90a"). Errors: internal, with what it said; out of resources
/// where no process or file can be made. Threads: any; waits for a process of its own.
Result<PtxasResult> AssemblePtx(const std::string& ptxas, std::string_view ptx,
                                std::string_view architecture);

/// Its report (-v) read: one entry a kernel, in its order.
std::vector<PtxasKernel> ReadPtxasReport(std::string_view report);

}  // namespace subfloor::codegen
