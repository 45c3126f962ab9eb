#pragma once

#include <span>
#include <vector>

#include "hlo/instruction.h"

namespace subfloor::passes {

/// True if the loop's state is a tuple that is only ever taken apart or put together: the parameters of body
/// and condition are read through get-tuple-element alone, so that elements can be dropped and added.
bool CanRebuildLoop(const hlo::Instruction& loop);

/// Changes which elements a loop carries, in place. `kept` lists the old elements that stay, ascending; each
/// of `added` (values of the loop's computation) becomes a further element that the body passes through.
/// Returns the body's readings of the added elements. Elements that go must have no use but to make their own
/// next value. Preconditions: CanRebuildLoop; body and condition have no other caller; the loop itself is
/// read through get-tuple-element if any element goes.
std::vector<hlo::Instruction*> RebuildLoop(hlo::Instruction& loop, std::span<const int64_t> kept,
                                           std::span<hlo::Instruction* const> added);

}  // namespace subfloor::passes
