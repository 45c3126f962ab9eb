#include "driver/reduce.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "hlo/verifier.h"

namespace subfloor::driver {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Module;
using hlo::Opcode;

// Drops what the root does not need. Entry parameters without uses go too, and with them the header's layout
// and aliases, which name parameters by number.
void Tidy(Module& module) {
  for (Computation* computation : module.computations()) {
    bool changed = true;
    while (changed) {
      changed = false;
      std::vector<Instruction*> order = computation->MakePostOrder();
      for (Instruction* instruction : order | std::views::reverse) {
        if (instruction == computation->root() || instruction->use_count() > 0 || instruction->IsParameter())
          continue;
        computation->Remove(instruction);
        changed = true;
      }
    }
  }
  Computation* entry = module.entry();
  for (int64_t i = entry->parameter_count(); i-- > 0;) {
    Instruction* parameter = entry->parameter(i);
    if (parameter->use_count() == 0 && parameter != entry->root()) entry->RemoveParameter(i);
  }
  module.header().entry_layout.reset();
  module.header().input_output_alias.clear();
  module.header().buffer_donor.clear();
  module.header().is_scheduled = false;
  module.RemoveUnusedComputations();
}

// A change to one instruction of a clone; false if it does not apply there.
using Change = bool (*)(Module&, Computation*, Instruction*);

bool CutOff(Module&, Computation* computation, Instruction* instruction) {
  if (!computation->IsEntry() || instruction->IsRoot()) return false;
  computation->set_root(instruction);
  return true;
}

bool BecomeParameter(Module&, Computation* computation, Instruction* instruction) {
  if (!computation->IsEntry() || instruction->IsParameter() || instruction->IsRoot()) return false;
  if (!instruction->shape().IsArray()) return false;
  Instruction* parameter = computation->AddParameter(computation->parameter_count(), instruction->shape());
  instruction->ReplaceAllUsesWith(parameter);
  return true;
}

bool BecomeZero(Module&, Computation* computation, Instruction* instruction) {
  if (instruction->IsConstant() || instruction->IsParameter() || !instruction->shape().IsArray())
    return false;
  Shape scalar = Shape::Scalar(instruction->shape().element_type());
  Result<Literal> zero = Literal::Zeros(scalar);
  if (!zero) return false;
  Instruction* value = computation->AddConstant(*std::move(zero));
  if (!instruction->shape().IsScalar()) {
    value = computation->Add(Opcode::kBroadcast, instruction->shape(), {value}, hlo::DimensionsAttributes{});
  }
  instruction->ReplaceAllUsesWith(value);
  return true;
}

template <int kOperand>
bool BecomeOperand(Module&, Computation*, Instruction* instruction) {
  if (instruction->operand_count() <= kOperand) return false;
  Instruction* operand = instruction->operand(kOperand);
  if (!operand->shape().Compatible(instruction->shape())) return false;
  instruction->ReplaceAllUsesWith(operand);
  return true;
}

constexpr Change kChanges[] = {CutOff,           BecomeParameter,  BecomeOperand<0>,
                               BecomeOperand<1>, BecomeOperand<2>, BecomeZero};

Instruction* FindById(Module& module, int64_t id) {
  for (Computation* computation : module.computations()) {
    for (Instruction* instruction : computation->instructions()) {
      if (instruction->id() == id) return instruction;
    }
  }
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<Module>> Reduce(const Module& module, const Interesting& interesting,
                                       const ReduceOptions& options) {
  if (!interesting(module))
    return BadInput("the module does not show the problem to begin with, or what tests for it does not run");
  std::unique_ptr<Module> best = module.Clone();
  int64_t attempts = 0;
  const auto accept = [&](std::unique_ptr<Module>& candidate) {
    Tidy(*candidate);
    if (candidate->instruction_count() >= best->instruction_count() || !hlo::Verify(*candidate)) return false;
    ++attempts;
    if (!interesting(*candidate)) return false;
    best = std::move(candidate);
    if (options.on_progress) options.on_progress(best->instruction_count(), attempts);
    return true;
  };
  if (auto tidied = best->Clone(); true) accept(tidied);

  bool progress = true;
  while (progress && attempts < options.max_attempts) {
    progress = false;
    for (const Change change : kChanges) {
      std::vector<int64_t> ids;
      for (const Computation* computation : best->computations()) {
        for (const Instruction* instruction : computation->MakePostOrder()) ids.push_back(instruction->id());
      }
      for (const int64_t id : ids) {
        if (attempts >= options.max_attempts) break;
        std::unique_ptr<Module> candidate = best->Clone();
        Instruction* instruction = FindById(*candidate, id);
        if (instruction == nullptr) continue;  // went with an earlier step
        if (!change(*candidate, instruction->parent(), instruction)) continue;
        if (accept(candidate)) progress = true;
      }
    }
  }
  return best;
}

}  // namespace subfloor::driver
