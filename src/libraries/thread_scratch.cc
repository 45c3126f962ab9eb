#include "libraries/thread_scratch.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace subfloor::libraries {

void* ThreadScratch(int64_t bytes) {
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  thread_local std::unique_ptr<void, Free> memory;
  thread_local int64_t size = 0;
  bytes = std::max<int64_t>(bytes, 1);  // null says one thing only
  if (bytes > size) {
    memory.reset();
    const int64_t rounded = (bytes + bytes / 4 + 4095) / 4096 * 4096;
    memory.reset(std::aligned_alloc(64, static_cast<size_t>(rounded)));
    size = memory ? rounded : 0;
  }
  return memory.get();
}

}  // namespace subfloor::libraries
