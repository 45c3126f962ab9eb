#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

/// Lowering by hand, for looking at one pass; needs no MLIR header.
namespace subfloor::codegen {

/// The passes from the dialect to LLVM's, in order; those of a CPU's kernels and those of a GPU's.
std::vector<std::string> LoweringPassNames();

/// Parses MLIR text, runs the passes that are for its kernels up to and including `last` ("" for none, "all"
/// for every one) and prints the result. `name` stands for the file in errors. Errors: bad input for text
/// that does not parse or verify, with line and column, or an unknown pass. Threads: any.
Result<std::string> RunLowering(std::string_view text, std::string_view last,
                                std::string_view name = "<text>");

}  // namespace subfloor::codegen
