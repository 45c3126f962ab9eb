#pragma once

#include "base/error.h"
#include "hlo/module.h"
#include "passes/pass.h"

namespace subfloor::passes {

/// Replaces select-and-scatter by a windowed search for the position that `select` keeps, and a scatter of
/// the source to those positions. A window that lies wholly in padding chooses nothing and is dropped.
Result<bool> ExpandSelectAndScatter(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
