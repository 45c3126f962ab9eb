#include "hlo/computation.h"

#include <algorithm>
#include <cassert>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "hlo/module.h"

namespace subfloor::hlo {

bool Computation::IsEntry() const { return parent_->entry() == this; }

std::vector<Instruction*> Computation::MakePostOrder() const {
  std::vector<Instruction*> order;
  order.reserve(static_cast<size_t>(live_));
  if (parent_->header().is_scheduled) {
    for (Instruction* instruction : instructions()) order.push_back(instruction);
    return order;
  }
  // Depth-first with an explicit stack; each frame remembers which operand or control predecessor comes next.
  enum : uint8_t { kNew, kOpen, kDone };
  std::vector<uint8_t> state(instructions_.size(), kNew);
  struct Frame {
    Instruction* instruction;
    size_t next;
  };
  std::vector<Frame> stack;
  for (Instruction* start : instructions()) {
    if (state[start->slot_] != kNew) continue;
    stack.push_back({start, 0});
    state[start->slot_] = kOpen;
    while (!stack.empty()) {
      Frame& top = stack.back();
      Instruction* current = top.instruction;
      const size_t operands = current->operands_.size();
      if (top.next < operands + current->control_predecessors_.size()) {
        Instruction* before = top.next < operands ? current->operands_[top.next].value
                                                  : current->control_predecessors_[top.next - operands];
        ++top.next;
        // An open one means a cycle, which the verifier reports; here it is only not followed.
        if (before->parent_ == this && state[before->slot_] == kNew) {
          state[before->slot_] = kOpen;
          stack.push_back({before, 0});
        }
        continue;
      }
      state[current->slot_] = kDone;
      order.push_back(current);
      stack.pop_back();
    }
  }
  return order;
}

Instruction* Computation::Insert(std::unique_ptr<Instruction> instruction,
                                 std::span<Instruction* const> operands, std::span<Computation* const> called,
                                 std::string_view name) {
  Instruction* raw = instruction.get();
  raw->parent_ = this;
  raw->id_ = parent_->next_id_++;
  parent_->instruction_names_.Take(raw, raw->name_, name.empty() ? ToString(raw->opcode_) : name);
  raw->slot_ = instructions_.size();
  raw->operands_.reserve(operands.size());
  for (Instruction* operand : operands) raw->AppendOperand(operand);
  raw->called_.assign(called.begin(), called.end());
  if (raw->opcode_ == Opcode::kFusion) {
    for (Computation* body : raw->called_) ++body->fusion_caller_count_;
  }
  instructions_.push_back(std::move(instruction));
  ++live_;
  return raw;
}

Instruction* Computation::Add(Opcode opcode, const Shape& shape, std::span<Instruction* const> operands,
                              Attributes attributes, std::span<Computation* const> called,
                              std::string_view name) {
  if (opcode == Opcode::kParameter) {
    return AddParameter(attributes.Get<ParameterAttributes>().number, shape, name);
  }
  return Insert(std::unique_ptr<Instruction>(new Instruction(opcode, shape, std::move(attributes))), operands,
                called, name);
}

Instruction* Computation::Add(Opcode opcode, const Shape& shape, std::initializer_list<Instruction*> operands,
                              std::optional<Attributes> attributes,
                              std::initializer_list<Computation*> called, std::string_view name) {
  return Add(opcode, shape, std::span<Instruction* const>(operands.begin(), operands.size()),
             attributes ? *std::move(attributes) : DefaultAttributes(opcode),
             std::span<Computation* const>(called.begin(), called.size()), name);
}

Instruction* Computation::AddParameter(int64_t number, const Shape& shape, std::string_view name) {
  std::string numbered;
  if (name.empty()) name = numbered = fmt::format("p{}", number);
  Instruction* parameter = Insert(
      std::unique_ptr<Instruction>(new Instruction(Opcode::kParameter, shape, ParameterAttributes{number})),
      {}, {}, name);
  if (static_cast<size_t>(number) >= parameters_.size())
    parameters_.resize(static_cast<size_t>(number) + 1, nullptr);
  parameters_[static_cast<size_t>(number)] = parameter;
  return parameter;
}

Instruction* Computation::AddConstant(Literal literal, std::string_view name) {
  const Shape shape = literal.shape();
  return Add(Opcode::kConstant, shape, std::span<Instruction* const>(),
             ConstantAttributes{std::move(literal), false}, {}, name);
}

Instruction* Computation::AddClone(const Instruction& original, const Shape& shape,
                                   std::span<Instruction* const> operands, std::string_view name) {
  Instruction* clone =
      Add(original.opcode(), shape, operands, original.attributes(), original.called_computations(),
          name.empty() ? std::string_view(original.name()) : name);
  if (original.has_annotations()) clone->mutable_annotations() = original.annotations();
  clone->set_position(original.line(), original.column());
  return clone;
}

void Computation::Remove(Instruction* instruction) {
  assert(instruction->parent_ == this && instruction->uses_.empty() && instruction != root_);
  instruction->RemoveControlEdges();
  for (size_t i = 0; i < instruction->operands_.size(); ++i) instruction->DropUse(i);
  if (instruction->opcode_ == Opcode::kFusion) {
    for (Computation* body : instruction->called_) --body->fusion_caller_count_;
  }
  if (instruction->IsParameter()) parameters_[static_cast<size_t>(instruction->parameter_number())] = nullptr;
  parent_->instruction_names_.Release(instruction->name_);
  instructions_[instruction->slot_].reset();
  --live_;
  if (instructions_.size() > 64 && static_cast<size_t>(live_) * 2 < instructions_.size()) Compact();
}

void Computation::Compact() {
  size_t next = 0;
  for (auto& instruction : instructions_) {
    if (!instruction) continue;
    instruction->slot_ = next;
    if (&instructions_[next] != &instruction) instructions_[next] = std::move(instruction);
    ++next;
  }
  instructions_.resize(next);
}

int64_t Computation::RemoveWithUnusedOperands(Instruction* instruction) {
  std::vector<Instruction*> pending = {instruction};
  int64_t removed = 0;
  while (!pending.empty()) {
    Instruction* next = pending.back();
    pending.pop_back();
    std::vector<Instruction*> operands = next->operands();
    std::ranges::sort(operands, {}, &Instruction::id);
    const auto repeated = std::ranges::unique(operands);
    operands.erase(repeated.begin(), repeated.end());
    Remove(next);
    ++removed;
    for (Instruction* operand : operands) {
      if (operand->uses_.empty() && operand != root_ && !operand->IsParameter() &&
          !operand->HasSideEffect() && operand->control_successors_.empty() &&
          operand->control_predecessors_.empty()) {
        pending.push_back(operand);
      }
    }
  }
  return removed;
}

void Computation::Replace(Instruction* old, Instruction* value) {
  old->ReplaceAllUsesWith(value);
  for (Instruction* before : auto(old->control_predecessors_)) before->AddControlSuccessor(value);
  for (Instruction* after : auto(old->control_successors_)) value->AddControlSuccessor(after);
  if (!old->IsParameter()) RemoveWithUnusedOperands(old);
}

void Computation::RemoveParameter(int64_t number) {
  Remove(parameters_[static_cast<size_t>(number)]);
  parameters_.erase(parameters_.begin() + number);
  for (size_t i = static_cast<size_t>(number); i < parameters_.size(); ++i) {
    if (parameters_[i]) parameters_[i]->MutableAs<ParameterAttributes>().number = static_cast<int64_t>(i);
  }
}

}  // namespace subfloor::hlo
