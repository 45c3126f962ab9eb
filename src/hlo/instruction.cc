#include "hlo/instruction.h"

#include <algorithm>
#include <unordered_set>

#include "hlo/called_attributes.h"
#include "hlo/computation.h"

namespace subfloor::hlo {

std::string Annotations::MetadataField(std::string_view field) const {
  // Fields are `name="text"` or `name=number`, separated by spaces; quotes inside a text are escaped.
  const std::string& text = metadata;
  size_t i = 0;
  while (i < text.size()) {
    while (i < text.size() && text[i] == ' ') ++i;
    const size_t name_begin = i;
    while (i < text.size() && text[i] != '=') ++i;
    const std::string_view name = std::string_view(text).substr(name_begin, i - name_begin);
    if (i < text.size()) ++i;
    std::string value;
    if (i < text.size() && (text[i] == '"' || text[i] == '\'')) {
      const char quote = text[i++];
      while (i < text.size() && text[i] != quote) {
        if (text[i] == '\\' && i + 1 < text.size()) ++i;
        value += text[i++];
      }
      ++i;
    } else {
      int depth = 0;
      while (i < text.size() && (text[i] != ' ' || depth > 0)) {
        depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
        value += text[i++];
      }
    }
    if (name == field) return value;
  }
  return {};
}

Instruction::Instruction(Opcode opcode, Shape shape, Attributes attributes)
    : opcode_(opcode), shape_(std::move(shape)), attributes_(std::move(attributes)) {}

void Instruction::AddUse(size_t operand_index) {
  OperandSlot& slot = operands_[operand_index];
  slot.use_position = slot.value->uses_.size();
  slot.value->uses_.push_back({this, static_cast<int64_t>(operand_index)});
}

void Instruction::DropUse(size_t operand_index) {
  OperandSlot& slot = operands_[operand_index];
  auto& uses = slot.value->uses_;
  // The last use takes the freed place, and its user is told.
  const Use moved = uses.back();
  uses[slot.use_position] = moved;
  moved.user->operands_[static_cast<size_t>(moved.operand_index)].use_position = slot.use_position;
  uses.pop_back();
}

std::vector<Instruction*> Instruction::operands() const {
  std::vector<Instruction*> values;
  values.reserve(operands_.size());
  for (const OperandSlot& slot : operands_) values.push_back(slot.value);
  return values;
}

std::vector<Instruction*> Instruction::users() const {
  std::vector<Instruction*> result;
  std::unordered_set<const Instruction*> seen;
  for (const Use& use : uses_) {
    if (seen.insert(use.user).second) result.push_back(use.user);
  }
  return result;
}

bool Instruction::IsRoot() const { return parent_ != nullptr && parent_->root() == this; }

void Instruction::ReplaceOperand(int64_t i, Instruction* value) {
  const auto index = static_cast<size_t>(i);
  if (operands_[index].value == value) return;
  DropUse(index);
  operands_[index].value = value;
  AddUse(index);
}

void Instruction::AppendOperand(Instruction* value) {
  operands_.push_back({value, 0});
  AddUse(operands_.size() - 1);
}

void Instruction::RemoveOperand(int64_t i) {
  const auto index = static_cast<size_t>(i);
  DropUse(index);
  operands_.erase(operands_.begin() + i);
  for (size_t k = index; k < operands_.size(); ++k) {
    operands_[k].value->uses_[operands_[k].use_position].operand_index = static_cast<int64_t>(k);
  }
}

void Instruction::ReplaceAllUsesWith(Instruction* value) {
  if (value == this) return;
  while (!uses_.empty()) {
    const Use use = uses_.back();
    use.user->ReplaceOperand(use.operand_index, value);
  }
  if (IsRoot()) parent_->set_root(value);
}

void Instruction::AddControlSuccessor(Instruction* successor) {
  if (std::ranges::find(control_successors_, successor) != control_successors_.end()) return;
  control_successors_.push_back(successor);
  successor->control_predecessors_.push_back(this);
}

void Instruction::RemoveControlEdges() {
  const auto forget = [this](absl::InlinedVector<Instruction*, 2>& list) {
    list.erase(std::remove(list.begin(), list.end(), this), list.end());
  };
  for (Instruction* before : control_predecessors_) forget(before->control_successors_);
  for (Instruction* after : control_successors_) forget(after->control_predecessors_);
  control_predecessors_.clear();
  control_successors_.clear();
}

void Instruction::set_called(int64_t i, Computation* computation) {
  const auto index = static_cast<size_t>(i);
  if (opcode_ == Opcode::kFusion) {
    --called_[index]->fusion_caller_count_;
    ++computation->fusion_caller_count_;
  }
  called_[index] = computation;
}

const Annotations& Instruction::annotations() const {
  static const Annotations kNone;
  return annotations_ ? *annotations_ : kNone;
}

Annotations& Instruction::mutable_annotations() {
  if (!annotations_) annotations_ = std::make_unique<Annotations>();
  return *annotations_;
}

bool Instruction::HasSideEffect() const {
  if (hlo::HasSideEffect(opcode_)) return true;
  if (const auto* call = TryAs<CustomCallAttributes>(); call && call->has_side_effect) return true;
  // Called computations are searched with a list of those seen, so that neither depth nor sharing costs.
  std::vector<const Computation*> pending(called_.begin(), called_.end());
  std::unordered_set<const Computation*> seen(pending.begin(), pending.end());
  while (!pending.empty()) {
    const Computation* computation = pending.back();
    pending.pop_back();
    for (const Instruction* inner : computation->instructions()) {
      if (hlo::HasSideEffect(inner->opcode())) return true;
      if (const auto* call = inner->TryAs<CustomCallAttributes>(); call && call->has_side_effect) return true;
      for (const Computation* next : inner->called_) {
        if (seen.insert(next).second) pending.push_back(next);
      }
    }
  }
  return false;
}

std::vector<std::string_view> CalledComputationNames(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kConditional) {
    const bool pred = instruction.operand_count() > 0 &&
                      instruction.operand(0)->shape().element_type() == ElementType::kPred;
    if (pred) return {"true_computation", "false_computation"};
    return {"branch_computations"};
  }
  // Alternatives for one slot: the first is the one that is printed.
  std::vector<std::string_view> names;
  for (const CalledAttribute& attribute : CalledAttributesOf(instruction.opcode())) {
    if (attribute.slot == static_cast<int>(names.size())) names.push_back(attribute.name);
  }
  return names;
}

}  // namespace subfloor::hlo
