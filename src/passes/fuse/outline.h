#pragma once

#include <span>

#include "hlo/computation.h"

namespace subfloor::passes {

/// Moves instructions of one computation into the body of a new fusion.
///
/// Takes: `members` in an order with operands first; `outputs`, members whose values are needed outside.
/// Gives: the fusion, which replaces the outputs' uses outside (a get-tuple-element each when there are
/// several) and takes over the members' control edges but for those between them; members that nothing needs
/// any more are removed. The caller sees to it that nothing outside comes between members. Body parameters
/// are the arrays read, in order of their first use; scalar constants are copied into the body instead. Its
/// root is the output, or the tuple of them. Kind: kInput when the body holds a reduction, kLoop otherwise.
/// The fusion is named after its first output and carries its annotations.
hlo::Instruction* OutlineFusion(std::span<hlo::Instruction* const> members,
                                std::span<hlo::Instruction* const> outputs);

}  // namespace subfloor::passes
