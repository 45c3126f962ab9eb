#pragma once

#include "passes/pass.h"

namespace subfloor::passes {

/// Takes `E(n)`, which says how a device would pack narrow elements, out of every layout. Callers hand over
/// one byte an element and so are all of our buffers: here it changes nothing but the layout's text.
///
/// Takes: any module. Gives: the same without packing, in the header's entry layout too. Place: first, so
/// that no pass meets a packed layout.
Result<bool> DropPacking(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
