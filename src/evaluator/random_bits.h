#pragma once

#include <array>
#include <cstdint>

namespace subfloor::evaluator {

/// One block of Philox-4x32-10: four words from a 128-bit counter (low word first) and a 64-bit key.
/// Source: Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (2011).
std::array<uint32_t, 4> PhiloxBlock(std::array<uint64_t, 2> counter, uint64_t key);

/// One block of Threefry-2x32 with 20 rounds. Source: as above.
std::array<uint32_t, 2> ThreefryBlock(std::array<uint32_t, 2> counter, uint64_t key);

/// The two halves of `counter` plus `delta`, as one 128-bit number.
std::array<uint64_t, 2> Advance(std::array<uint64_t, 2> counter, uint64_t delta);

}  // namespace subfloor::evaluator
