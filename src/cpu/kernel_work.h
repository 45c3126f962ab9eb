#pragma once

#include <cstdint>

#include "hlo/instruction.h"

namespace subfloor::cpu {

/// About how many operations on single elements a run of this fusion takes: what decides whether a call of
/// its own pays. An update in place counts its update only. Counting ends where the sum exceeds `enough`.
int64_t ElementOperations(const hlo::Instruction& fusion, int64_t enough);

}  // namespace subfloor::cpu
