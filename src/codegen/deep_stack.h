#pragma once

#include <cstddef>
#include <functional>

#include "base/error.h"

namespace subfloor::codegen {

/// Calls work() on `count` threads at once, each with a stack of 64 MiB, and waits for all: emission, MLIR's
/// parser and LLVM recurse over what they are given. Where the machine has no more threads there are fewer,
/// but one at least. Errors: out of resources if there is none; work() is not called then. Threads: any.
Status RunOnDeepStacks(size_t count, const std::function<void()>& work);

}  // namespace subfloor::codegen
