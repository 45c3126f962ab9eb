#pragma once

#include "runtime/thunk.h"

namespace subfloor::runtime {

/// Copies bytes. Slices of equal size; they may be the same but must not overlap otherwise.
class CopyThunk final : public Thunk {
 public:
  CopyThunk(ThunkInfo info, BufferSlice source, BufferSlice destination)
      : Thunk(ThunkKind::kCopy, std::move(info)), source_(source), destination_(destination) {}

  Status Bind(const BindContext& context) override;
  BufferUses buffer_uses() const override {
    return {{source_, BufferUse::Kind::kRead}, {destination_, BufferUse::Kind::kWrite}};
  }
  Completion Execute(const RunContext& context) const override;

 private:
  BufferSlice source_, destination_;
};

}  // namespace subfloor::runtime
