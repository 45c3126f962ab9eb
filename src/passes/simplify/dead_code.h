#pragma once

#include "passes/pass.h"

namespace subfloor::passes {

/// Removes instructions that neither the root nor a side effect needs, computations that nothing calls, and
/// parameters of fusions that their bodies do not read. Loop state that nothing reads is
/// RemoveUnusedLoopElements' matter. Takes: any module. Gives: the same entry signature. Errors: none. Place:
/// after every rewrite that leaves operands behind, so it closes each repeated group.
Result<bool> RemoveDeadCode(hlo::Module& module, PassContext& context);

/// The part of it that concerns one computation's instructions, for rewrites that need their leavings gone.
bool RemoveDeadInstructions(hlo::Computation& computation);

}  // namespace subfloor::passes
