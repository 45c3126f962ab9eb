#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "decision/decision.h"
#include "types/element_type.h"

namespace subfloor::libraries {

/// out[b] = lhs[b] x rhs[b] for row-major matrices: lhs is [m, k], rhs [k, n], out [m, n].
///
/// Strides count elements; kDense stands for the stride of an array without gaps. A batch stride of 0 uses
/// one matrix for every b. `transpose_lhs`: lhs is stored as [k, m]; `transpose_rhs`: rhs is stored as [n,
/// k]; row strides are those of the stored matrix.
struct MatmulDescription {
  static constexpr int64_t kDense = -1;

  int64_t batch = 1, m = 1, n = 1, k = 1;
  ElementType lhs_type = ElementType::kF32, rhs_type = ElementType::kF32, out_type = ElementType::kF32;
  bool transpose_lhs = false, transpose_rhs = false;
  int64_t lhs_row_stride = kDense, rhs_row_stride = kDense, out_row_stride = kDense;
  int64_t lhs_batch_stride = kDense, rhs_batch_stride = kDense, out_batch_stride = kDense;

  /// This with every kDense replaced by the number it stands for.
  MatmulDescription WithStrides() const;
  int64_t multiply_adds() const;  ///< saturates
  std::string ToString() const;   ///< "2 x f32[3,4] x transposed f32[5,4] -> f32"
};

/// True if some variant takes it. Types: f32, f64, c64, c128, s32 alike; f16 or bf16 operands (alike, or one
/// of them f32) to themselves or f32, accumulated in f32 and rounded once; s8 or u8 operands to s32, exact
/// modulo 2^32. Records kDotLibrary with the
/// variant, or with why there is none.
bool CanTakeMatmul(const MatmulDescription& description, decision::Log* log = nullptr,
                   int64_t instruction = -1);

/// A product cut into tiles. Immutable. Threads: any number may run tiles at once, each tile once per
/// product.
class Matmul {
 public:
  /// Takes the best variant that can, or the one that SUBFLOOR_MATMUL names (an error if it cannot).
  /// Errors: not supported, if CanTakeMatmul says no; bad input for a negative size or an unknown
  /// SUBFLOOR_MATMUL.
  static Result<std::unique_ptr<const Matmul>> Create(const MatmulDescription& description);
  virtual ~Matmul() = default;

  const MatmulDescription& description() const { return description_; }  ///< with its strides
  virtual std::string_view variant() const = 0;

  /// Depends on the shape only. Zero if the result is empty.
  virtual int64_t tile_count() const = 0;
  /// Computes one piece of the result on the calling thread. Buffers as described; none overlaps `out`.
  /// False, with nothing written, if there was no memory to work in.
  [[nodiscard]] virtual bool RunTile(int64_t tile, const void* lhs, const void* rhs, void* out) const = 0;

 protected:
  explicit Matmul(const MatmulDescription& description) : description_(description) {}

 private:
  MatmulDescription description_;
};

/// All variants, best first, one a line: name, what it takes, whether this machine can run it.
std::string ListMatmulVariants();

}  // namespace subfloor::libraries
