#pragma once

#include <functional>

#include "base/error.h"
#include "hlo/builder.h"
#include "hlo/module.h"

namespace subfloor::passes {

/// What every expander is made of: replaces each instruction that `wanted` accepts by what `expand` builds in
/// front of it.
///
/// `expand` returns the replacement, of the same shape but for layouts (a copy mends those), or nullptr to
/// leave the instruction alone. Instructions that it makes are not visited; operands left unused stay for
/// dead-code. New ones carry the old one's metadata; control edges move over. Fusion bodies are left alone:
/// what stands in one was put there for somebody. Gives: true if anything changed. Errors: those of `expand`,
/// with the instruction's name and position; internal when what was built does not fit.
Result<bool> ReplaceEach(
    hlo::Module& module, const std::function<bool(const hlo::Instruction&)>& wanted,
    const std::function<Result<hlo::Instruction*>(hlo::Builder&, hlo::Instruction&)>& expand);

/// The loop `for (i = 0; i < trips; ++i) state = step(b, i, state)` over a list of arrays, as a while whose
/// counter is the first element. `step` runs once, in the body's computation, and returns the new state.
/// Gives the final state.
Result<std::vector<hlo::Instruction*>> MakeCountedLoop(
    hlo::Builder& builder, int64_t trips, std::span<hlo::Instruction* const> initial, std::string_view name,
    const std::function<Result<std::vector<hlo::Instruction*>>(
        hlo::Builder&, hlo::Instruction* i, std::span<hlo::Instruction* const> state)>& step);

}  // namespace subfloor::passes
