#include "cpu/step_order.h"

namespace subfloor::cpu {

using hlo::Opcode;

bool OnlyNames(Opcode opcode) {
  switch (opcode) {
    case Opcode::kParameter:
    case Opcode::kConstant:
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kBitcast:
    case Opcode::kReshape:
    case Opcode::kOptBarrier:
    case Opcode::kDomain:
    case Opcode::kAddDependency:
    case Opcode::kAfterAll:
      return true;
    default:
      return false;
  }
}

StepOrder::StepOrder(const ValueFlow& flow) {
  absl::flat_hash_map<const hlo::Instruction*, std::vector<const Transfer*>> before;
  absl::flat_hash_map<const hlo::Computation*, std::vector<const Transfer*>> at_end;
  for (const Transfer& transfer : flow.transfers) {
    if (transfer.place == Transfer::Place::kBefore) {
      before[transfer.instruction].push_back(&transfer);
    } else {
      at_end[transfer.computation].push_back(&transfer);
    }
  }
  // A frame is a computation of which `next` steps are done; a call's steps go to the list of whoever called
  // it.
  struct Frame {
    const hlo::Computation* computation;
    size_t next;
  };
  for (const auto& [computation, schedule] : flow.schedule) {
    std::vector<OrderedStep>& steps = order_[computation];
    std::vector<Frame> frames = {{computation, 0}};
    while (!frames.empty()) {
      const auto [current, next] = frames.back();
      const std::vector<hlo::Instruction*>& order = flow.schedule.at(current);
      if (next == order.size()) {
        if (auto it = at_end.find(current); it != at_end.end()) {
          for (const Transfer* transfer : it->second) steps.push_back({nullptr, transfer});
        }
        frames.pop_back();
        continue;
      }
      ++frames.back().next;
      const hlo::Instruction* instruction = order[next];
      if (auto it = before.find(instruction); it != before.end()) {
        for (const Transfer* transfer : it->second) steps.push_back({nullptr, transfer});
      }
      if (instruction->opcode() == Opcode::kCall) {
        frames.push_back({instruction->called(), 0});
      } else if (!OnlyNames(instruction->opcode())) {
        steps.push_back({instruction, nullptr});
      }
    }
  }
}

}  // namespace subfloor::cpu
