#pragma once

#include "passes/pass.h"

namespace subfloor::gpu {

/// Gives every fusion with a scatter at the root the operands that it updates as parameters of their own:
/// what a body computes, or reads elsewhere too, becomes an array in front of it. Threads then combine
/// updates into memory that holds the operand already; within one kernel nothing orders the one after the
/// other. Place: last, when fusions are what they will be.
Result<bool> FreeScatterOperands(hlo::Module& module, passes::PassContext& context);

}  // namespace subfloor::gpu
