#pragma once

#include <string>
#include <vector>

#include "runtime/thunk.h"

namespace subfloor::runtime {

/// Calls a function that somebody registered under the custom call's target.
class CustomCallThunk final : public Thunk {
 public:
  /// `opaque`: the instruction's backend config. `side_effects` orders it among all custom calls that have
  /// them.
  CustomCallThunk(ThunkInfo info, std::string target, std::string opaque, std::vector<BufferSlice> inputs,
                  std::vector<BufferSlice> outputs, bool side_effects = false);

  /// Errors: not supported, naming the target, if nobody registered it.
  Status Bind(const BindContext& context) override;
  BufferUses buffer_uses() const override;
  ResourceUses resource_uses() const override;
  Completion Execute(const RunContext& context) const override;

 private:
  std::string target_, opaque_;
  std::vector<BufferSlice> inputs_, outputs_;
  bool side_effects_;
  ffi::SubfloorCustomCall function_ = nullptr;
};

}  // namespace subfloor::runtime
