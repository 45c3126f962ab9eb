#include "runtime/cpu/dot_thunk.h"

#include "runtime/cpu/run_tiles.h"

namespace subfloor::runtime {
namespace {

// Bytes from the first to the last element that the product touches.
int64_t Extent(int64_t batch, int64_t batch_stride, int64_t rows, int64_t columns, int64_t row_stride,
               ElementType type) {
  if (batch == 0 || rows == 0 || columns == 0) return 0;
  return ((batch - 1) * batch_stride + (rows - 1) * row_stride + columns) * ByteWidth(type);
}

}  // namespace

Status DotThunk::Bind(const BindContext& context) {
  matmul_ = SF_TRY(libraries::Matmul::Create(description_));
  const libraries::MatmulDescription& d = matmul_->description();
  const int64_t lhs = Extent(d.batch, d.lhs_batch_stride, d.transpose_lhs ? d.k : d.m,
                             d.transpose_lhs ? d.m : d.k, d.lhs_row_stride, d.lhs_type);
  const int64_t rhs = Extent(d.batch, d.rhs_batch_stride, d.transpose_rhs ? d.n : d.k,
                             d.transpose_rhs ? d.k : d.n, d.rhs_row_stride, d.rhs_type);
  const int64_t out = Extent(d.batch, d.out_batch_stride, d.m, d.n, d.out_row_stride, d.out_type);
  if (lhs > lhs_.size || rhs > rhs_.size || out > out_.size)
    return InternalError("the product {} needs {}, {} and {} bytes, its slices have {}, {} and {}",
                         d.ToString(), lhs, rhs, out, lhs_.size, rhs_.size, out_.size);
  return {};
}

BufferUses DotThunk::buffer_uses() const {
  return {{lhs_, BufferUse::Kind::kRead}, {rhs_, BufferUse::Kind::kRead}, {out_, BufferUse::Kind::kWrite}};
}

Completion DotThunk::Execute(const RunContext& context) const {
  const void* lhs = context.Address(lhs_);
  const void* rhs = context.Address(rhs_);
  void* out = context.Address(out_);
  return RunTiles(context, matmul_->tile_count(),
                  [&](int64_t tile) { return matmul_->RunTile(tile, lhs, rhs, out); });
}

}  // namespace subfloor::runtime
