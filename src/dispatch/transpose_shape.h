#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/instruction.h"

namespace subfloor::dispatch {

/// A transpose with all that does not matter taken out: no dimensions of size 1, and runs that stay together
/// and in order are one. Output dimension i is input dimension permutation[i].
struct TransposeShape {
  const hlo::Instruction* transpose = nullptr;
  std::vector<int64_t> output, permutation;
  int64_t element_bits = 0;

  int64_t rank() const { return static_cast<int64_t>(output.size()); }
  std::vector<int64_t> input() const;
  bool minor_moves() const { return permutation.back() != rank() - 1; }
  /// Tiles of the one serve the other.
  bool SameTiles(const TransposeShape& other) const {
    return output == other.output && permutation == other.permutation && element_bits == other.element_bits;
  }
};

/// The narrow types' way: output [.. T1 .. A T2 B] of input [.. T2 .. A T1 B], where B is what stays minor (1
/// when the minor dimension moves) and A stands above T1. Tiles of T2 rows and A x T1 columns are packed into
/// shared memory of 32 banks.
struct PackedTransposeShape {
  std::vector<int64_t> output, input;           ///< canonical, with A and B put in where they were missing
  std::vector<int64_t> permutation;             ///< output dimension i is input dimension permutation[i]
  int64_t t1_output = 0, t2_output = 0, a = 0;  ///< which output dimensions these are; A is the same in both
  int64_t t1_input = 0, t2_input = 0;           ///< and which input dimensions
  int64_t vector = 1;                           ///< elements of one bank
  int64_t tile_t1 = 1, tile_a = 1, tile_t2 = 1;
};

/// What is wrong with a transpose for the tiled emitters, with the number found and the one wanted.
struct TransposeProblem {
  enum class What : uint8_t {
    kNone,
    kNotTransposed,  ///< no transpose, or one that moves nothing
    kNotRowMajor,
    kMinorTooSmall,     ///< a minor dimension, old or new: found, wants
    kUnmovedTooWide,    ///< bits of the minor dimension that stays: found, at most
    kUnmovedTooNarrow,  ///< bits of it times the dimension above: found, wants
    kFourBits
  };
  What what = What::kNone;
  int64_t found = 0, wanted = 0;
};

/// The dimensions of a transpose, or nullopt for one that moves nothing, for a layout that is not row-major,
/// and for any other op.
std::optional<TransposeShape> NormalizedTranspose(const hlo::Instruction& instruction);

/// The packed form, if the transpose fills enough of a tile.
std::optional<PackedTransposeShape> PackTranspose(const TransposeShape& shape);

/// kNone if one of the two transpose emitters takes the op.
TransposeProblem WhyNoTiledTranspose(const hlo::Instruction& instruction);
/// The shape if there is no such problem.
std::optional<TransposeShape> TiledTranspose(const hlo::Instruction& instruction);

}  // namespace subfloor::dispatch
