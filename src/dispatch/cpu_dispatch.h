#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "decision/decision.h"
#include "dispatch/emitter_kind.h"
#include "dispatch/fusion_roots.h"
#include "hlo/computation.h"

namespace subfloor::dispatch {

/// What settled who emits a fusion: the emitter, and the op of the body that the kernel is built around (null
/// for loops).
struct CpuChoice {
  EmitterKind emitter = EmitterKind::kLoop;
  const hlo::Instruction* hero = nullptr;
};

/// Asks, in order: a scatter at the root? a sort? an update in place? a reduction hero? a transpose hero? a
/// concatenate hero? Else a loop. (Foreign stamps and libraries are settled before: what reaches this is our
/// own code.) Takes a fusion's body: array parameters, root an array or a tuple of arrays. `instruction` is
/// the fusion's id.
CpuChoice ChooseCpuEmitter(const hlo::Computation& body, int64_t instruction, decision::Log* log);

/// (parameter, output leaf) pairs for which the body writes only a part of the parameter's array and hands on
/// the rest: dynamic-update-slice and scatter at the root. Both must then live in one buffer. Empty when the
/// body may not be emitted in place, because another op reads the parameter elsewhere.
std::vector<std::pair<int64_t, int64_t>> InPlaceUpdates(const hlo::Computation& body);

/// (parameter, output leaf) pairs that may share one buffer although the whole output is written: a loop
/// reads each element of the parameter just where, and just before, it writes the output's.
std::vector<std::pair<int64_t, int64_t>> ElementwiseOverlaps(const hlo::Computation& body);

}  // namespace subfloor::dispatch
