// Eigen's products: the complex types, and a second opinion on the others.

#define EIGEN_STACK_ALLOCATION_LIMIT (512 << 10)
#include <Eigen/Core>
#include <complex>

#include <new>

#include "libraries/matmul_variants.h"

namespace subfloor::libraries {
namespace {

template <typename T>
class EigenMatmul final : public Matmul {
 public:
  explicit EigenMatmul(const MatmulDescription& d) : Matmul(d), grid_(d, 8, 8) {}

  std::string_view variant() const override { return kEigenMatmul.name; }
  int64_t tile_count() const override { return grid_.tile_count(); }

  bool RunTile(int64_t tile, const void* lhs, const void* rhs, void* out) const override {
    using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    using Stride = Eigen::OuterStride<>;
    using In = Eigen::Map<const Matrix, 0, Stride>;
    const MatmulDescription& d = description();
    // Eigen throws where it cannot allocate the blocks that it packs.
    try {
      grid_.ForEachPiece(tile, [&](const MatmulGrid::Piece& p) {
        const T* left = static_cast<const T*>(lhs) + p.batch * d.lhs_batch_stride +
                        p.row * (d.transpose_lhs ? 1 : d.lhs_row_stride);
        const T* right = static_cast<const T*>(rhs) + p.batch * d.rhs_batch_stride +
                         p.column * (d.transpose_rhs ? d.rhs_row_stride : 1);
        T* result = static_cast<T*>(out) + p.batch * d.out_batch_stride + p.row * d.out_row_stride + p.column;
        Eigen::Map<Matrix, 0, Stride> to(result, p.rows, p.columns, Stride(d.out_row_stride));
        if (d.k == 0) {
          to.setZero();
          return;
        }
        const In a(left, d.transpose_lhs ? d.k : p.rows, d.transpose_lhs ? p.rows : d.k,
                   Stride(d.lhs_row_stride));
        const In b(right, d.transpose_rhs ? p.columns : d.k, d.transpose_rhs ? d.k : p.columns,
                   Stride(d.rhs_row_stride));
        if (d.transpose_lhs && d.transpose_rhs) {
          to.noalias() = a.transpose() * b.transpose();
        } else if (d.transpose_lhs) {
          to.noalias() = a.transpose() * b;
        } else if (d.transpose_rhs) {
          to.noalias() = a * b.transpose();
        } else {
          to.noalias() = a * b;
        }
      });
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }

 private:
  MatmulGrid grid_;
};

bool CanTake(const MatmulDescription& d) {
  if (d.lhs_type != d.rhs_type || d.lhs_type != d.out_type) return false;
  switch (d.lhs_type) {
    case ElementType::kF32:
    case ElementType::kF64:
    case ElementType::kC64:
    case ElementType::kC128:
    case ElementType::kS32:
      return true;
    default:
      return false;
  }
}

std::unique_ptr<const Matmul> Make(const MatmulDescription& d) {
  switch (d.lhs_type) {
    case ElementType::kF32:
      return std::make_unique<EigenMatmul<float>>(d);
    case ElementType::kF64:
      return std::make_unique<EigenMatmul<double>>(d);
    case ElementType::kC64:
      return std::make_unique<EigenMatmul<std::complex<float>>>(d);
    case ElementType::kC128:
      return std::make_unique<EigenMatmul<std::complex<double>>>(d);
    default:
      return std::make_unique<EigenMatmul<uint32_t>>(d);  // s32, which wraps
  }
}

}  // namespace

const MatmulVariant kEigenMatmul{decision::Fact::kEigenProduct, "eigen",  "f32, f64, c64, c128, s32",
                                 [] { return true; },           &CanTake, &Make};

}  // namespace subfloor::libraries
