#include "runtime/cpu/rng_state_thunk.h"

#include <cstring>

namespace subfloor::runtime {

Status RngStateThunk::Bind(const BindContext& context) {
  if (destination_.size != sizeof(state_))
    return InternalError("an rng state of {} bytes", destination_.size);
  return {};
}

Completion RngStateThunk::Execute(const RunContext& context) const {
  std::lock_guard lock(mutex_);
  std::memcpy(context.Address(destination_), &state_, sizeof(state_));
  state_ += static_cast<unsigned __int128>(static_cast<__int128>(delta_));
  return {};
}

}  // namespace subfloor::runtime
