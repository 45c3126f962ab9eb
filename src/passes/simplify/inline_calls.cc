#include "passes/simplify/inline_calls.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/inline_body.h"

namespace subfloor::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

constexpr int64_t kMaxModuleInstructions = 1'000'000;

// The start of an asynchronous chain whose done this is, if the chain is start -> done without updates
// between.
Instruction* StartOf(const Instruction* done) {
  Instruction* start = done->operand(0);
  if (start->opcode() != Opcode::kAsyncStart || start->use_count() != 1 ||
      start->called_computations().size() != 1) {
    return nullptr;
  }
  // Late binding hands over operands later on; only chains that are complete at the start are plain calls.
  return start->operand_count() == start->called()->parameter_count() ? start : nullptr;
}

}  // namespace

Result<bool> InlineCalls(hlo::Module& module, PassContext&) {
  bool changed = false;
  int64_t total = module.instruction_count();
  // Callees first: what is inlined holds no calls itself.
  for (Computation* computation : module.MakePostOrder()) {
    for (Instruction* instruction : computation->MakePostOrder()) {
      Instruction* caller = instruction;
      if (instruction->opcode() == Opcode::kAsyncDone)
        caller = StartOf(instruction);
      else if (instruction->opcode() != Opcode::kCall)
        continue;
      if (caller == nullptr || caller->called()->root() == nullptr) continue;
      total += caller->called()->instruction_count();
      if (total > kMaxModuleInstructions) return changed;
      Instruction* value = InlineBody(*caller);
      if (instruction != caller) {
        for (Instruction* after : std::vector(instruction->control_successors().begin(),
                                              instruction->control_successors().end())) {
          value->AddControlSuccessor(after);
        }
        instruction->RemoveControlEdges();
      }
      instruction->ReplaceAllUsesWith(value);
      caller->RemoveControlEdges();
      computation->Remove(instruction);
      if (instruction != caller) computation->Remove(caller);
      changed = true;
    }
  }
  if (changed) module.RemoveUnusedComputations();
  return changed;
}

Result<bool> FlattenCallGraph(hlo::Module& module, PassContext&) {
  bool changed = false;
  absl::flat_hash_set<const Computation*> owned;
  int64_t total = module.instruction_count();
  // Callers before callees: a clone's own callees get their copies when the clone is visited.
  std::vector<Computation*> pending = {module.entry()};
  while (!pending.empty()) {
    Computation* computation = pending.back();
    pending.pop_back();
    for (Instruction* instruction : computation->MakePostOrder()) {
      const Opcode opcode = instruction->opcode();
      if (opcode != Opcode::kWhile && opcode != Opcode::kConditional && opcode != Opcode::kCall &&
          opcode != Opcode::kFusion) {
        continue;
      }
      for (int64_t i = 0; i < static_cast<int64_t>(instruction->called_computations().size()); ++i) {
        Computation* callee = instruction->called(i);
        if (!owned.insert(callee).second) {
          total += callee->instruction_count();
          if (total > kMaxModuleInstructions) continue;
          callee = module.CloneComputation(*callee);
          instruction->set_called(i, callee);
          owned.insert(callee);
          changed = true;
        }
        pending.push_back(callee);
      }
    }
  }
  return changed;
}

}  // namespace subfloor::passes
