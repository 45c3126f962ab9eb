#pragma once

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "codegen/native_program.h"
#include "cpu/buffer_assignment.h"
#include "cpu/step_order.h"
#include "cpu/value_flow.h"
#include "decision/decision.h"

namespace subfloor::cpu {

/// Steps [first, first + count) of a computation's order that become one native function.
struct NativeRegion {
  size_t first = 0, count = 0;
  codegen::NativeProgram program;
  std::vector<ValueId> arguments;  ///< a value in each argument's bytes, in the order of program.buffers
  /// The fusions in it, nested ones included, and who writes them.
  std::vector<std::pair<const hlo::Instruction*, dispatch::EmitterKind>> fusions;
  const hlo::Instruction* instruction =
      nullptr;  ///< whose name it bears: its first loop or branch, else its first kernel
};

/// Regions by computation, ascending and disjoint.
using NativeRegions =
    absl::flat_hash_map<const hlo::Computation*, std::vector<std::unique_ptr<NativeRegion>>>;

/// Finds loops and branches whose steps are all small kernels and copies, and runs of such steps in the
/// bodies of other loops: a thunk for each would cost more than the work in it. Records for every loop and
/// branch what was decided and why.
NativeRegions FindNativeRegions(const hlo::Module& module, const ValueFlow& flow, const StepOrder& order,
                                const BufferAssignment& assignment, decision::Log* log);

/// (output leaf, operand) pairs of a fusion that lie in the same bytes: updated in place, or overlapping.
std::vector<std::pair<int64_t, int64_t>> SharedBuffers(const hlo::Instruction& fusion, const ValueFlow& flow,
                                                       const BufferAssignment& assignment);
/// (output leaf, operand) pairs that the assignment put into the same bytes, by whatever rule it was allowed
/// to.
std::vector<std::pair<int64_t, int64_t>> OverlappingBuffers(const hlo::Instruction& fusion,
                                                            const ValueFlow& flow,
                                                            const BufferAssignment& assignment);

}  // namespace subfloor::cpu
