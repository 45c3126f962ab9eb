#include "evaluator/plan.h"

#include <unordered_map>
#include <unordered_set>

namespace subfloor::evaluator {

Plan MakePlan(const hlo::Computation& computation) {
  const std::vector<hlo::Instruction*> order = computation.MakePostOrder();
  std::unordered_set<const hlo::Instruction*> needed;
  needed.insert(computation.root());
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const hlo::Instruction* instruction = *it;
    if (!needed.contains(instruction) && !instruction->HasSideEffect()) continue;
    needed.insert(instruction);
    for (int64_t i = 0; i < instruction->operand_count(); ++i) needed.insert(instruction->operand(i));
  }

  Plan plan;
  plan.computation = &computation;
  std::unordered_map<const hlo::Instruction*, int32_t> slot_of;
  std::vector<int32_t> last_reader;  // by slot: the step after which the value is not read again
  for (const hlo::Instruction* instruction : order) {
    if (!needed.contains(instruction)) continue;
    const auto slot = static_cast<int32_t>(plan.steps.size());
    Plan::Step step{instruction, {}, {}};
    for (int64_t i = 0; i < instruction->operand_count(); ++i) {
      const int32_t operand = slot_of.at(instruction->operand(i));
      step.operands.push_back(operand);
      last_reader[static_cast<size_t>(operand)] = slot;
    }
    slot_of[instruction] = slot;
    last_reader.push_back(slot);
    plan.steps.push_back(std::move(step));
  }
  plan.root_slot = slot_of.at(computation.root());
  for (size_t slot = 0; slot < last_reader.size(); ++slot) {
    if (static_cast<int32_t>(slot) == plan.root_slot) continue;
    plan.steps[static_cast<size_t>(last_reader[slot])].dead.push_back(static_cast<int32_t>(slot));
  }
  return plan;
}

}  // namespace subfloor::evaluator
