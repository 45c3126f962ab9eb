#pragma once

#include "absl/container/flat_hash_map.h"
#include "base/error.h"
#include "hlo/module.h"

/// Parts of verifier.cc that stand in files of their own.
namespace subfloor::hlo::verify {

/// The error with the instruction's name and position.
std::unexpected<Error> At(const Instruction& instruction, Error error);

/// The header against parameters and root. Precondition: the entry has both.
Status CheckHeader(const Module& module);

/// What a channel of the module was first used for.
using ChannelUses = absl::flat_hash_map<int64_t, const Instruction*>;
/// Groups, permutations and channels of collectives, send and recv; any other instruction passes.
Status CheckCommunication(const Module& module, const Instruction& instruction, ChannelUses& channels);

}  // namespace subfloor::hlo::verify
