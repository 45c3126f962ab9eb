#pragma once

#include "passes/pass.h"

namespace subfloor::passes {

/// Replaces every fusion by the instructions it holds, so that our own passes decide anew what is computed
/// together. A fusion stamped for somebody's library (kind=kCustom) is recorded with the fact that nobody
/// here owns the stamp. Takes: any module. Gives: the same entry signature. Errors: none. Place: after
/// InlineCalls, before simplification. Left out where a program's own fusions are what is asked about.
Result<bool> InlineFusions(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
