#include <map>

#include "codegen/emitters/gpu/gpu_kernel.h"

/// Loop: each thread computes as many neighbouring elements of the results as the plan's vector has lanes.
namespace subfloor::codegen::emitters {

Status EmitGpuLoop(GpuKernel& kernel, const dispatch::LoopPlan& plan) {
  Emission& e = kernel.emission;
  indexing::Context& c = e.exprs();
  // Outputs by size: a smaller one has its first elements written by the threads that come first.
  std::map<int64_t, std::vector<size_t>, std::greater<>> by_size;
  for (size_t i = 0; i < kernel.outputs.size(); ++i)
    by_size[kernel.outputs[i].shape->element_count()].push_back(i);
  return kernel.InLogicalBlock([&](Expr block) -> Status {
    Expr thread = c.Add(kernel.Thread(sf::Dimension::x), c.Mul(block, kernel.launch.block[0]));
    for (const auto& [count, outputs] : by_size) {
      if (count == 0) continue;
      const int64_t units = dispatch::CeilDiv(count, plan.vector);
      SF_CHECK(kernel.Where(thread, 0, units - 1, [&]() -> Status {
        Expr first = c.Mul(kernel.Within(thread, units), plan.vector);
        if (count % plan.vector == 0) {
          Expr linear = plan.vector == 1 ? first : c.Add(first, e.NewLane(plan.vector));
          return kernel.ComputeAndStore(outputs, linear);
        }
        // The last unit is not whole: element by element.
        SF_CHECK(e.Loop(0, plan.vector, {}, [&](Expr i, mlir::ValueRange) -> Result<Values> {
          Expr linear = c.Add(first, i);
          SF_CHECK(kernel.Where(linear, 0, count - 1, [&] {
            return kernel.ComputeAndStore(outputs, kernel.Within(linear, count));
          }));
          return Values{};
        }));
        return {};
      }));
    }
    return {};
  });
}

}  // namespace subfloor::codegen::emitters
