#pragma once

#include "passes/pass.h"

namespace subfloor::passes {

/// Moves out of loops what each iteration would compute anew from unchanged elements and constants, if it
/// costs something and is no larger than what it is made from. The value becomes one more element of the
/// loop. Place: after the simplification group (which finds out what is unchanged), followed by it.
Result<bool> HoistLoopInvariants(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
