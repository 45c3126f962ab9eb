#pragma once

#include <mutex>

#include "runtime/thunk.h"

namespace subfloor::runtime {

/// rng-get-and-update-state: gives a 128-bit counter's value and adds `delta` to it. The counter belongs to
/// the executable and lasts across its runs.
class RngStateThunk final : public Thunk {
 public:
  /// `destination`: 16 bytes, the low half first.
  RngStateThunk(ThunkInfo info, int64_t delta, BufferSlice destination)
      : Thunk(ThunkKind::kRngState, std::move(info)), delta_(delta), destination_(destination) {}

  Status Bind(const BindContext& context) override;
  BufferUses buffer_uses() const override { return {{destination_, BufferUse::Kind::kWrite}}; }
  ResourceUses resource_uses() const override { return {{ResourceUse::Kind::kRngState, number(), true}}; }
  Completion Execute(const RunContext& context) const override;

 private:
  int64_t delta_;
  BufferSlice destination_;
  mutable std::mutex mutex_;
  mutable unsigned __int128 state_ = 0x7012395;  // the first value programs have come to expect
};

}  // namespace subfloor::runtime
