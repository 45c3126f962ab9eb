#include "hlo/module.h"

#include <algorithm>
#include <cassert>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace subfloor::hlo {

Module::Module(std::string name) : name_(std::move(name)) {}
Module::~Module() = default;

int64_t Module::instruction_count() const {
  int64_t count = 0;
  for (const Computation* computation : computations()) count += computation->instruction_count();
  return count;
}

Computation* Module::AddComputation(std::string_view name) {
  auto* computation = new Computation(this);
  computation_names_.Take(computation, computation->name_, name.empty() ? "computation" : name);
  computation->slot_ = computations_.size();
  computations_.emplace_back(computation);
  ++live_;
  if (entry_ == nullptr) entry_ = computation;
  return computation;
}

void Module::RemoveComputation(Computation* computation) {
  assert(computation != entry_);
  for (Instruction* instruction : computation->instructions()) {
    if (instruction->opcode() == Opcode::kFusion) {
      for (Computation* body : instruction->called_) --body->fusion_caller_count_;
    }
    instruction_names_.Release(instruction->name());
  }
  computation_names_.Release(computation->name());
  computations_[computation->slot_].reset();
  --live_;
}

std::vector<Computation*> Module::MakePostOrder() const {
  std::vector<Computation*> order;
  absl::flat_hash_set<const Computation*> seen;
  struct Frame {
    Computation* computation;
    std::vector<Computation*> callees;
    size_t next = 0;
  };
  const auto callees_of = [](const Computation* computation) {
    std::vector<Computation*> callees;
    for (const Instruction* instruction : computation->instructions()) {
      callees.insert(callees.end(), instruction->called_computations().begin(),
                     instruction->called_computations().end());
    }
    return callees;
  };
  const auto visit = [&](Computation* start) {
    if (!seen.insert(start).second) return;
    std::vector<Frame> stack;
    stack.push_back({start, callees_of(start)});
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < top.callees.size()) {
        Computation* callee = top.callees[top.next++];
        if (seen.insert(callee).second) stack.push_back({callee, callees_of(callee)});
        continue;
      }
      order.push_back(top.computation);
      stack.pop_back();
    }
  };
  for (Computation* computation : computations()) {
    if (computation != entry_) visit(computation);
  }
  if (entry_) visit(entry_);
  return order;
}

int64_t Module::RemoveUnusedComputations() {
  absl::flat_hash_set<const Computation*> reached = {entry_};
  std::vector<const Computation*> pending = {entry_};
  while (!pending.empty()) {
    const Computation* computation = pending.back();
    pending.pop_back();
    for (const Instruction* instruction : computation->instructions()) {
      for (const Computation* callee : instruction->called_computations()) {
        if (reached.insert(callee).second) pending.push_back(callee);
      }
    }
  }
  std::vector<Computation*> unused;
  for (Computation* computation : computations()) {
    if (!reached.contains(computation)) unused.push_back(computation);
  }
  // Callers before callees, so that counts of fusion callers are kept on live objects.
  for (Computation* computation : unused) {
    for (Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() == Opcode::kFusion) {
        for (Computation* body : instruction->called_) --body->fusion_caller_count_;
      }
      instruction->called_.clear();
    }
  }
  for (Computation* computation : unused) RemoveComputation(computation);
  return static_cast<int64_t>(unused.size());
}

