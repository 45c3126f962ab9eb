#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

namespace subfloor::codegen {

/// Turns every sf.kernel of a module into an exported LLVM function of the kernel ABI
/// (device/description/kernel_abi.h), and the memory ops in it into LLVM loads and stores that say what
/// cannot alias. Other ops stay as they are.
std::unique_ptr<mlir::Pass> LowerKernelsPass();

}  // namespace subfloor::codegen
