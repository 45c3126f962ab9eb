#include "codegen/emitters/gpu/gpu_kernel.h"

/// Updates in place: the threads go over the updates alone; the rest of the arrays is where it was.
namespace subfloor::codegen::emitters {

Status EmitGpuInPlaceUpdate(GpuKernel& kernel, const dispatch::InPlaceUpdatePlan& plan) {
  Emission& e = kernel.emission;
  indexing::Context& c = e.exprs();
  const Shape& shape = plan.updates[0]->operand(1)->shape();
  return kernel.InLogicalBlock([&](Expr block) -> Status {
    return kernel.ForOwnElements(block, plan.elements, plan.vector, [&](Expr linear) -> Status {
      const Index index = c.Delinearize(linear, shape.dimensions());
      struct Stored {
        Element value;
        Expr offset;
      };
      // All are computed before any is written: they may read what they overwrite.
      std::vector<Stored> stores;
      for (const hlo::Instruction* update : plan.updates) {
        Element value = SF_TRY(e.Value(kernel.frame, *update->operand(1), index));
        Index moved = index;
        for (size_t d = 0; d < moved.size(); ++d)
          moved[d] = c.Add(moved[d], SF_TRY(e.Start(kernel.frame, *update, static_cast<int64_t>(d), {})));
        stores.push_back({value, c.Linearize(moved, update->shape().dimensions())});
      }
      const mlir::Location outer = e.b().getLoc();
      for (size_t i = 0; i < stores.size(); ++i) {
        e.b().setLoc(e.LocationOf(*plan.updates[i]));
        e.Store(stores[i].value, kernel.outputs[i].buffer, stores[i].offset);
      }
      e.b().setLoc(outer);
      return {};
    });
  });
}

}  // namespace subfloor::codegen::emitters
