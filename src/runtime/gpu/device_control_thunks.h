#pragma once

#include <optional>

#include "runtime/gpu/device_thunk.h"

namespace subfloor::runtime {

/// Enqueues `condition` and, while it leaves a non-zero byte in `predicate`, `body`: the host waits for the
/// byte each time round. With a known trip count the body is enqueued that often, and nobody waits.
class DeviceWhileThunk final : public DeviceThunk {
 public:
  DeviceWhileThunk(ThunkInfo info, DeviceSequence condition, DeviceSequence body, BufferSlice predicate,
                   std::optional<int64_t> trip_count)
      : DeviceThunk(std::move(info)),
        condition_(std::move(condition)),
        body_(std::move(body)),
        predicate_(predicate),
        trip_count_(trip_count) {}

  BufferUses buffer_uses() const override { return {{predicate_, BufferUse::Kind::kRead}}; }
  std::vector<DeviceSequence*> nested() override { return {&condition_, &body_}; }
  Status Enqueue(const DeviceRun& run) const override;

 private:
  DeviceSequence condition_, body_;
  BufferSlice predicate_;
  std::optional<int64_t> trip_count_;
};

/// Waits for the selector and enqueues one of the branches. A one-byte selector is a pred: non-zero picks
/// branch 0, zero branch 1. A four-byte one is an s32 index; outside of the range it picks the last branch.
class DeviceConditionalThunk final : public DeviceThunk {
 public:
  DeviceConditionalThunk(ThunkInfo info, BufferSlice selector, std::vector<DeviceSequence> branches)
      : DeviceThunk(std::move(info)), selector_(selector), branches_(std::move(branches)) {}

  BufferUses buffer_uses() const override { return {{selector_, BufferUse::Kind::kRead}}; }
  std::vector<DeviceSequence*> nested() override;
  Status Enqueue(const DeviceRun& run) const override;

 private:
  BufferSlice selector_;
  std::vector<DeviceSequence> branches_;
};

}  // namespace subfloor::runtime
