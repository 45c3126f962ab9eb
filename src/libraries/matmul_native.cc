// Our own register-blocked products (gemm/): every real type, narrow ones widened while they are copied.

#include "libraries/gemm/instruction_set.h"
#include "libraries/matmul_variants.h"
#include "libraries/thread_scratch.h"

namespace subfloor::libraries {
namespace {

// With one column the roles are swapped, so that few-row kernels see a row: out' = rhs' x lhs'.
bool Swapped(const MatmulDescription& d) { return d.n == 1 && d.m > 1 && d.out_row_stride == 1; }

class NativeMatmul final : public Matmul {
 public:
  explicit NativeMatmul(const MatmulDescription& d)
      : Matmul(d),
        typing_(gemm::TypingOf(d.lhs_type, d.rhs_type, d.out_type)),
        swapped_(Swapped(d)),
        grid_(MakeGrid()) {}

  std::string_view variant() const override { return kNativeMatmul.name; }
  int64_t tile_count() const override { return grid_.tile_count(); }

  bool RunTile(int64_t tile, const void* lhs, const void* rhs, void* out) const override {
    const MatmulDescription& d = description();
    const gemm::Kernels& kernels = *typing_.kernels;
    gemm::Operand left{lhs, typing_.lhs, d.transpose_lhs ? 1 : d.lhs_row_stride,
                       d.transpose_lhs ? d.lhs_row_stride : 1};
    gemm::Operand right{rhs, typing_.rhs, d.transpose_rhs ? 1 : d.rhs_row_stride,
                        d.transpose_rhs ? d.rhs_row_stride : 1};
    int64_t left_batch = d.lhs_batch_stride * ByteWidth(d.lhs_type),
            right_batch = d.rhs_batch_stride * ByteWidth(d.rhs_type);
    int64_t left_bytes = ByteWidth(d.lhs_type), right_bytes = ByteWidth(d.rhs_type);
    int64_t out_row_stride = d.out_row_stride;
    if (swapped_) {
      std::swap(left, right);
      std::swap(left.row_stride, left.column_stride);
      std::swap(right.row_stride, right.column_stride);
      std::swap(left_batch, right_batch);
      std::swap(left_bytes, right_bytes);
      out_row_stride = d.m;
      // A single row has no row stride; the kernels want one of the two to be 1.
      if (left.column_stride != 1) left.row_stride = 1;
    }
    const int64_t out_bytes = ByteWidth(d.out_type);
    void* scratch = ThreadScratch(kernels.scratch_bytes(grid_.block_rows(), grid_.block_columns(), d.k));
    if (scratch == nullptr) return false;
    grid_.ForEachPiece(tile, [&](const MatmulGrid::Piece& piece) {
      gemm::Tile t{piece.rows, piece.columns, d.k,         left,           right,  nullptr,
                   nullptr,    nullptr,       typing_.out, out_row_stride, scratch};
      t.lhs.data = static_cast<const char*>(left.data) + piece.batch * left_batch +
                   piece.row * left.row_stride * left_bytes;
      t.rhs.data = static_cast<const char*>(right.data) + piece.batch * right_batch +
                   piece.column * right.column_stride * right_bytes;
      t.out = static_cast<char*>(out) +
              (piece.batch * d.out_batch_stride + piece.row * out_row_stride + piece.column) * out_bytes;
      kernels.run(t);
    });
    return true;
  }

 private:
  MatmulGrid MakeGrid() const {
    MatmulDescription d = description();
    if (swapped_) std::swap(d.m, d.n);
    return MatmulGrid(d, typing_.kernels->rows, typing_.kernels->columns);
  }

  gemm::Typing typing_;
  bool swapped_;
  MatmulGrid grid_;
};

}  // namespace

const MatmulVariant kNativeMatmul{decision::Fact::kNativeProduct,
                                  "native",
                                  "f32, f64, s32; f16, bf16 (summed in f32); s8, u8 to s32",
                                  [] { return true; },
                                  [](const MatmulDescription& d) {
                                    return gemm::TypingOf(d.lhs_type, d.rhs_type, d.out_type).kernels !=
                                           nullptr;
                                  },
                                  [](const MatmulDescription& d) -> std::unique_ptr<const Matmul> {
                                    return std::make_unique<NativeMatmul>(d);
                                  }};

}  // namespace subfloor::libraries
