#pragma once

#include <algorithm>
#include <memory>

#include "libraries/matmul.h"

/// The variants behind matmul.h, one file each.
namespace subfloor::libraries {

struct MatmulVariant {
  decision::Fact fact;  ///< what the log says when it is chosen
  std::string_view name, takes;
  bool (*runs_here)();                                     ///< does this machine have what it needs?
  bool (*can_take)(const MatmulDescription& description);  ///< types and forms; strides are filled in
  std::unique_ptr<const Matmul> (*make)(const MatmulDescription& description);
};

extern const MatmulVariant kNativeMatmul, kOneDnnMatmul, kEigenMatmul;

/// How a product is cut: a grid of blocks for each matrix of the batch, or several whole matrices a tile.
class MatmulGrid {
 public:
  /// Blocks are multiples of `row_step` and `column_step` where there is more than one.
  MatmulGrid(const MatmulDescription& description, int64_t row_step, int64_t column_step);

  int64_t tile_count() const { return tile_count_; }
  int64_t block_rows() const { return block_rows_; }
  int64_t block_columns() const { return block_columns_; }

  struct Piece {
    int64_t batch, row, rows, column, columns;
  };
  /// Calls f(piece) for all pieces of a tile.
  template <typename F>
  void ForEachPiece(int64_t tile, F&& f) const {
    if (batch_group_ > 1) {
      const int64_t end = std::min(batch_, (tile + 1) * batch_group_);
      for (int64_t b = tile * batch_group_; b < end; ++b) f(Piece{b, 0, m_, 0, n_});
      return;
    }
    const int64_t column = tile % grid_columns_ * block_columns_;
    const int64_t row = tile / grid_columns_ % grid_rows_ * block_rows_;
    f(Piece{tile / (grid_columns_ * grid_rows_), row, std::min(block_rows_, m_ - row), column,
            std::min(block_columns_, n_ - column)});
  }

 private:
  int64_t batch_, m_, n_;
  int64_t block_rows_ = 1, block_columns_ = 1, grid_rows_ = 0, grid_columns_ = 0;
  int64_t batch_group_ = 1, tile_count_ = 0;
};

}  // namespace subfloor::libraries
