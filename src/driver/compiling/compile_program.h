#pragma once

#include "driver/compiler.h"
#include "passes/pass.h"

namespace subfloor::driver {

/// What passes are told of the options.
passes::PassOptions PassOptionsOf(const Options& options);

/// Compiler::Compile.
Result<CompiledProgram> CompileProgram(const hlo::Module& module, const Options& options, const Dump& dump,
                                       const OnPhase& on_phase);

}  // namespace subfloor::driver
