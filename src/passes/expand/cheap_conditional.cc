#include "passes/expand/cheap_conditional.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "passes/expand/replace.h"

namespace subfloor::passes {
namespace {

using hlo::Builder;
using hlo::Instruction;
using hlo::Opcode;

constexpr int64_t kMostOperations = 8;
constexpr int64_t kMostElements = 1024;

bool IsCheap(const hlo::Computation& branch) {
  int64_t operations = 0;
  for (const Instruction* op : branch.instructions()) {
    if (!op->control_predecessors().empty() || !op->control_successors().empty()) return false;
    if (op->shape().IsArray() && op->shape().element_count() > kMostElements) return false;
    switch (op->opcode()) {
      case Opcode::kParameter:
      case Opcode::kGetTupleElement:
      case Opcode::kConstant:
        break;
      case Opcode::kTuple:
        if (!op->IsRoot()) return false;
        break;
      default:
        if (!op->IsElementwise()) return false;
        if (++operations > kMostOperations) return false;
    }
  }
  const Shape& result = branch.root()->shape();
  if (result.IsArray()) return true;
  return result.IsTuple() &&
         std::ranges::all_of(result.tuple_shapes(), [](const Shape& s) { return s.IsArray(); });
}

Instruction* Inlined(Builder& b, const hlo::Computation& branch, Instruction* argument) {
  absl::flat_hash_map<const Instruction*, Instruction*> values;
  for (const Instruction* op : branch.MakePostOrder()) {
    if (op->IsParameter()) {
      values[op] = argument;
      continue;
    }
    std::vector<Instruction*> operands;
    for (const Instruction* operand : op->operands()) operands.push_back(values[operand]);
    values[op] = b.computation()->AddClone(*op, op->shape(), operands);
  }
  return values[branch.root()];
}

}  // namespace

Result<bool> ExpandCheapConditional(hlo::Module& module, PassContext& context) {
  const auto wanted = [](const Instruction& op) {
    return op.opcode() == Opcode::kConditional && IsPred(op.operand(0)->shape().element_type()) &&
           op.called_computations().size() == 2 && IsCheap(*op.called(0)) && IsCheap(*op.called(1));
  };
  return ReplaceEach(module, wanted, [](Builder& b, Instruction& op) -> Result<Instruction*> {
    Instruction* pred = op.operand(0);
    Instruction* on_true = Inlined(b, *op.called(0), op.operand(1));
    Instruction* on_false = Inlined(b, *op.called(1), op.operand(2));
    if (!op.shape().IsTuple()) return b.Select(pred, on_true, on_false);
    std::vector<Instruction*> chosen;
    for (int64_t i = 0; i < op.shape().tuple_size(); ++i) {
      chosen.push_back(b.Select(pred, b.GetTupleElement(on_true, i), b.GetTupleElement(on_false, i)));
    }
    return b.Tuple(chosen);
  });
}

}  // namespace subfloor::passes
