#pragma once

#include <memory>

#include "mlir/Pass/Pass.h"

namespace subfloor::codegen {

/// Cuts blocks of more than two thousand ops into private functions of about a thousand, which LLVM does not
/// inline: its time and its recursion follow the size of a block. Inner blocks first, so that a loop is
/// looked at with what is left in it.
///
/// Takes: functions whose buffers are pointers and whose loops and conditions are structured. Gives: the same
/// values, stored by the same ops in the same order; a piece gets what it uses as arguments and returns what
/// is used after it.
std::unique_ptr<mlir::Pass> OutlineLargeBlocksPass();

}  // namespace subfloor::codegen
