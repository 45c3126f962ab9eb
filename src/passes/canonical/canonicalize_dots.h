#pragma once

#include "passes/pass.h"

namespace subfloor::passes {

/// Brings every dot into the form of a stack of matrix products, which libraries take: on each side the batch
/// dimensions first and in order, then one run of free and one run of contracted dimensions in either order,
/// contracted dimensions in the same order on both sides. A transpose of an operand that this form can
/// express is dropped; one is added where the form needs it. Operands of types that no library has are
/// converted, which is exact: floats of 8 bits and less to f32 (the sum is rounded once, from f32), integers
/// of other widths than 8 and 64 to s32 (sums wrap alike). Takes: a module in layout normal form. Gives: the
/// same entry signature. Errors: none. Place: after the first simplification group (which composes
/// transposes), before the last one (which drops new ones).
Result<bool> CanonicalizeDots(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
