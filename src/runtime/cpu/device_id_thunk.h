#pragma once

#include <cstring>

#include "runtime/thunk.h"

namespace subfloor::runtime {

/// partition-id and replica-id: writes which one this run is, as u32.
class DeviceIdThunk final : public Thunk {
 public:
  /// `kind`: kPartitionId or kReplicaId.
  DeviceIdThunk(ThunkInfo info, ThunkKind kind, BufferSlice destination)
      : Thunk(kind, std::move(info)), destination_(destination) {}

  Status Bind(const BindContext& context) override {
    if (destination_.size != sizeof(int32_t))
      return InternalError("a device id of {} bytes", destination_.size);
    return {};
  }
  BufferUses buffer_uses() const override { return {{destination_, BufferUse::Kind::kWrite}}; }
  Completion Execute(const RunContext& context) const override {
    const int32_t id = kind() == ThunkKind::kPartitionId ? context.partition_id : context.replica_id;
    std::memcpy(context.Address(destination_), &id, sizeof(id));
    return {};
  }

 private:
  BufferSlice destination_;
};

}  // namespace subfloor::runtime
