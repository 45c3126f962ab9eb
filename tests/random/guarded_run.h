#pragma once

#include <span>

#include "base/error.h"
#include "driver/program.h"
#include "hlo/module.h"
#include "types/literal.h"

namespace subfloor::testing_support {

/// Runs a program as Program::Run does, but watches its memory: each parameter and result lies in pages of
/// its own between two that no one may touch, all bytes around it are known, results start as NaN, and so do
/// the temporaries. What a kernel reads too far kills the process; what it writes too far, or into a
/// parameter, is an internal error here; what it forgets to write, or reads before it is written, shows in
/// the result. `module` is the program before compilation. With `donate`, results take over the parameters
/// that the program lets them; else every parameter must be unchanged. Errors: those of Program::Execute.
/// Threads: one call at a time, for temporaries are those of the process's ArenaPool.
Result<Literal> GuardedRun(const driver::Program& program, const hlo::Module& module,
                           std::span<const Literal> arguments, bool donate = false);

}  // namespace subfloor::testing_support
