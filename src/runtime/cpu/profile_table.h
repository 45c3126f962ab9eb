#pragma once

#include <limits>
#include <string>

#include "runtime/cpu/executable.h"

namespace subfloor::runtime {

/// A table for people: one line a thunk that ran, the costliest first, `most` of them: the time of one run,
/// its share, how often the thunk ran in one run of the program, its kind, the instruction it came from. A
/// thunk that holds others (a loop, a branch) counts only what it does itself, so that the lines add up to
/// the whole. `profile` may span several runs of the program; `runs` says how many.
std::string ProfileTable(const Executable& executable, const Profile& profile, int64_t runs = 1,
                         size_t most = std::numeric_limits<size_t>::max());

}  // namespace subfloor::runtime
