#include "passes/expand/topk.h"

#include "passes/expand/replace.h"

namespace subfloor::passes {

using hlo::Builder;
using hlo::Instruction;

Result<bool> ExpandTopK(hlo::Module& module, PassContext& context) {
  const auto wanted = [](const Instruction& op) { return op.opcode() == hlo::Opcode::kTopK; };
  return ReplaceEach(module, wanted, [&](Builder& b, Instruction& op) -> Result<Instruction*> {
    const auto& attributes = op.As<hlo::TopKAttributes>();
    Instruction* x = op.operand(0);
    const ElementType type = x->shape().element_type();
    const int64_t last = x->shape().rank() - 1;
    const ElementType types[] = {type, ElementType::kS32};
    hlo::Computation* order = hlo::MakeComparator(
        module, attributes.largest ? hlo::ComparisonDirection::kGt : hlo::ComparisonDirection::kLt, types,
        IsFloat(type) ? hlo::ComparisonType::kTotalOrder : hlo::ComparisonType::kDefault);
    Instruction* both[] = {x, b.Iota(x->shape().WithElementType(ElementType::kS32), last)};
    Instruction* sorted = b.Sort(both, last, order, /*is_stable=*/true);
    Instruction* first[2];
    for (int64_t i = 0; i < 2; ++i) {
      first[i] = b.SliceIn(b.GetTupleElement(sorted, i), last, 0, attributes.k);
    }
    return b.Tuple({first[0], first[1]});
  });
}

}  // namespace subfloor::passes
