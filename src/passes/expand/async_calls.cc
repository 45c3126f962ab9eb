#include "passes/expand/async_calls.h"

#include <ranges>

#include "passes/expand/replace.h"

namespace subfloor::passes {

using hlo::Builder;
using hlo::Instruction;
using hlo::Opcode;

Result<bool> ExpandAsyncCalls(hlo::Module& module, PassContext& context) {
  // The -done halves go first: the value is made where it is needed, if everything it needs is there.
  const auto start_of = [](const Instruction& op) -> Instruction* {
    Instruction* start = op.operand(0);
    while (start->opcode() == Opcode::kAsyncUpdate && start->operand_count() == 1) start = start->operand(0);
    return start;
  };
  const auto wanted = [&](const Instruction& op) {
    if (op.opcode() == Opcode::kCopyDone) return op.operand(0)->opcode() == Opcode::kCopyStart;
    if (op.opcode() != Opcode::kAsyncDone) return false;
    const Instruction* start = start_of(op);
    return start->opcode() == Opcode::kAsyncStart &&
           start->operand_count() == start->called()->parameter_count();
  };
  const bool changed =
      SF_TRY(ReplaceEach(module, wanted, [&](Builder& b, Instruction& op) -> Result<Instruction*> {
        if (op.opcode() == Opcode::kCopyDone) return b.Copy(op.operand(0)->operand(0));
        Instruction* start = start_of(op);
        return b.Call(start->operands(), start->called());
      }));
  if (!changed) return false;
  // First halves have effects if what they call has; they are gone only if removed here, updates before
  // starts.
  for (hlo::Computation* computation : module.computations()) {
    std::vector<Instruction*> order = computation->MakePostOrder();
    for (Instruction* op : std::views::reverse(order)) {
      const bool first_half = op->opcode() == Opcode::kAsyncStart || op->opcode() == Opcode::kAsyncUpdate ||
                              op->opcode() == Opcode::kCopyStart;
      if (!first_half || op->use_count() > 0 || op->IsRoot()) continue;
      op->RemoveControlEdges();
      computation->Remove(op);
    }
  }
  return true;
}

}  // namespace subfloor::passes
