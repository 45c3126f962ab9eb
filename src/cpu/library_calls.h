#pragma once

#include <memory>
#include <span>

#include "base/error.h"
#include "decision/decision.h"
#include "hlo/instruction.h"
#include "runtime/thunk.h"

namespace subfloor::cpu {

/// True if a library takes this dot, convolution or fft in the form it has; records why or why not. What no
/// library takes is wrapped into a fusion and emitted as loops of our own.
bool LibraryTakes(const hlo::Instruction& instruction, decision::Log* log);

/// The thunk that calls the library. Precondition: LibraryTakes(instruction). Errors: those of the library's
/// preparation.
Result<std::unique_ptr<runtime::Thunk>> MakeLibraryThunk(const hlo::Instruction& instruction,
                                                         runtime::ThunkInfo info,
                                                         std::span<const runtime::BufferSlice> operands,
                                                         runtime::BufferSlice result);

}  // namespace subfloor::cpu
