#pragma once

#include <memory>

#include "libraries/matmul.h"
#include "runtime/thunk.h"

namespace subfloor::runtime {

/// A matrix product by a library, its tiles spread over the run's pool.
class DotThunk final : public Thunk {
 public:
  /// Slices hold the matrices as the description says; libraries::CanTakeMatmul(description) must be true.
  DotThunk(ThunkInfo info, libraries::MatmulDescription description, BufferSlice lhs, BufferSlice rhs,
           BufferSlice out)
      : Thunk(ThunkKind::kDot, std::move(info)), description_(description), lhs_(lhs), rhs_(rhs), out_(out) {}

  Status Bind(const BindContext& context) override;
  BufferUses buffer_uses() const override;
  Completion Execute(const RunContext& context) const override;

 private:
  libraries::MatmulDescription description_;
  BufferSlice lhs_, rhs_, out_;
  std::unique_ptr<const libraries::Matmul>
      matmul_;  // made by Bind: which variant is best is this machine's business
};

}  // namespace subfloor::runtime
