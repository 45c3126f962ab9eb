#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "codegen/emitters/emission.h"
#include "codegen/emitters/kernel.h"
#include "dispatch/gpu_dispatch.h"
#include "mlir/IR/BuiltinOps.h"

/// Kernels for GPUs: one emitter a file, each writing what one thread does by the launch plan that dispatch
/// made. Elements come from the same Emission as on the CPU.
namespace subfloor::codegen::emitters {

/// A kernel while it is written. The builder stands in its body; the caller adds the return.
struct GpuKernel {
  const KernelJob& job;
  const dispatch::GpuChoice& choice;  ///< heroes and plan
  const dispatch::Launch& launch;
  Emission& emission;
  Frame& frame;                 ///< of the fusion body; its parameters are buffers
  std::vector<Output> outputs;  ///< of the root, or of the operands of the root tuple

  /// This thread's and this block's number along x, y or z, with its range.
  Expr Thread(sf::Dimension dimension);
  Expr Block(sf::Dimension dimension);
  /// body(number of this logical block, in [0, launch.blocks)); blocks to spare do nothing.
  Status InLogicalBlock(const std::function<Status(Expr)>& body);

  /// `value`, known to lie in [0, count) where the builder stands.
  Expr Within(Expr value, int64_t count);

  /// The root of the fusion (dispatch::FusionView) that output leaf `leaf` is a result of: an op of several
  /// results is one root, and its first result begins it.
  size_t RootOf(size_t leaf) const;
  /// For loops over elements: body(linear position) for this thread's elements of [0, count), `vector`
  /// neighbouring ones a thread, in lanes where that divides the count and one by one where it does not. Only
  /// inside of InLogicalBlock, whose block number `block` is.
  Status ForOwnElements(Expr block, int64_t count, int64_t vector, const std::function<Status(Expr)>& body);

  /// body() where all bounds hold, nothing where they do not. No test is made for what is known to hold.
  Status Where(std::span<const indexing::Bound> bounds, const std::function<Status()>& body);
  Status Where(Expr value, int64_t low, int64_t high, const std::function<Status()>& body);

  /// The element of each of these outputs at linear position `linear`, or lanes of them, all computed before
  /// any is stored.
  Status ComputeAndStore(std::span<const size_t> which, Expr linear);

  /// Memory shared by the block. Accesses: Emission::Load and Store.
  mlir::Value Shared(ElementType element, std::span<const int64_t> sizes);
  void Barrier();
};

/// Writes sf.kernel @symbol for `job` into `module`, with the grid and block of the plan. Errors: not
/// supported, naming the op, among them arrays that are not row-major.
Status EmitGpuKernel(mlir::ModuleOp module, const KernelJob& job, const dispatch::GpuChoice& choice,
                     const std::string& symbol, decision::Log* log);

// The emitters, one file each.
Status EmitGpuLoop(GpuKernel& kernel, const dispatch::LoopPlan& plan);
Status EmitGpuConcatenate(GpuKernel& kernel, const dispatch::ConcatenatePlan& plan);
Status EmitGpuInPlaceUpdate(GpuKernel& kernel, const dispatch::InPlaceUpdatePlan& plan);
Status EmitGpuRowReduction(GpuKernel& kernel, const dispatch::RowReductionPlan& plan);
Status EmitGpuMultiRowReduction(GpuKernel& kernel, const dispatch::MultiRowReductionPlan& plan);
Status EmitGpuColumnReduction(GpuKernel& kernel, const dispatch::ColumnReductionPlan& plan);
Status EmitGpuSmallColumnReduction(GpuKernel& kernel, const dispatch::SmallColumnReductionPlan& plan);
Status EmitGpuTiledTranspose(GpuKernel& kernel, const dispatch::TiledTransposePlan& plan);
Status EmitGpuScatter(GpuKernel& kernel, const dispatch::ScatterPlan& plan);

}  // namespace subfloor::codegen::emitters
