#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "mlir/IR/BuiltinOps.h"

namespace subfloor::codegen {

/// Called with (stage, module name, text).
using DumpFunction = std::function<void(std::string_view stage, std::string_view name, std::string_view text)>;

/// The passes from the dialect to LLVM's, in order.
std::vector<std::string> LoweringPassNames();

/// Runs them all. Verifies before the first and after each. Errors: internal, with what MLIR said.
Status Lower(mlir::ModuleOp module, const DumpFunction& dump = {});

/// Parses MLIR text, runs the passes up to and including `last` ("" for none, "all" for every one) and prints the result.
/// Errors: bad input for text that does not parse or verify, or an unknown pass.
Result<std::string> RunLowering(std::string_view text, std::string_view last);

}  // namespace subfloor::codegen
