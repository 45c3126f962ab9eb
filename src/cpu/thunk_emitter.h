#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/error.h"
#include "codegen/compile_kernels.h"
#include "cpu/buffer_assignment.h"
#include "cpu/value_flow.h"
#include "hlo/module.h"
#include "runtime/cpu/executable.h"
#include "runtime/thunk.h"

namespace subfloor::cpu {

/// Turns the schedule into thunks: one for each op that does something, and a copy for each transfer that was
/// not elided. `plans` holds the kernel of every fusion that is emitted as one. Gives the executable's parts
/// but for its code. Errors: not supported, naming the op and what would work.
Result<runtime::Executable::Parts> EmitThunks(
    const hlo::Module& module, const ValueFlow& flow, const BufferAssignment& assignment,
    const absl::flat_hash_map<const hlo::Instruction*, codegen::KernelPlan>& plans);

}  // namespace subfloor::cpu
