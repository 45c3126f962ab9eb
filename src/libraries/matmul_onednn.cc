// oneDNN's sgemm, one call a tile on the calling thread.

#include "libraries/matmul_variants.h"
#include "libraries/onednn.h"
#include "libraries/single_openmp_thread.h"

namespace subfloor::libraries {
namespace {

class OneDnnMatmul final : public Matmul {
 public:
  explicit OneDnnMatmul(const MatmulDescription& d) : Matmul(d), grid_(d, 8, 16) {}

  std::string_view variant() const override { return kOneDnnMatmul.name; }
  int64_t tile_count() const override { return grid_.tile_count(); }

  bool RunTile(int64_t tile, const void* lhs, const void* rhs, void* out) const override {
    const MatmulDescription& d = description();
    SingleOpenMpThread single;
    bool ran = true;
    grid_.ForEachPiece(tile, [&](const MatmulGrid::Piece& p) {
      const float* left = static_cast<const float*>(lhs) + p.batch * d.lhs_batch_stride +
                          p.row * (d.transpose_lhs ? 1 : d.lhs_row_stride);
      const float* right = static_cast<const float*>(rhs) + p.batch * d.rhs_batch_stride +
                           p.column * (d.transpose_rhs ? d.rhs_row_stride : 1);
      float* result =
          static_cast<float*>(out) + p.batch * d.out_batch_stride + p.row * d.out_row_stride + p.column;
      if (d.k == 0) {
        for (int64_t i = 0; i < p.rows; ++i) std::fill_n(result + i * d.out_row_stride, p.columns, 0.0f);
        return;
      }
      // Fails for want of memory only: can_take refused what its arguments forbid.
      ran &= 0 == onednn_.sgemm(d.transpose_lhs ? 'T' : 'N', d.transpose_rhs ? 'T' : 'N', p.rows, p.columns,
                                d.k, 1.0f, left, d.lhs_row_stride, right, d.rhs_row_stride, 0.0f, result,
                                d.out_row_stride);
    });
    return ran;
  }

 private:
  const OneDnn& onednn_ = *OneDnn::Get();
  MatmulGrid grid_;
};

bool CanTake(const MatmulDescription& d) {
  return d.lhs_type == ElementType::kF32 && d.rhs_type == ElementType::kF32 &&
         d.out_type == ElementType::kF32;
}

}  // namespace

const MatmulVariant kOneDnnMatmul{decision::Fact::kOneDnnProduct,
                                  "onednn",
                                  "f32",
                                  [] { return OneDnn::Get() != nullptr; },
                                  &CanTake,
                                  [](const MatmulDescription& d) -> std::unique_ptr<const Matmul> {
                                    return std::make_unique<OneDnnMatmul>(d);
                                  }};

}  // namespace subfloor::libraries
