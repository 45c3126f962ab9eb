#pragma once

#include <cstddef>
#include <string>

#include "hlo/lexer.h"
#include "types/element_type.h"

/// One element of an array as HLO text writes it; literal_text.h says how.
namespace subfloor::hlo {

/// Reads an element of `type` and stores its bits at `at`. Errors: false, recorded in the lexer.
bool ReadElement(Lexer& lexer, ElementType type, std::byte* at);

void AppendElement(std::string& out, ElementType type, const std::byte* at);

}  // namespace subfloor::hlo
