#include "passes/simplify/dead_code.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace subfloor::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

// Computations that hold a side effect, directly or through what they call. `order` has callees before
// callers.
absl::flat_hash_set<const Computation*> WithSideEffects(const std::vector<Computation*>& order) {
  absl::flat_hash_set<const Computation*> found;
  for (const Computation* computation : order) {
    for (const Instruction* instruction : computation->instructions()) {
      const auto* call = instruction->TryAs<hlo::CustomCallAttributes>();
      bool effect = hlo::HasSideEffect(instruction->opcode()) || (call && call->has_side_effect);
      for (const Computation* callee : instruction->called_computations()) effect |= found.contains(callee);
      if (effect) {
        found.insert(computation);
        break;
      }
    }
  }
  return found;
}

template <typename HasEffect>
bool RemoveUnneeded(Computation& computation, const HasEffect& has_effect) {
  const auto needed_by_itself = [&](const Instruction* instruction) {
    return instruction->IsRoot() || instruction->IsParameter() || has_effect(instruction);
  };
  absl::flat_hash_set<const Instruction*> needed;
  std::vector<const Instruction*> pending;
  for (const Instruction* instruction : computation.instructions()) {
    if (needed_by_itself(instruction) && needed.insert(instruction).second) pending.push_back(instruction);
  }
  while (!pending.empty()) {
    const Instruction* instruction = pending.back();
    pending.pop_back();
    const auto need = [&](const Instruction* before) {
      if (needed.insert(before).second) pending.push_back(before);
    };
    for (int64_t i = 0; i < instruction->operand_count(); ++i) need(instruction->operand(i));
    for (const Instruction* before : instruction->control_predecessors()) need(before);
  }
  if (static_cast<int64_t>(needed.size()) == computation.instruction_count()) return false;
  const std::vector<Instruction*> order = computation.MakePostOrder();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    if (needed.contains(*it)) continue;
    // What runs after a dead instruction still runs after what ran before it.
    for (Instruction* before :
         std::vector((*it)->control_predecessors().begin(), (*it)->control_predecessors().end())) {
      for (Instruction* after :
           std::vector((*it)->control_successors().begin(), (*it)->control_successors().end())) {
        before->AddControlSuccessor(after);
      }
    }
    computation.Remove(*it);
  }
  return true;
}

bool RemoveDeadInstructions(Computation& computation,
                            const absl::flat_hash_set<const Computation*>& effects) {
  return RemoveUnneeded(computation, [&](const Instruction* instruction) {
    if (hlo::HasSideEffect(instruction->opcode())) return true;
    if (const auto* call = instruction->TryAs<hlo::CustomCallAttributes>(); call && call->has_side_effect)
      return true;
    for (const Computation* callee : instruction->called_computations()) {
      if (effects.contains(callee)) return true;
    }
    return false;
  });
}

// Drops operands of a fusion that its body does not use. Bodies with several callers are left alone.
bool RemoveUnusedFusionOperands(Instruction& fusion, int64_t callers) {
  Computation* body = fusion.called();
  if (callers != 1 || !fusion.As<hlo::FusionAttributes>().output_to_operand_aliasing.empty()) return false;
  bool changed = false;
  for (int64_t i = body->parameter_count() - 1; i >= 0; --i) {
    Instruction* parameter = body->parameter(i);
    if (parameter->use_count() != 0 || parameter->IsRoot() || !parameter->control_successors().empty())
      continue;
    body->RemoveParameter(i);
    fusion.RemoveOperand(i);
    changed = true;
  }
  return changed;
}

}  // namespace

bool RemoveDeadInstructions(Computation& computation) {
  return RemoveUnneeded(computation,
                        [](const Instruction* instruction) { return instruction->HasSideEffect(); });
}

Result<bool> RemoveDeadCode(hlo::Module& module, PassContext&) {
  bool changed = module.RemoveUnusedComputations() > 0;
  std::vector<Computation*> order = module.MakePostOrder();
  const auto effects = WithSideEffects(order);
  absl::flat_hash_map<const Computation*, int64_t> callers;
  for (const Computation* computation : order) {
    for (const Instruction* instruction : computation->instructions()) {
      for (const Computation* callee : instruction->called_computations()) ++callers[callee];
    }
  }
  // Bodies before the fusions that call them: a parameter that became unused frees an operand at once.
  for (Computation* computation : order) {
    changed |= RemoveDeadInstructions(*computation, effects);
    bool operands_dropped = false;
    for (Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::kFusion) continue;
      operands_dropped |= RemoveUnusedFusionOperands(*instruction, callers[instruction->called()]);
    }
    if (operands_dropped) changed = true, RemoveDeadInstructions(*computation, effects);
  }
  return (module.RemoveUnusedComputations() > 0) || changed;
}

}  // namespace subfloor::passes
