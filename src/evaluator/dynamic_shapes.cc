// Bounded dynamic dimensions. Every value here fills its bound: literals carry no sizes beside their shape,
// so a dimension that is set to less than its bound is refused.

#include "evaluator/op_functions.h"
#include "types/narrow.h"

namespace subfloor::evaluator {

Result<Literal> EvaluateGetDimensionSize(Context& context, const hlo::Instruction& instruction,
                                         Operands operands) {
  const int64_t size = operands[0]->shape().dimension(instruction.dimensions()[0]);
  return Literal::Scalar<int32_t>(static_cast<int32_t>(size));
}

Result<Literal> EvaluateSetDimensionSize(Context& context, const hlo::Instruction& instruction,
                                         Operands operands) {
  const int64_t dimension = instruction.dimensions()[0];
  const int64_t bound = operands[0]->shape().dimension(dimension), size = GetAsInt(*operands[1], 0);
  if (size != bound) {
    return NotSupported("dimension {} of {} set to {}: only its bound {} is evaluated", dimension,
                        operands[0]->shape().ToString(), size, bound);
  }
  return operands[0]->Reshaped(instruction.shape());
}

Result<Literal> EvaluateDynamicReshape(Context& context, const hlo::Instruction& instruction,
                                       Operands operands) {
  const Shape& shape = instruction.shape();
  for (size_t i = 1; i < operands.size(); ++i) {
    const int64_t size = GetAsInt(*operands[i], 0), bound = shape.dimension(static_cast<int64_t>(i) - 1);
    if (size != bound) {
      return NotSupported("dimension {} of {} given as {}: only its bound {} is evaluated", i - 1,
                          shape.ToString(), size, bound);
    }
  }
  if (operands[0]->shape().element_count() != shape.element_count()) {
    return BadInput("{} reshaped to {}", operands[0]->shape().ToString(), shape.ToString());
  }
  return operands[0]->Reshaped(shape);
}

}  // namespace subfloor::evaluator
