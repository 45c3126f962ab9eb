#include "passes/expand/cheap_conditional.h"

#include <algorithm>
#include <optional>

#include "passes/expand/replace.h"
#include "passes/inline_body.h"

namespace subfloor::passes {
namespace {

using hlo::Builder;
using hlo::Instruction;
using hlo::Opcode;

constexpr int64_t kMostOperations = 8;
constexpr int64_t kMostElements = 1024;

struct Cost {
  int64_t operations = 0, most_elements = 0;
};

// Nothing if it is more than a few elementwise ops on small arrays.
std::optional<Cost> CostOf(const hlo::Computation& branch) {
  Cost cost;
  for (const Instruction* op : branch.instructions()) {
    if (!op->control_predecessors().empty() || !op->control_successors().empty()) return std::nullopt;
    if (op->shape().IsArray()) cost.most_elements = std::max(cost.most_elements, op->shape().element_count());
    if (cost.most_elements > kMostElements) return std::nullopt;
    switch (op->opcode()) {
      case Opcode::kParameter:
      case Opcode::kGetTupleElement:
      case Opcode::kConstant:
        break;
      case Opcode::kTuple:
        if (!op->IsRoot()) return std::nullopt;
        break;
      default:
        if (!op->IsElementwise()) return std::nullopt;
        if (++cost.operations > kMostOperations) return std::nullopt;
    }
  }
  const Shape& result = branch.root()->shape();
  const bool arrays = result.IsArray() ||
                      (result.IsTuple() && std::ranges::all_of(result.tuple_shapes(),
                                                               [](const Shape& s) { return s.IsArray(); }));
  return arrays ? std::optional(cost) : std::nullopt;
}

// What both branches cost together; nothing if one holds what is not cheap.
std::optional<Cost> CostOfBranches(const Instruction& conditional) {
  Cost both;
  for (const hlo::Computation* branch : conditional.called_computations()) {
    const std::optional<Cost> cost = CostOf(*branch);
    if (!cost) return std::nullopt;
    both.operations += cost->operations;
    both.most_elements = std::max(both.most_elements, cost->most_elements);
  }
  return both;
}

Instruction* Inlined(Builder& b, const hlo::Computation& branch, Instruction* argument) {
  return CopyBody(branch, {{argument}}, *b.computation())[branch.root()];
}

}  // namespace

Result<bool> ExpandCheapConditional(hlo::Module& module, PassContext& context) {
  const auto wanted = [&context](const Instruction& op) {
    if (op.opcode() != Opcode::kConditional || !IsPred(op.operand(0)->shape().element_type()) ||
        op.called_computations().size() != 2) {
      return false;
    }
    using decision::Fact, decision::Question;
    const std::optional<Cost> cost = CostOfBranches(op);
    if (!cost)
      return decision::Decide(context.log, Question::kSelectBranches, false, Fact::kDearBranches, 0, 0,
                              op.id());
    return decision::Decide(context.log, Question::kSelectBranches, true, Fact::kCheapBranches,
                            cost->operations, cost->most_elements, op.id());
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
