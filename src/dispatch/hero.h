#pragma once

#include <vector>

#include "dispatch/fusion_view.h"

namespace subfloor::dispatch {

/// Passes elements on one by one, in order: elementwise with one to `max_operands` operands (a copy only if
/// it changes no layout), a bitcast, or a reshape or transpose that moves nothing.
bool IsIntermediate(const hlo::Instruction& instruction, int64_t max_operands);

/// The op that a root's kernel is built around: the tiled transpose or concatenate that the root is computed
/// from element by element, all of whose readers do likewise; or the reduce at the end of a chain of ops with
/// one operand. The root itself if there is none.
const hlo::Instruction* FindHero(const FusionView& fusion, const hlo::Instruction* root);

/// The first op below the root for which the chain of ops with one operand ends: where FindHero looks on
/// from.
const hlo::Instruction* EndOfChain(const FusionView& fusion, const hlo::Instruction* root);

/// A transpose that feeds the root element by element, tiled or not; nullptr if none does. For saying what is
/// wrong with it.
const hlo::Instruction* NearestTranspose(const FusionView& fusion, const hlo::Instruction* root);

}  // namespace subfloor::dispatch
