#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "mlir/IR/BuiltinOps.h"

namespace subfloor::codegen {

/// Called with (stage, module name, text).
using DumpFunction =
    std::function<void(std::string_view stage, std::string_view name, std::string_view text)>;

/// Runs them all. Verifies before the first and after each. Errors: internal, with what MLIR said.
Status Lower(mlir::ModuleOp module, const DumpFunction& dump = {});

}  // namespace subfloor::codegen
