#include <map>

#include "codegen/emitters/gpu/gpu_kernel.h"

/// Loop: each thread computes as many neighbouring elements of the results as the plan's vector has lanes.
namespace subfloor::codegen::emitters {

Status EmitGpuLoop(GpuKernel& kernel, const dispatch::LoopPlan& plan) {
  // Outputs by size: a smaller one has its first elements written by the threads that come first.
  std::map<int64_t, std::vector<size_t>, std::greater<>> by_size;
  for (size_t i = 0; i < kernel.outputs.size(); ++i)
    by_size[kernel.outputs[i].shape->element_count()].push_back(i);
  return kernel.InLogicalBlock([&](Expr block) -> Status {
    for (const auto& [count, outputs] : by_size) {
      SF_CHECK(kernel.ForOwnElements(block, count, plan.vector, [&, &outputs = outputs](Expr linear) {
        return kernel.ComputeAndStore(outputs, linear);
      }));
    }
    return {};
  });
}

}  // namespace subfloor::codegen::emitters
