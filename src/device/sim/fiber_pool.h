#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/error.h"

namespace subfloor::device::sim {

struct Fiber;

/// Stacks on which functions run that stop in the middle and go on later. Fibers are numbered from 0 and used
/// again and again. Stacks are of 64 KiB at least, between forbidden pages. Threads: one at a time, and no
/// fiber may be in the middle when another thread comes.
class FiberPool {
 public:
  FiberPool();
  ~FiberPool();
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;

  /// Sees to it that there are `count` fibers. Errors: out of resources.
  Status Reserve(size_t count);

  /// What fiber `index`, which is not in the middle of anything, does from its next Resume on, and again
  /// after each return.
  void SetBody(size_t index, void (*body)(void*), void* argument);

  /// Lets the fiber run until it calls Suspend or its body returns.
  void Resume(size_t index);

  /// Called on fiber `index`: goes back to who called Resume.
  void Suspend(size_t index);

 private:
  std::vector<std::unique_ptr<Fiber>> fibers_;
};

}  // namespace subfloor::device::sim
