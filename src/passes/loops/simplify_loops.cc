#include "passes/loops/simplify_loops.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/inline_body.h"
#include "passes/loops/loop_analysis.h"
#include "passes/loops/rebuild_loop.h"
#include "passes/make.h"
#include "passes/simplify/callers.h"

namespace subfloor::passes {
namespace {

using decision::Fact;
using decision::Question;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

constexpr int64_t kMaxSunkConstantBytes = 64;

int64_t ElementIndex(const Instruction* element) {
  return element->As<hlo::GetTupleElementAttributes>().index;
}

std::vector<Instruction*> ReadersOf(const Instruction* tuple, int64_t k) {
  std::vector<Instruction*> readers;
  for (Instruction* user : tuple->users()) {
    if (user->opcode() == Opcode::kGetTupleElement && ElementIndex(user) == k) readers.push_back(user);
  }
  return readers;
}

// Elements that pass through: their readers outside read the start; readers inside a small constant start.
bool ForwardInvariants(Instruction& loop) {
  bool changed = false;
  Computation *condition = loop.called(0), *body = loop.called(1);
  for (int64_t k = 0; k < loop.shape().tuple_size(); ++k) {
    if (!IsLoopInvariant(loop, k)) continue;
    for (Instruction* reader : ReadersOf(&loop, k)) {
      if (HasControlEdges(reader)) continue;
      reader->ReplaceAllUsesWith(MakeGetTupleElement(loop.operand(0), k));
      reader->parent()->Remove(reader);
      changed = true;
    }
    if (loop.operand(0)->opcode() != Opcode::kTuple) continue;
    const Instruction* start = loop.operand(0)->operand(k);
    if (!start->IsConstant() || start->shape().byte_size() > kMaxSunkConstantBytes) continue;
    for (Computation* inside : {condition, body}) {
      for (Instruction* reader : ReadersOf(inside->parameter(0), k)) {
        // The body's result keeps handing the element on; everybody else reads the constant.
        const std::vector<hlo::Use> uses(reader->uses().begin(), reader->uses().end());
        Instruction* constant = nullptr;
        for (const hlo::Use& use : uses) {
          if (use.user == inside->root() && inside == body && use.operand_index == k) continue;
          if (constant == nullptr) constant = inside->AddClone(*start, start->shape(), {});
          use.user->ReplaceOperand(use.operand_index, constant);
          changed = true;
        }
      }
    }
  }
  return changed;
}

// Which elements matter: read outside, by the condition, by a side effect of the body, or by one that
// matters.
std::vector<int64_t> LiveElements(const Instruction& loop) {
  const auto size = static_cast<size_t>(loop.shape().tuple_size());
  std::vector<bool> live(size, loop.IsRoot());
  for (const Instruction* user : loop.users()) {
    if (user->opcode() == Opcode::kGetTupleElement)
      live[static_cast<size_t>(ElementIndex(user))] = true;
    else
      live.assign(size, true);
  }
  for (const Instruction* reader : loop.called(0)->parameter(0)->users()) {
    if (reader->use_count() > 0 || reader->IsRoot()) live[static_cast<size_t>(ElementIndex(reader))] = true;
  }

  const Computation* body = loop.called(1);
  const Instruction *root = body->root(), *parameter = body->parameter(0);
  absl::flat_hash_set<const Instruction*> reached;
  std::vector<const Instruction*> pending;
  const auto reach = [&](const Instruction* instruction) {
    if (reached.insert(instruction).second) pending.push_back(instruction);
  };
  for (const Instruction* instruction : body->instructions()) {
    if (instruction != root && instruction->HasSideEffect()) reach(instruction);
  }
  std::vector<bool> followed(size, false);
  while (true) {
    for (size_t k = 0; k < size; ++k) {
      if (live[k] && !followed[k]) followed[k] = true, reach(root->operand(static_cast<int64_t>(k)));
    }
    if (pending.empty()) break;
    while (!pending.empty()) {
      const Instruction* instruction = pending.back();
      pending.pop_back();
      if (instruction->opcode() == Opcode::kGetTupleElement && instruction->operand(0) == parameter) {
        live[static_cast<size_t>(ElementIndex(instruction))] = true;
        continue;
      }
      for (int64_t i = 0; i < instruction->operand_count(); ++i) reach(instruction->operand(i));
      for (const Instruction* before : instruction->control_predecessors()) reach(before);
    }
  }
  std::vector<int64_t> kept;
  for (size_t k = 0; k < size; ++k) {
    if (live[k]) kept.push_back(static_cast<int64_t>(k));
  }
  return kept;
}

// The body applied `times` times to the start, in the loop's own computation.
Instruction* Unrolled(Instruction& loop, int64_t times) {
  Instruction* state = loop.operand(0);
  for (int64_t i = 0; i < times; ++i) {
    Instruction* call =
        loop.parent()->Add(Opcode::kCall, loop.shape(), {state}, std::nullopt, {loop.called(1)});
    state = InlineBody(*call);
    loop.parent()->Remove(call);
  }
  return state;
}

class LoopSimplifier {
 public:
  LoopSimplifier(hlo::Module& module, PassContext& context)
      : context_(context), callers_(CountCallers(module)) {}

