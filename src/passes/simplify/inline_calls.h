#pragma once

#include "passes/pass.h"

namespace subfloor::passes {

/// Replaces every `call` by the body it calls, and every asynchronous start/done pair around a computation by
/// that computation, until the module would hold more than a million instructions; calls beyond that stay
/// calls. Takes: any module. Gives: the same entry signature. Errors: none. Place: first, since no other
/// rewrite looks through calls.
Result<bool> InlineCalls(hlo::Module& module, PassContext& context);

/// Gives each while, conditional, remaining call and fusion computations of its own, so that a rewrite of one
/// caller's body does not concern another. Reducers, comparators and the like stay shared. Place: after
/// InlineCalls, before every pass that changes bodies or assigns buffers to them.
Result<bool> FlattenCallGraph(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
