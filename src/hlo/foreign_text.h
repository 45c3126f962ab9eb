#pragma once

#include <string>
#include <string_view>

namespace subfloor::hlo {

/// What bytes that do not parse as HLO text are instead (nothing at all, MLIR, a serialized module, a
/// compressed file ...) and how to get HLO text, as an error message. Empty if they look like HLO text with a
/// mistake in it.
std::string DescribeForeignText(std::string_view text);

}  // namespace subfloor::hlo
