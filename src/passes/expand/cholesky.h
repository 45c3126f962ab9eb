#pragma once

#include "base/error.h"
#include "hlo/module.h"
#include "passes/pass.h"

namespace subfloor::passes {

/// Replaces cholesky by a loop over columns: each is the input's less what the columns before it explain,
/// divided by the root of its pivot. Narrow types are computed in f32. A NaN or negative pivot makes its
/// whole matrix NaN; the triangle that was not asked for is zero. Source: docs/numerics.md.
Result<bool> ExpandCholesky(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
