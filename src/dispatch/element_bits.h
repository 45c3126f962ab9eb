#pragma once

#include <cstdint>
#include <span>

#include "dispatch/fusion_view.h"

namespace subfloor::dispatch {

/// Bits of the narrowest array among these values, tuples taken apart; INT64_MAX if there is none.
int64_t NarrowestBits(std::span<const hlo::Instruction* const> values);
/// Bits that one element of the widest array takes in memory, at least 8; the same for tuples.
int64_t WidestStoredBits(std::span<const hlo::Instruction* const> values);

}  // namespace subfloor::dispatch
