#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "device/description/device_description.h"
#include "hlo/instruction.h"

namespace subfloor::dispatch {

/// A reduce seen as one over three dimensions, in the order in which its operand lies in memory.
///   row    {a, b, c}: a and c are reduced, the output is [b]
///   column {a, b, c}: b is reduced, the output is [a, c]
struct ReductionShape {
  enum class Kind : uint8_t { kRow, kColumn };
  Kind kind = Kind::kRow;
  std::array<int64_t, 3> dims = {1, 1, 1};

  bool is_row() const { return kind == Kind::kRow; }
  bool operator==(const ReductionShape&) const = default;
  std::string ToString() const;
};

/// The shape of any reduce. For one whose dimensions do not lie together (neither kept nor reduced ones) the
/// result does not describe it: see ReducesContiguously.
ReductionShape ReductionShapeOf(const hlo::Instruction& reduce);

/// Kept dimensions lie together in memory, or reduced ones do. Dimensions of size 1 lie anywhere.
bool ReducesContiguously(const hlo::Instruction& reduce);

/// What is wrong with a reduction for the tiled emitters, with the number found and the one wanted.
struct ReductionProblem {
  enum class What : uint8_t {
    kNone,
    kNotContiguous,
    kEmpty,
    kRowTooShort,     ///< found c, wants a warp, or a divisor of one
    kColumnTooShort,  ///< found b, wants at least
    kRowTooLong,      ///< found c; one block takes at most
    kBatchTooLarge,   ///< found a; one block takes at most
    kColumnTooLong    ///< found b; one block takes at most
  };
  What what = What::kNone;
  int64_t found = 0, wanted = 0;
};

/// Whether tiles beat a loop of one thread an output.
ReductionProblem TiledIsSlower(const ReductionShape& shape, const device::DeviceDescription& device);
/// Whether one block reaches all that an output needs without going round again.
ReductionProblem NotOneBlock(const ReductionShape& shape, const device::DeviceDescription& device);

/// Whether a reduce that a root is computed from makes the fusion a reduction: its dimensions lie together,
/// tiles are faster, and, if anything follows it on the way to the root, one block makes each output.
ReductionProblem WhyNoReductionHero(const hlo::Instruction& root, const hlo::Instruction& hero,
                                    const device::DeviceDescription& device);

}  // namespace subfloor::dispatch
