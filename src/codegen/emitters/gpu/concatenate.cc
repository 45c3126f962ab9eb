#include "codegen/emitters/gpu/gpu_kernel.h"

/// Concatenate: a thread's number means elements of an operand, and it goes through the operands one by one,
/// so that no element asks which operand it comes from.
namespace subfloor::codegen::emitters {

Status EmitGpuConcatenate(GpuKernel& kernel, const dispatch::ConcatenatePlan& plan) {
  indexing::Context& c = kernel.emission.exprs();
  const hlo::Instruction& concatenate = *plan.concatenate;
  const auto dimension = static_cast<size_t>(concatenate.dimensions()[0]);
  const std::vector<size_t> output = {0};
  return kernel.InLogicalBlock([&](Expr block) -> Status {
    int64_t first = 0;
    for (const hlo::Instruction* operand : concatenate.operands()) {
      const Shape& shape = operand->shape();
      SF_CHECK(kernel.ForOwnElements(block, shape.element_count(), plan.vector, [&](Expr linear) {
        Index index = c.Delinearize(linear, shape.dimensions());
        index[dimension] = c.Add(index[dimension], first);
        return kernel.ComputeAndStore(output, c.Linearize(index, concatenate.shape().dimensions()));
      }));
      first += shape.dimension(static_cast<int64_t>(dimension));
    }
    return {};
  });
}

}  // namespace subfloor::codegen::emitters
