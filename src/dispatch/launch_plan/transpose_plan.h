#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "device/description/device_description.h"
#include "dispatch/asker.h"
#include "dispatch/fusion_view.h"
#include "dispatch/launch_plan/launch.h"
#include "dispatch/transpose_shape.h"

namespace subfloor::dispatch {

/// Tiles of 32 x 32 (times the vector in both) go through shared memory. A logical block owns the tile whose
/// place among block_counts (row-major over input dimensions) is its number.
struct TiledTransposePlan {
  Launch launch;
  TransposeShape shape;
  std::vector<int64_t> block_sizes;   ///< of the tile, by input dimension
  std::vector<int64_t> block_counts;  ///< tiles, by input dimension
  std::vector<int64_t> shared_sizes;  ///< of the shared array, by input dimension: the tile, padded against
                                      ///< bank conflicts
  int64_t rows = 4;                   ///< rows of the tile that the block's threads take at once
  int64_t vector = 1;                 ///< elements a thread takes at once; all of an unmoved minor dimension
  std::vector<bool> is_transposed;    ///< by root: through shared memory, else written in input order
  std::vector<const hlo::Instruction*> heroes;  ///< the distinct transposes, one shared array each
};

/// Narrow elements: whole banks are moved, 32 * vector rows and columns of elements a tile, columns rotated
/// by row instead of padded. A logical block owns the tile whose place among block_counts (row-major over
/// canonical output dimensions) is its number.
struct PackedTransposePlan {
  Launch launch;
  TransposeShape shape;
  PackedTransposeShape packed;
  std::vector<int64_t> output_tile;   ///< by canonical output dimension
  std::vector<int64_t> block_counts;  ///< tiles, by canonical output dimension
  int64_t vector = 1;                 ///< elements of one bank: 2 for 16 bits, 8 for 4
  int64_t groups = 4;                 ///< groups of 32 threads in a block
  std::vector<bool> is_transposed;
  std::vector<const hlo::Instruction*> heroes;
};

/// Plans the transpose of a fusion whose roots have these heroes, all transposes among them with tiles like
/// `shape`'s. Empty when shared memory or the grid does not suffice; the log says which.
std::variant<std::monostate, TiledTransposePlan, PackedTransposePlan> PlanTranspose(
    const FusionView& fusion, std::span<const hlo::Instruction* const> heroes, const TransposeShape& shape,
    const device::DeviceDescription& device, const Asker& ask);

}  // namespace subfloor::dispatch
