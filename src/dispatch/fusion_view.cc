#include "dispatch/fusion_view.h"

#include <algorithm>
#include <deque>

#include "absl/container/flat_hash_set.h"

namespace subfloor::dispatch {

using hlo::Instruction;
using hlo::Opcode;

namespace {

bool HoldsTogether(const Instruction* instruction) {
  return instruction->opcode() == Opcode::kTuple || instruction->opcode() == Opcode::kGetTupleElement;
}

}  // namespace

FusionView FusionView::OfBody(const hlo::Computation& body) {
  FusionView view;
  view.body_ = &body;
  for (const Instruction* parameter : body.parameters()) {
    if (parameter) view.parameters_.push_back(parameter);
  }
  std::vector<const Instruction*> pending = {body.root()};
  while (!pending.empty()) {
    const Instruction* value = pending.back();
    pending.pop_back();
    if (value->opcode() == Opcode::kTuple) {
      for (int64_t i = value->operand_count(); i-- > 0;) pending.push_back(value->operand(i));
    } else {
      view.roots_.push_back(view.Resolve(value));
    }
  }
  return view;
}

FusionView FusionView::OfInstruction(const Instruction& instruction) {
  FusionView view;
  view.instruction_ = &instruction;
  view.roots_ = {&instruction};
  for (const Instruction* operand : instruction.operands()) {
    if (std::ranges::find(view.parameters_, operand) == view.parameters_.end()) {
      view.parameters_.push_back(operand);
    }
  }
  return view;
}

bool FusionView::Contains(const Instruction* instruction) const {
  if (!body_) return instruction == instruction_;
  return instruction->parent() == body_ && !instruction->IsParameter() && !HoldsTogether(instruction);
}

const Instruction* FusionView::Resolve(const Instruction* value) const {
  if (!body_) return value;
  while (value->opcode() == Opcode::kGetTupleElement) {
    const Instruction* producer = value->operand(0);
    const int64_t index = value->As<hlo::GetTupleElementAttributes>().index;
    value = producer->opcode() == Opcode::kTuple ? producer->operand(index) : producer;
  }
  return value;
}

std::vector<const Instruction*> FusionView::Operands(const Instruction* instruction) const {
  std::vector<const Instruction*> operands;
  for (const Instruction* operand : instruction->operands()) operands.push_back(Resolve(operand));
  return operands;
}

std::vector<const Instruction*> FusionView::Users(const Instruction* value) const {
  std::vector<const Instruction*> users;
  if (!body_) {
    const auto operands = instruction_->operands();
    if (std::ranges::find(operands, value) != operands.end()) users.push_back(instruction_);
    return users;
  }
  absl::flat_hash_set<const Instruction*> seen;
  // Values that stand for `value`: itself, and the get-tuple-elements that take it out of an op or a tuple.
  std::vector<const Instruction*> pending = {value};
  while (!pending.empty()) {
    const Instruction* current = pending.back();
    pending.pop_back();
    for (const hlo::Use& use : current->uses()) {
      if (use.user->opcode() == Opcode::kGetTupleElement) {
        if (seen.insert(use.user).second) pending.push_back(use.user);
      } else if (use.user->opcode() == Opcode::kTuple) {
        for (const hlo::Use& out : use.user->uses()) {
          if (out.user->opcode() == Opcode::kGetTupleElement &&
              out.user->As<hlo::GetTupleElementAttributes>().index == use.operand_index &&
              seen.insert(out.user).second) {
            pending.push_back(out.user);
          }
        }
      } else if (seen.insert(use.user).second) {
        users.push_back(use.user);
      }
    }
  }
  return users;
}

void FusionView::VisitFromConsumers(std::span<const Instruction* const> from,
                                    const std::function<Step(const Instruction*)>& visit) const {
  absl::flat_hash_set<const Instruction*> seen;
  std::deque<const Instruction*> pending;
  for (const Instruction* root : from) {
    if (Contains(root) && seen.insert(root).second) pending.push_back(root);
  }
  while (!pending.empty()) {
    const Instruction* current = pending.front();
    pending.pop_front();
    const Step step = visit(current);
    if (step == Step::kStop) return;
    if (step == Step::kSkip) continue;
    for (const Instruction* operand : Operands(current)) {
      if (Contains(operand) && seen.insert(operand).second) pending.push_back(operand);
    }
  }
}

bool FusionView::AnyOf(const std::function<bool(const Instruction*)>& test) const {
  bool found = false;
  VisitFromConsumers(roots_, [&](const Instruction* instruction) {
    found = test(instruction);
    return found ? Step::kStop : Step::kAdvance;
  });
  return found;
}

}  // namespace subfloor::dispatch
