#include "passes/expand/stochastic_convert.h"

#include <cmath>

#include "passes/expand/replace.h"

namespace subfloor::passes {

using hlo::Builder;
using hlo::ComparisonDirection;
using hlo::Instruction;

Result<bool> ExpandStochasticConvert(hlo::Module& module, PassContext& context) {
  const auto wanted = [](const Instruction& op) { return op.opcode() == hlo::Opcode::kStochasticConvert; };
  return ReplaceEach(module, wanted, [](Builder& b, Instruction& op) -> Result<Instruction*> {
    if (!IsSigned(op.shape().element_type())) {
      return NotSupported("stochastic-convert to {}; signed integers work",
                          ToString(op.shape().element_type()));
    }
    Instruction *x = op.operand(0), *random = op.operand(1);
    const ElementType type = x->shape().element_type(), bits = random->shape().element_type();
    if (BitWidth(type) < 32) x = b.Convert(x, ElementType::kF32);
    const Shape shape = x->shape();
    Instruction* magnitude = b.Abs(x);
    Instruction* whole = b.Floor(magnitude);
    // The rest times 2^width is below 2^width and exact. Whether random < rest is asked in integers: random
    // counts as less where it is below the rest rounded up, and a rest of 0 is never reached.
    Instruction* rest =
        b.Multiply(b.Subtract(magnitude, whole), b.Full(shape, std::ldexp(1.0, BitWidth(bits))));
    Instruction* threshold = b.Convert(b.Ceil(rest), bits);
    Instruction* up = b.Compare(random, threshold, ComparisonDirection::kLt);
    Instruction* rounded = b.Select(up, b.Add(whole, b.Full(shape, 1)), whole);
    // What has no fraction stays: infinities (whose rest is NaN) and everything large.
    rounded = b.Select(b.IsFinite(magnitude), rounded, magnitude);
    Instruction* negative = b.Compare(x, b.Full(shape, 0), ComparisonDirection::kLt);
    return b.Convert(b.Select(negative, b.Negate(rounded), rounded), op.shape().element_type());
  });
}

}  // namespace subfloor::passes
