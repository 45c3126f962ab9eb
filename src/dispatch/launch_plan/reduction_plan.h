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
#include "dispatch/reduction_shape.h"

namespace subfloor::dispatch {

/// Which roots are made by the same blocks. Roots that share what they are computed from form a group; groups
/// run side by side, one a block z.
struct ReductionGroups {
  int64_t count = 1;
  std::vector<int64_t> group_of_root;
  std::vector<bool>
      is_reduction;  ///< by root: its hero is reduced; else a side output, written in input order
};

/// What the four reductions share. Every output is made by one block, so there are no atomics; each thread
/// folds its own part, lanes fold by shuffles, warps through shared memory where there are several.
struct ReductionPlanBase {
  Launch launch;
  ReductionShape shape;
  ReductionGroups groups;
  const hlo::Instruction* hero = nullptr;  ///< the first; the others have the same shape
  int64_t vector = 1;                      ///< neighbouring elements a thread reads at once
};

/// Shape {a, b, c}: a block makes kept_threads outputs, each with reduced_threads threads. Logical block n
/// owns kept [n * kept_threads, +kept_threads). Thread t is (t / reduced_threads, t % reduced_threads) =
/// (kept, r) and goes through a x tile vectors: element ((i * reduced_threads + r) * vector + v) of c for i <
/// tile.
struct RowReductionPlan : ReductionPlanBase {
  int64_t kept_threads = 1;
  int64_t reduced_threads = 32;  ///< whole warps
  int64_t tile = 1;              ///< vectors of c a thread goes through, bounds checked
  int64_t warps_per_row() const { return reduced_threads / warp; }
  int64_t warp = 32;
  std::vector<int64_t> shared_sizes;  ///< [kept_threads, warps_per_row], or empty: one warp a row needs none
};

/// c fits a warp's vectors and is a power of two: several outputs a warp. Thread t is (t / reduced_threads,
/// t % reduced_threads); reduced_threads * vector == c; one shuffle from reduced_threads / 2; thread 0 of
/// each row stores.
struct MultiRowReductionPlan : ReductionPlanBase {
  int64_t kept_threads = 1;
  int64_t reduced_threads = 1;
};

/// Shape {a, b, c}: logical block n owns (n / minor_blocks, n % minor_blocks) = (a, 32 * vector columns of
/// c). Thread t is (t / 32, t % 32) = (row, lane): it folds elements row + 32 * i of b for i < tile at
/// columns lane * vector + v; the partial results cross shared memory transposed, and a warp folds each
/// column.
struct ColumnReductionPlan : ReductionPlanBase {
  int64_t rows = 32;  ///< threads along b
  int64_t tile = 1;   ///< elements of b a thread folds
  int64_t minor_blocks = 1;
  std::vector<int64_t> shared_sizes;  ///< [rows, columns padded]
};

/// c divides a warp: a block makes one a. Its threads go over [b, c] as over one line: element ((i * threads
/// + t)
/// * vector + v) for i < tile, which always lies in the same column; shared_rows partial results a column.
struct SmallColumnReductionPlan : ReductionPlanBase {
  int64_t threads = 128;
  int64_t tile = 1;
  int64_t shared_rows = 32;           ///< partial results of a column; at most 32, folded by one shuffle
  std::vector<int64_t> shared_sizes;  ///< [shared_rows, c padded]
};

using ReductionPlan = std::variant<std::monostate, RowReductionPlan, MultiRowReductionPlan,
                                   ColumnReductionPlan, SmallColumnReductionPlan>;

/// Plans the reduction of a fusion whose roots have these heroes. Empty when shared memory or the grid does
/// not suffice; the log says which.
ReductionPlan PlanReduction(const FusionView& fusion, std::span<const hlo::Instruction* const> heroes,
                            const hlo::Instruction& hero, const device::DeviceDescription& device,
                            const Asker& ask);

/// Groups the roots of a fusion with these heroes.
ReductionGroups GroupReductions(const FusionView& fusion, std::span<const hlo::Instruction* const> heroes,
                                const device::DeviceDescription& device);

}  // namespace subfloor::dispatch
