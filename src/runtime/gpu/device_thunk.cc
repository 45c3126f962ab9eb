#include "runtime/gpu/device_thunk.h"

namespace subfloor::runtime {

Status DeviceSequence::Enqueue(const DeviceRun& run) const {
  for (const auto& thunk : thunks_) {
    if (Status enqueued = thunk->Enqueue(run); !enqueued) {
      Error error = std::move(enqueued).error();
      if (error.instruction().empty()) error.In(thunk->info().instruction);
      return std::unexpected(std::move(error));
    }
  }
  return {};
}

}  // namespace subfloor::runtime
