#pragma once

#include <cstdint>

/// What the instruction-set-specific files of this folder offer. They are compiled with flags of their own,
/// so this header holds plain structs and function pointers only: an inline function that is compiled twice
/// could be linked from the wrong file.
namespace subfloor::libraries::gemm {

/// How an operand's elements are stored. kNative is the type the kernel computes in.
enum class Storage : uint8_t { kNative, kF16, kBF16, kS8, kU8 };

struct Operand {
  const void* data;
  Storage storage;
  int64_t row_stride, column_stride;  ///< in elements; one of them is 1
};

/// Fills dst[r * ld + p] with left-hand elements (row + r, column + p), r < rows, p < columns, in the
/// computing type.
using Gather = void (*)(const void* context, int64_t row, int64_t rows, int64_t column, int64_t columns,
                        void* dst, int64_t ld);

/// out[m, n] = lhs[m, k] x rhs[k, n].
struct Tile {
  int64_t m, n, k;
  Operand lhs, rhs;
  Gather gather;  ///< if set, reads lhs instead of `lhs`
  const void* gather_context;
  void* out;
  Storage out_storage;
  int64_t out_row_stride;
  void* scratch;  ///< ScratchBytes(m, n, k) at a multiple of 64
};

/// One instruction set's kernels for one computing type (f32, f64 or s32).
struct Kernels {
  int rows, columns;  ///< of the register block
  /// Sums in blocks of kBlockK along k; blocks are added in order.
  void (*run)(const Tile& tile);
  /// Bytes of Tile::scratch for a tile of these sizes.
  int64_t (*scratch_bytes)(int64_t m, int64_t n, int64_t k);
  /// dst[i] = src[i] in the computing type.
  void (*widen)(Storage storage, const void* src, void* dst, int64_t count);
  /// out[c] = sum over t of inputs[t][c] * weights[t][c], in the computing type.
  void (*sum_of_products)(int64_t terms, const void* const* inputs, const void* const* weights,
                          int64_t channels, void* out);
  /// The inverse of widen for the 16-bit floats, rounding to nearest even.
  void (*narrow)(Storage storage, const void* src, void* dst, int64_t count);
};

struct InstructionSet {
  const char* name;
  Kernels f32, f64, s32;
};

extern const InstructionSet kBaseline;
#if defined(__x86_64__)
extern const InstructionSet kAvx2;
extern const InstructionSet kAvx512;
#endif

constexpr int64_t kBlockK = 256;

}  // namespace subfloor::libraries::gemm
