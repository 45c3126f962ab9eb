#pragma once

#include "passes/pass.h"

namespace subfloor::passes {

/// Makes a one-op fusion of every instruction that needs a kernel and is in none yet, and a `bitcast` of
/// every reshape that is left outside fusions, so that what the CPU compiler sees is: parameter, constant,
/// tuple, get-tuple-element, bitcast, copy (equal layouts), fusion, dot, convolution, fft, custom-call,
/// while, conditional, call, rng state, collectives and what else calls out of the program. Takes: a module
/// in layout normal form, after fusion. Gives: the same. Errors: none. Place: last.
Result<bool> WrapInFusions(hlo::Module& module, PassContext& context);

/// True for the opcodes that WrapInFusions wraps.
bool NeedsKernel(const hlo::Instruction* instruction);

}  // namespace subfloor::passes
