#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace subfloor::fuzz {

/// HLO text with one to four small changes at the level of its tokens, so that most mutants still parse far:
/// a token gives way to another of its kind (an opcode to an opcode, a type to a type, a number to one near a
/// limit), tokens or lines are dropped, doubled or change places. Takes any bytes. Threads: pure.
std::string MutateTokens(std::string_view text, uint32_t seed);

}  // namespace subfloor::fuzz
