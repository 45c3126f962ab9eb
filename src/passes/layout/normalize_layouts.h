#pragma once

#include "passes/pass.h"

namespace subfloor::passes {

/// Brings a module into the layout normal form: every array lies row-major in memory, and nothing but what is
/// written as an instruction moves elements.
///
/// Layouts written inside a program are one compiler's choice and don't change what it computes, so they are
/// dropped; the three places where bytes are seen from outside keep their meaning:
///  - parameters and result of the entry: where the caller's layout is not row-major, the parameter becomes
///  the row-major
///    array of the same bytes (dimensions permuted) and a transpose follows it; the result likewise,
///    transpose first. The header's entry layout stays as callers see it. Packed elements (`E(n)`) are
///    unpacked and packed by a `copy`;
///  - `bitcast`: becomes the transposes, reshape and bitcast-convert that reinterpret the same bytes;
///  - operands and results of custom calls: transposed to the bytes that the call was promised.
///
/// Takes: any module. Gives: the same, row-major everywhere (but E(n) at the entry). `is_scheduled` is
/// dropped: a schedule orders instructions that no longer exist. Errors: not supported for tiles, memory
/// spaces other than the default and the host's, padding and index types in layouts, and for permuted layouts
/// of dynamic arrays; each names the instruction. Place: after InlineCalls (so that no call hides an entry
/// parameter's use), before every pass that looks at a shape.
Result<bool> NormalizeLayouts(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
