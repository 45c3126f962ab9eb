#pragma once

#include <cstdint>

namespace subfloor::libraries {

/// Memory of this thread at a multiple of 64, valid until the thread's next call. Kept and grown, never
/// shrunk, so that in steady state nothing is allocated. Null if there is no memory.
void* ThreadScratch(int64_t bytes);

}  // namespace subfloor::libraries
