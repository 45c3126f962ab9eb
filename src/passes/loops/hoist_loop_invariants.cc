#include "passes/loops/hoist_loop_invariants.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/fuse/cost.h"
#include "passes/loops/loop_analysis.h"
#include "passes/loops/rebuild_loop.h"
#include "passes/make.h"
#include "passes/simplify/callers.h"
#include "passes/simplify/dead_code.h"

namespace subfloor::passes {
namespace {

using decision::Fact;
using decision::Question;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

constexpr size_t kMaxHoisted = 64;

// Cheap enough inside a kernel that a loop element would cost more; or no value that can be had outside.
bool StaysInside(const Instruction* instruction) {
  if (!instruction->shape().IsArray() || HasControlEdges(instruction) || instruction->HasSideEffect())
    return true;
  switch (instruction->opcode()) {
    case Opcode::kConstant:
    case Opcode::kIota:
    case Opcode::kBroadcast:
    case Opcode::kReshape:
    case Opcode::kBitcast:
    case Opcode::kPad:
    case Opcode::kParameter:
    case Opcode::kGetTupleElement:
    case Opcode::kWhile:
    case Opcode::kConditional:
    case Opcode::kCall:
    case Opcode::kCustomCall:
    case Opcode::kOptBarrier:
    case Opcode::kRngBitGenerator:
    case Opcode::kAddDependency:
      return true;
    default:
      break;
  }
  if (instruction->shape().IsScalar()) return FlopsPerElement(instruction) < 8;
  double operand_bytes = 0;
  for (const Instruction* operand : instruction->operands())
    operand_bytes += static_cast<double>(operand->shape().byte_size());
  return static_cast<double>(instruction->shape().byte_size()) > 2 * operand_bytes;
}

class Hoister {
 public:
  explicit Hoister(Instruction& loop) : loop_(loop), body_(loop.called(1)) {}

  size_t Run() {
    RemoveDeadInstructions(*body_);    // so that whatever is read is read by something that lasts
    std::vector<Instruction*> wanted;  // invariant, worth it, and read by something that is not
    for (Instruction* instruction : body_->MakePostOrder()) {
      if (!IsInvariant(instruction)) continue;
      invariant_.insert(instruction);
    }
    for (Instruction* instruction : body_->MakePostOrder()) {
      if (!invariant_.contains(instruction) || StaysInside(instruction) || wanted.size() >= kMaxHoisted)
        continue;
      for (const Instruction* user : instruction->users()) {
        if (!invariant_.contains(user) || StaysInside(user)) {
          wanted.push_back(instruction);
          break;
        }
      }
    }
    if (wanted.empty()) return 0;
    std::vector<Instruction*> outside;
    for (Instruction* instruction : wanted) outside.push_back(Outside(instruction));
    std::vector<int64_t> kept;
    for (int64_t k = 0; k < loop_.shape().tuple_size(); ++k) kept.push_back(k);
    // The old values keep their users until the loop hands in the new ones; then they are dead.
    const std::vector<Instruction*> inside = RebuildLoop(loop_, kept, outside);
    for (size_t i = 0; i < wanted.size(); ++i) wanted[i]->ReplaceAllUsesWith(inside[i]);
    return wanted.size();
  }

 private:
  bool IsInvariant(const Instruction* instruction) {
    if (instruction->IsConstant() || instruction->opcode() == Opcode::kIota) return true;
    if (instruction->opcode() == Opcode::kGetTupleElement && instruction->operand(0) == body_->parameter(0)) {
      return IsLoopInvariant(loop_, instruction->As<hlo::GetTupleElementAttributes>().index);
    }
    if (instruction->operand_count() == 0 || !instruction->shape().IsArray() ||
        HasControlEdges(instruction) || hlo::HasSideEffect(instruction->opcode())) {
      return false;
    }
    switch (instruction->opcode()) {
      case Opcode::kWhile:
      case Opcode::kConditional:
      case Opcode::kCall:
      case Opcode::kCustomCall:
      case Opcode::kOptBarrier:
      case Opcode::kFusion:
      case Opcode::kAsyncDone:
      case Opcode::kAsyncStart:
      case Opcode::kAddDependency:
      case Opcode::kCopyDone:
      case Opcode::kGetTupleElement:
        return false;
      default:
        break;
    }
    for (int64_t i = 0; i < instruction->operand_count(); ++i) {
      if (!invariant_.contains(instruction->operand(i))) return false;
    }
    return true;
  }

  // The value of an invariant instruction outside the loop. Works its operands off a list, deepest first.
  Instruction* Outside(Instruction* wanted) {
    std::vector<Instruction*> pending = {wanted};
    while (!pending.empty()) {
      Instruction* instruction = pending.back();
      if (values_.contains(instruction)) {
        pending.pop_back();
        continue;
      }
      if (instruction->opcode() == Opcode::kGetTupleElement) {
        values_[instruction] =
            MakeGetTupleElement(loop_.operand(0), instruction->As<hlo::GetTupleElementAttributes>().index);
        pending.pop_back();
        continue;
      }
      std::vector<Instruction*> operands;
      bool ready = true;
      for (Instruction* operand : instruction->operands()) {
        const auto value = values_.find(operand);
        if (value == values_.end())
          pending.push_back(operand), ready = false;
        else
          operands.push_back(value->second);
      }
      if (!ready) continue;
      values_[instruction] = loop_.parent()->AddClone(*instruction, instruction->shape(), operands);
      pending.pop_back();
    }
    return values_[wanted];
  }

  Instruction& loop_;
  Computation* body_;
  absl::flat_hash_set<const Instruction*> invariant_;
  absl::flat_hash_map<const Instruction*, Instruction*> values_;
};

}  // namespace

Result<bool> HoistLoopInvariants(hlo::Module& module, PassContext& context) {
  bool changed = false;
  const auto callers = CountCallers(module);
  // Inner loops first: what leaves one may leave the next.
  for (Computation* computation : module.MakePostOrder()) {
    for (Instruction* loop : computation->MakePostOrder()) {
      if (loop->opcode() != Opcode::kWhile || HasControlEdges(loop) || !CanRebuildLoop(*loop)) continue;
      if (callers.at(loop->called(0)) != 1 || callers.at(loop->called(1)) != 1) continue;
      const size_t hoisted = Hoister(*loop).Run();
      if (hoisted == 0) continue;
      changed = true;
      decision::Decide(context.log, Question::kSimplifyWhile, true, Fact::kHoisted,
                       static_cast<int64_t>(hoisted), 0, loop->id());
    }
  }
  return changed;
}

}  // namespace subfloor::passes
