#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"
#include "decision/decision.h"
#include "device/description/device_description.h"
#include "dispatch/fusion_view.h"
#include "dispatch/gpu_kind.h"
#include "dispatch/launch_plan/launch.h"
#include "dispatch/launch_plan/loop_plan.h"
#include "dispatch/launch_plan/reduction_plan.h"
#include "dispatch/launch_plan/scatter_plan.h"
#include "dispatch/launch_plan/sort_plan.h"
#include "dispatch/launch_plan/transpose_plan.h"

namespace subfloor::dispatch {

/// What an emitter gets. Empty for memcpy and for what another compiler makes (triton, cudnn, custom).
using LaunchPlan =
    std::variant<std::monostate, LoopPlan, ConcatenatePlan, InPlaceUpdatePlan, ScatterPlan,
                 TiledTransposePlan, PackedTransposePlan, RowReductionPlan, MultiRowReductionPlan,
                 ColumnReductionPlan, SmallColumnReductionPlan, SortPlan>;

/// Both decisions about a fusion: what kind it is, and who writes its kernels with which plan. Holds pointers
/// into the computation.
struct GpuChoice {
  GpuKind kind = GpuKind::kLoop;
  GpuEmitter emitter = GpuEmitter::kLoop;
  FusionView fusion;
  /// One a root: the op the root's value is built around; the root itself in loops and where there is none.
  std::vector<const hlo::Instruction*> heroes;
  std::string stamp;  ///< the word that settled it, if one did
  LaunchPlan plan;
};

/// The launch of the first kernel; nullptr when there is none.
const Launch* FirstLaunch(const LaunchPlan& plan);

/// Decides about a fusion instruction, or about a single op as the fusion that would hold it alone. The stamp
/// of the instruction's backend_config settles it unseen; else, in order: a reduction hero whose fellow roots
/// fit? a tiled transpose? more than one root? a scatter root? a sort root? one concatenate? else a loop,
/// which may be a copy or an update in place. A kind whose plan does not fit the device gives way to the
/// next.
///
/// Every question goes to `log` under the instruction's id. Errors: not supported for what no emitter takes.
/// Threads: any number at once.
Result<GpuChoice> ChooseGpuEmitter(const hlo::Instruction& instruction,
                                   const device::DeviceDescription& device, decision::Log* log);
/// The same for a body alone, unstamped; records carry the id `instruction`.
Result<GpuChoice> ChooseGpuEmitter(const hlo::Computation& body, int64_t instruction,
                                   const device::DeviceDescription& device, decision::Log* log);

/// A loop for a fusion that the emitter of its choice does not take: the log says so. Errors: not supported
/// for what is no loop.
Result<GpuChoice> FallBackToLoop(const hlo::Instruction& fusion, const device::DeviceDescription& device,
                                 decision::Log* log);

/// Ops that become a fusion of their own when nothing fused them: named wrapped_<op>.
bool IsFusibleAlone(hlo::Opcode opcode);

}  // namespace subfloor::dispatch
