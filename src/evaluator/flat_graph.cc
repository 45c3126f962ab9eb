#include "evaluator/flat_graph.h"

#include "evaluator/plan.h"

namespace subfloor::evaluator {
namespace {

using hlo::Instruction;
using hlo::Opcode;

class Flattener {
 public:
  explicit Flattener(FlatGraph& graph) : graph_(graph) {}

  Result<std::vector<ValueRef>> Expand(const hlo::Computation& computation,
                                       const std::vector<std::vector<ValueRef>>* arguments, int depth) {
    constexpr int kDepthLimit = 200;
    if (depth > kDepthLimit) return NotSupported("calls nested deeper than {} are not sampled", kDepthLimit);
    const Plan plan = MakePlan(computation);
    std::vector<std::vector<ValueRef>> values(plan.steps.size());
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      const Plan::Step& step = plan.steps[i];
      const Instruction& instruction = *step.instruction;
      std::vector<std::vector<ValueRef>> operands;
      for (int32_t slot : step.operands) operands.push_back(values[static_cast<size_t>(slot)]);
      switch (instruction.opcode()) {
        case Opcode::kParameter:
          values[i] = arguments != nullptr ? (*arguments)[static_cast<size_t>(instruction.parameter_number())]
                                           : AddNode(instruction, {});
          break;
        case Opcode::kTuple:
          for (const std::vector<ValueRef>& operand : operands) {
            values[i].insert(values[i].end(), operand.begin(), operand.end());
          }
          break;
        case Opcode::kGetTupleElement:
          values[i] = Element(instruction, operands[0]);
          break;
        case Opcode::kOptBarrier:
        case Opcode::kDomain:
        case Opcode::kCopy:
        case Opcode::kAddDependency:
          values[i] = operands[0];
          break;
        case Opcode::kCall:
        case Opcode::kFusion:
          values[i] = SF_TRY(Expand(*instruction.called(), &operands, depth + 1));
          break;
        default:
          values[i] = AddNode(instruction, std::move(operands));
          break;
      }
    }
    return values[static_cast<size_t>(plan.root_slot)];
  }

 private:
  std::vector<ValueRef> AddNode(const Instruction& instruction, std::vector<std::vector<ValueRef>> operands) {
    const auto node = static_cast<int32_t>(graph_.nodes.size());
    graph_.nodes.push_back({&instruction, std::move(operands)});
    std::vector<ValueRef> value;
    const auto leaves = static_cast<int32_t>(LeafCount(instruction.shape()));
    for (int32_t leaf = 0; leaf < leaves; ++leaf) value.push_back({node, leaf});
    return value;
  }

  static std::vector<ValueRef> Element(const Instruction& instruction, const std::vector<ValueRef>& tuple) {
    const Shape& shape = instruction.operand(0)->shape();
    const int64_t index = instruction.As<hlo::GetTupleElementAttributes>().index;
    size_t first = 0;
    for (int64_t e = 0; e < index; ++e) first += static_cast<size_t>(LeafCount(shape.tuple_shape(e)));
    const auto count = static_cast<size_t>(LeafCount(shape.tuple_shape(index)));
    return {tuple.begin() + static_cast<std::ptrdiff_t>(first),
            tuple.begin() + static_cast<std::ptrdiff_t>(first + count)};
  }

  FlatGraph& graph_;
};

}  // namespace

Result<FlatGraph> Flatten(const hlo::Computation& computation) {
  FlatGraph graph;
  Flattener flattener(graph);
  graph.results = SF_TRY(flattener.Expand(computation, nullptr, 0));
  return graph;
}

}  // namespace subfloor::evaluator
