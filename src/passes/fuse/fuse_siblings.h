#pragma once

#include "passes/pass.h"

namespace subfloor::passes {

/// Merges two fusions of equally many elements into one with several results, when neither needs the other's
/// result and they read a common array (it is then read once), or when one reads the other's result element
/// by element (it then need not read it from memory, while others still can). Reductions merge with
/// reductions over equal sizes only; updates in place, scatters and sorts stay alone. Takes: a module after
/// WrapInFusions. Gives: fusions whose root may be a tuple. Records kFuseSiblings. Errors: none. Place: after
/// WrapInFusions, so that single ops take part; followed by RemoveDeadCode.
Result<bool> FuseSiblings(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
