#pragma once

#include <string>

#include "runtime/cpu/executable.h"

namespace subfloor::runtime {

/// A table for people: one line a thunk that ran, the costliest first, with its share of the time of all
/// outermost thunks, its runs, its kind and the instruction it came from. Times of nested thunks are part of
/// those they are nested in.
std::string ProfileTable(const Executable& executable, const Profile& profile);

}  // namespace subfloor::runtime
