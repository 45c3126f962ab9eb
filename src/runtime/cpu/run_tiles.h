#pragma once

#include <atomic>
#include <utility>

#include "runtime/thunk.h"

namespace subfloor::runtime {

/// Calls f(i) for i in [0, count), perhaps in parallel; each answers whether there was memory for what it
/// needed besides its buffers. Done when all have returned. Errors: out of resources if one had none.
template <typename F>
Completion RunTiles(const RunContext& context, int64_t count, F&& f) {
  std::atomic<bool> starved = false;
  context.ParallelFor(count, [&](int64_t i) {
    if (!f(i)) starved.store(true, std::memory_order_relaxed);
  });
  if (!starved.load(std::memory_order_relaxed)) return {};
  return Completion::Of(OutOfResources("no memory for what a library keeps while it computes"));
}

}  // namespace subfloor::runtime
