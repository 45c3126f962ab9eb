#include "codegen/emitters/gpu/gpu_kernel.h"

/// Concatenate: a thread's number means elements of an operand, and it goes through the operands one by one,
/// so that no element asks which operand it comes from.
namespace subfloor::codegen::emitters {

Status EmitGpuConcatenate(GpuKernel& kernel, const dispatch::ConcatenatePlan& plan) {
  Emission& e = kernel.emission;
  indexing::Context& c = e.exprs();
  const hlo::Instruction& concatenate = *plan.concatenate;
  const auto dimension = static_cast<size_t>(concatenate.As<hlo::DimensionsAttributes>().dimensions[0]);
  const std::vector<size_t> output = {0};
  return kernel.InLogicalBlock([&](Expr block) -> Status {
    Expr thread = c.Add(kernel.Thread(sf::Dimension::x), c.Mul(block, kernel.launch.block[0]));
    int64_t first = 0;
    for (const hlo::Instruction* operand : concatenate.operands()) {
      const Shape& shape = operand->shape();
      const int64_t units = shape.element_count() / plan.vector;
      if (units > 0) {
        SF_CHECK(kernel.Where(thread, 0, units - 1, [&]() -> Status {
          Expr linear = c.Mul(kernel.Within(thread, units), plan.vector);
          if (plan.vector > 1) linear = c.Add(linear, e.NewLane(plan.vector));
          Index index = c.Delinearize(linear, shape.dimensions());
          index[dimension] = c.Add(index[dimension], first);
          return kernel.ComputeAndStore(output, c.Linearize(index, concatenate.shape().dimensions()));
        }));
      }
      first += shape.dimension(static_cast<int64_t>(dimension));
    }
    return {};
  });
}

}  // namespace subfloor::codegen::emitters
