#pragma once

#include "passes/pass.h"

namespace subfloor::passes {

/// Brings convolutions of one to three spatial dimensions into the form that libraries take: input and result
/// with the batch first and features last, kernel with spatial dimensions first, then input, then output
/// features, spatial dimensions in order, no reversal, no batch groups. Transposes stand where the form
/// differs; a reversal becomes a `reverse` of the kernel; batch groups become feature groups of an input
/// whose batch blocks stand side by side in its features. Operands of floats of 8 bits and less are converted
/// to f32, which is exact, and the result rounded once. Takes: a module in layout normal form. Gives: the
/// same entry signature. Errors: none. Place: after the first simplification group, in every computation,
/// before the last simplification group.
Result<bool> CanonicalizeConvolutions(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
