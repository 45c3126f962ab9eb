#pragma once

#include <array>
#include <span>

#include "runtime/thunk.h"

namespace subfloor::runtime {

/// Writes one element all over a slice.
class FillThunk final : public Thunk {
 public:
  /// `element`: 1, 2, 4, 8 or 16 bytes, of which the slice holds a whole number.
  FillThunk(ThunkInfo info, std::span<const std::byte> element, BufferSlice destination);

  Status Bind(const BindContext& context) override;
  BufferUses buffer_uses() const override { return {{destination_, BufferUse::Kind::kWrite}}; }
  Completion Execute(const RunContext& context) const override;

 private:
  std::array<std::byte, 16> pattern_{};  // the element, repeated
  size_t element_bytes_;
  BufferSlice destination_;
};

}  // namespace subfloor::runtime
