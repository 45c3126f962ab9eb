#include "passes/expand/dynamic_index.h"

#include "passes/expand/replace.h"

namespace subfloor::passes {

using hlo::Builder;
using hlo::Instruction;
using hlo::Opcode;

Result<bool> ExpandDynamicIndex(hlo::Module& module, PassContext& context) {
  const auto first_index = [](const Instruction& op) { return op.opcode() == Opcode::kDynamicSlice ? 1 : 2; };
  const auto wanted = [&](const Instruction& op) {
    if (op.opcode() != Opcode::kDynamicSlice && op.opcode() != Opcode::kDynamicUpdateSlice) return false;
    const int64_t first = first_index(op);
    return op.operand_count() == first + 1 && op.operand(first)->shape().rank() == 1;
  };
  return ReplaceEach(module, wanted, [&](Builder& b, Instruction& op) -> Result<Instruction*> {
    const int64_t first = first_index(op);
    std::vector<Instruction*> starts;
    for (int64_t d = 0; d < op.operand(0)->shape().rank(); ++d) {
      starts.push_back(b.Reshape(b.SliceIn(op.operand(first), 0, d, d + 1), {}));
    }
    if (op.opcode() == Opcode::kDynamicSlice) {
      return b.DynamicSlice(op.operand(0), starts, op.As<hlo::DynamicSliceAttributes>().sizes);
    }
    return b.DynamicUpdateSlice(op.operand(0), op.operand(1), starts);
  });
}

}  // namespace subfloor::passes
