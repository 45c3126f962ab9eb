#pragma once

#include "absl/container/flat_hash_map.h"
#include "base/error.h"
#include "codegen/compile_kernels.h"
#include "cpu/buffer_assignment.h"
#include "cpu/native_regions.h"
#include "cpu/step_order.h"
#include "cpu/value_flow.h"
#include "hlo/module.h"
#include "runtime/cpu/executable.h"
#include "runtime/thunk.h"

namespace subfloor::cpu {

/// How code generation made the kernels: of a fusion of its own, or of a region.
struct KernelPlans {
  absl::flat_hash_map<const hlo::Instruction*, codegen::KernelPlan> fusions;
  absl::flat_hash_map<const NativeRegion*, codegen::KernelPlan> regions;
};

/// What all workgroups of a kernel work in at once.
int64_t ScratchBytesOf(const codegen::KernelPlan& plan);

/// Turns the steps into thunks: one for each native region, one for each other op that does something, and a
/// copy for each transfer that was not elided. The assignment counts the kernels' scratch. Gives the
/// executable's parts but for its code. Errors: not supported, naming the op and what would work.
Result<runtime::Executable::Parts> EmitThunks(const hlo::Module& module, const ValueFlow& flow,
                                              const StepOrder& order, const BufferAssignment& assignment,
                                              const NativeRegions& regions, const KernelPlans& plans);

}  // namespace subfloor::cpu
