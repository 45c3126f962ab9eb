#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "codegen/target/gpu_kernels.h"
#include "mlir/IR/BuiltinOps.h"

namespace subfloor::codegen {

/// Called with (stage, module name, text).
using DumpFunction =
    std::function<void(std::string_view stage, std::string_view name, std::string_view text)>;

/// For whom a module is lowered: the host's own kernels, or a GPU's.
struct LoweringTarget {
  std::optional<GpuTarget> gpu;
  device::SimulatedKernelPlan* plan = nullptr;  ///< see LowerGpuKernelsPass
};

/// Runs them all. Verifies before the first and after each. Errors: internal, with what MLIR said.
Status Lower(mlir::ModuleOp module, const LoweringTarget& target, const DumpFunction& dump = {});

}  // namespace subfloor::codegen
