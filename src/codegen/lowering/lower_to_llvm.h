#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

namespace subfloor::codegen {

/// Turns arith, math, vector, cf and func ops into the LLVM dialect. Private functions become internal ones.
/// Fails on any op that is left.
std::unique_ptr<mlir::Pass> LowerToLlvmPass();

}  // namespace subfloor::codegen
