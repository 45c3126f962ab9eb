#pragma once

#include "hlo/lexer.h"
#include "hlo/module.h"

namespace subfloor::hlo {

/// Reads what stands between `HloModule name` and the first computation: attributes, then the tables of
/// files, functions and stack frames. Errors: false, recorded in the lexer.
bool ReadHeader(Lexer& lexer, ModuleHeader& header);

/// Writes the attributes, each with a comma before it, in canonical order.
void AppendHeaderAttributes(std::string& out, const ModuleHeader& header);

/// Writes the tables, each followed by an empty line.
void AppendHeaderTables(std::string& out, const ModuleHeader& header);

}  // namespace subfloor::hlo