Computation* Module::CloneComputation(const Computation& original, std::string_view name, bool deep) {
  // With `deep`, every computation reached is cloned once, callees first.
  absl::flat_hash_map<const Computation*, Computation*> clones;
  std::vector<const Computation*> order;
  if (deep) {
    absl::flat_hash_set<const Computation*> seen = {&original};
    std::vector<std::pair<const Computation*, bool>> pending = {{&original, false}};
    while (!pending.empty()) {
      auto [computation, expanded] = pending.back();
      pending.pop_back();
      if (expanded) {
        order.push_back(computation);
        continue;
      }
      pending.emplace_back(computation, true);
      for (const Instruction* instruction : computation->instructions()) {
        for (const Computation* callee : instruction->called_computations()) {
          if (seen.insert(callee).second) pending.emplace_back(callee, false);
        }
      }
    }
    // A callee seen late may still be called by one seen early: sort by dependence.
    std::vector<Computation*> post = original.parent()->MakePostOrder();
    absl::flat_hash_map<const Computation*, size_t> place;
    for (size_t i = 0; i < post.size(); ++i) place[post[i]] = i;
    std::ranges::sort(order, {}, [&](const Computation* c) { return place[c]; });
  } else {
    order.push_back(&original);
  }
  for (const Computation* source : order) {
    Computation* clone =
        AddComputation(source == &original && !name.empty() ? name : std::string_view(source->name()));
    clone->execution_thread_ = source->execution_thread_;
    absl::flat_hash_map<const Instruction*, Instruction*> values;
    for (const Instruction* instruction : source->MakePostOrder()) {
      std::vector<Instruction*> operands;
      for (const Instruction* operand : instruction->operands()) operands.push_back(values[operand]);
      Instruction* copy = clone->AddClone(*instruction, instruction->shape(), operands);
      for (size_t i = 0; i < copy->called_.size(); ++i) {
        if (auto it = clones.find(copy->called_[i]); it != clones.end()) {
          copy->set_called(static_cast<int64_t>(i), it->second);
        }
      }
      for (const Instruction* before : instruction->control_predecessors())
        values[before]->AddControlSuccessor(copy);
      values[instruction] = copy;
    }
    if (source->root()) clone->set_root(values[source->root()]);
    clones[source] = clone;
  }
  return clones[&original];
}

std::unique_ptr<Module> Module::Clone() const {
  auto copy = std::make_unique<Module>(name_);
  copy->header_ = header_;
  absl::flat_hash_map<const Computation*, Computation*> clones;
  const std::vector<Computation*> post = MakePostOrder();
  for (const Computation* source : computations()) clones[source] = copy->AddComputation(source->name());
  for (const Computation* source : post) {
    Computation* clone = clones[source];
    clone->execution_thread_ = source->execution_thread_;
    absl::flat_hash_map<const Instruction*, Instruction*> values;
    // Insertion order is kept: it is the schedule of scheduled modules and the text order of all.
    std::vector<const Instruction*> sources;
    for (const Instruction* instruction : source->MakePostOrder()) sources.push_back(instruction);
    for (const Instruction* instruction : sources) {
      std::vector<Instruction*> operands;
      for (const Instruction* operand : instruction->operands()) operands.push_back(values[operand]);
      std::vector<Computation*> called;
      for (const Computation* callee : instruction->called_computations()) called.push_back(clones[callee]);
      Instruction* made = clone->Add(instruction->opcode(), instruction->shape(), operands,
                                     instruction->attributes(), called, instruction->name());
      if (instruction->has_annotations()) made->mutable_annotations() = instruction->annotations();
      made->set_position(instruction->line(), instruction->column());
      made->id_ = instruction->id();
      for (const Instruction* before : instruction->control_predecessors())
        values[before]->AddControlSuccessor(made);
      values[instruction] = made;
    }
    if (source->root()) clone->set_root(values[source->root()]);
  }
  copy->next_id_ = next_id_;
  copy->entry_ = entry_ ? clones[entry_] : nullptr;
  return copy;
}

EntryLayout Module::entry_layout() const {
  if (header_.entry_layout) return *header_.entry_layout;
  EntryLayout layout;
  for (const Instruction* parameter : entry_->parameters()) {
    layout.parameters.push_back(parameter ? parameter->shape().WithDefaultLayout() : Shape());
  }
  layout.result = entry_->root()->shape().WithDefaultLayout();
  return layout;
}

}  // namespace subfloor::hlo
