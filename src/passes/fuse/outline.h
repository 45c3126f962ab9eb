#pragma once

#include <span>

#include "hlo/computation.h"

namespace subfloor::passes {

/// Moves instructions of one computation into the body of a new fusion.
///
/// Takes: `members` in an order with operands first, none of them with control edges unless it is the only
/// one; `outputs`, members whose values are needed outside. Gives: the fusion, which replaces the outputs'
/// uses outside (a get-tuple-element each when there are several); members that nothing needs any more are
/// removed. Body parameters are the arrays read, in order of their first use; scalar constants are copied
/// into the body instead. Its root is the output, or the tuple of them. Kind: kInput when the body holds a
/// reduction, kLoop otherwise. The fusion is named after its first output and carries its annotations.
hlo::Instruction* OutlineFusion(std::span<hlo::Instruction* const> members,
                                std::span<hlo::Instruction* const> outputs);

}  // namespace subfloor::passes
