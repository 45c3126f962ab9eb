#pragma once

#include "base/error.h"
#include "hlo/module.h"
#include "passes/pass.h"

namespace subfloor::passes {

/// Replaces collectives in which nobody else takes part by what they are then: the operand, or zeros where
/// nobody sends.
///
/// A module for one device has only such ones. -start and -done halves go together. replica-id and
/// partition-id become 0 where there is one of them. What is left (several devices, ragged-all-to-all) is for
/// others to refuse.
Result<bool> ExpandLoneCollectives(hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
