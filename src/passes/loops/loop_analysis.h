#pragma once

#include <cstdint>
#include <optional>

#include "hlo/instruction.h"

namespace subfloor::passes {

/// The counter of a loop: element `index` of its state starts at `init`, grows by `step` each time round, and
/// alone decides when the loop ends.
struct LoopCounter {
  int64_t index = 0;
  int64_t init = 0, step = 0;
  int64_t trip_count = 0;
};

/// The counter of a `while` whose state is a tuple, if there is one: an integer element that the body changes
/// by a constant, compared with a constant by the condition, from a constant start, without wrapping around.
/// nullopt otherwise.
std::optional<LoopCounter> FindLoopCounter(const hlo::Instruction& loop);

/// How often the body of a `while` runs: what its backend config says (known_trip_count), else what its
/// counter says.
std::optional<int64_t> KnownTripCount(const hlo::Instruction& loop);

/// Element k of the state passes through unchanged: the body's result has the parameter's own element k
/// there.
bool IsLoopInvariant(const hlo::Instruction& loop, int64_t k);

}  // namespace subfloor::passes