  bool Simplify(Instruction& loop) {
    if (HasControlEdges(&loop) || callers_[loop.called(0)] != 1 || callers_[loop.called(1)] != 1)
      return false;
    if (RunsShortly(loop)) return true;
    if (!CanRebuildLoop(loop)) return false;
    const bool forwarded = ForwardInvariants(loop);
    const std::vector<int64_t> live = LiveElements(loop);
    const int64_t size = loop.shape().tuple_size();
    if (static_cast<int64_t>(live.size()) == size || live.empty()) return forwarded;
    decision::Decide(context_.log, Question::kSimplifyWhile, true, Fact::kUnusedElements,
                     size - static_cast<int64_t>(live.size()), size, loop.id());
    RebuildLoop(loop, live, {});
    return true;
  }

 private:
  // Replaces a loop of few iterations. A side effect in the condition would be lost: such loops stay.
  bool RunsShortly(Instruction& loop) {
    const auto counter = FindLoopCounter(loop);
    if (!counter || loop.called(0)->instruction_count() > 64) return false;
    for (const Instruction* instruction : loop.called(0)->instructions()) {
      if (instruction->HasSideEffect()) return false;
    }
    const int64_t trips = counter->trip_count, body = loop.called(1)->instruction_count();
    const bool small =
        trips <= 1 || (trips <= context_.options.max_unrolled_instructions / std::max<int64_t>(1, body) &&
                       !HoldsControlFlow(*loop.called(1)));
    decision::Decide(context_.log, Question::kSimplifyWhile, small, Fact::kTripCount, trips, body, loop.id());
    if (!small) return false;
    Computation* computation = loop.parent();
    Instruction* state = Unrolled(loop, trips);
    loop.ReplaceAllUsesWith(state);
    computation->Remove(&loop);
    return true;
  }

  static bool HoldsControlFlow(const Computation& computation) {
    for (const Instruction* instruction : computation.instructions()) {
      const Opcode opcode = instruction->opcode();
      if (opcode == Opcode::kWhile || opcode == Opcode::kConditional || opcode == Opcode::kCall) return true;
    }
    return false;
  }

  PassContext& context_;
  absl::flat_hash_map<const Computation*, int64_t> callers_;
};

}  // namespace

Result<bool> SimplifyLoops(hlo::Module& module, PassContext& context) {
  bool changed = false;
  LoopSimplifier simplifier(module, context);
  // Inner loops first. A loop that is replaced leaves its computations behind; they go at the end.
  for (Computation* computation : module.MakePostOrder()) {
    // Readers of a loop come and go while it is simplified, so only the loops themselves are listed.
    std::vector<Instruction*> loops = computation->MakePostOrder();
    std::erase_if(loops,
                  [](const Instruction* instruction) { return instruction->opcode() != Opcode::kWhile; });
    for (Instruction* loop : loops) changed |= simplifier.Simplify(*loop);
  }
  if (changed) module.RemoveUnusedComputations();
  return changed;
}

Result<bool> SimplifyConditionals(hlo::Module& module, PassContext&) {
  bool changed = false;
  for (Computation* computation : module.MakePostOrder()) {
    for (Instruction* conditional : computation->MakePostOrder()) {
      if (conditional->opcode() != Opcode::kConditional || HasControlEdges(conditional)) continue;
      const Instruction* selector = conditional->operand(0);
      const auto branches = static_cast<int64_t>(conditional->called_computations().size());
      const auto value = IntegerSplatOf(selector);
      if (!value && branches != 1) continue;
      int64_t branch = 0;
      if (value && IsPred(selector->shape().element_type()))
        branch = *value != 0 ? 0 : 1;
      else if (value)
        branch = *value >= 0 && *value < branches ? *value : branches - 1;
      Instruction* call =
          computation->Add(Opcode::kCall, conditional->shape(), {conditional->operand(branch + 1)},
                           std::nullopt, {conditional->called(branch)});
      conditional->ReplaceAllUsesWith(InlineBody(*call));
      computation->Remove(call);
      computation->Remove(conditional);
      changed = true;
    }
  }
  if (changed) module.RemoveUnusedComputations();
  return changed;
}

}  // namespace subfloor::passes
