#pragma once

#include "hlo/computation.h"

namespace subfloor::passes {

/// Copies the body that `caller` (a call, fusion, asynchronous start ...) calls into the caller's
/// computation, reading the caller's operands, and returns the copy of its root. The caller itself stays;
/// control edges to and from it are copied onto what was inlined. Precondition: one called computation with
/// one parameter per operand.
hlo::Instruction* InlineBody(hlo::Instruction& caller);

}  // namespace subfloor::passes
