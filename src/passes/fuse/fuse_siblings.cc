#include "passes/fuse/fuse_siblings.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/fuse/outline.h"
#include "passes/inline_body.h"
#include "passes/make.h"

namespace subfloor::passes {
namespace {

using decision::Fact;
using decision::Question;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

// Nodes looked at to see that no path leads from one fusion to another; beyond that the answer counts as
// "there may be one".
constexpr size_t kMaxVisited = 512;
// Users of one array that are compared pair by pair.
constexpr size_t kMaxReaders = 24;

// What a fusion's results are made by: the root, or the operands of the root tuple.
std::vector<Instruction*> Results(const Instruction* fusion) {
  Instruction* root = fusion->called()->root();
  return root->opcode() == Opcode::kTuple ? root->operands() : std::vector<Instruction*>{root};
}

const Instruction* ReductionIn(const Instruction* fusion) {
  for (const Instruction* instruction : fusion->called()->instructions()) {
    if (instruction->opcode() == Opcode::kReduce) return instruction;
  }
  return nullptr;
}

bool MayMerge(const Instruction* fusion) {
  if (fusion->opcode() != Opcode::kFusion || HasControlEdges(fusion) ||
      fusion->As<hlo::FusionAttributes>().kind == hlo::FusionKind::kCustom ||
      !fusion->As<hlo::FusionAttributes>().output_to_operand_aliasing.empty()) {
    return false;
  }
  // Dead ones are left to RemoveDeadCode, and a tuple that is handed on whole stays one.
  if (fusion->use_count() == 0 && !fusion->IsRoot()) return false;
  if (fusion->shape().IsTuple() &&
      (fusion->IsRoot() || !std::ranges::all_of(fusion->uses(), [](const hlo::Use& use) {
         return use.user->opcode() == Opcode::kGetTupleElement;
       }))) {
    return false;
  }
  const auto results = Results(fusion);
  return std::ranges::all_of(results, [&](const Instruction* result) {
    switch (result->opcode()) {
      case Opcode::kDynamicUpdateSlice:
      case Opcode::kScatter:
      case Opcode::kSort:
      case Opcode::kReduceWindow:
      case Opcode::kSelectAndScatter:
      case Opcode::kConcatenate:
        return false;
      default:
        return result->shape().IsArray() && !result->IsParameter() &&
               result->shape().SameDimensions(results[0]->shape());
    }
  });
}

// Equal loops: results of the same sizes and, where one reduces, the other reduces the same sizes along the
// same dimensions.
bool SameLoops(const Instruction* a, const Instruction* b) {
  if (!Results(a)[0]->shape().SameDimensions(Results(b)[0]->shape())) return false;
  const Instruction *x = ReductionIn(a), *y = ReductionIn(b);
  if (x == nullptr || y == nullptr) return x == y;
  return x->operand(0)->shape().SameDimensions(y->operand(0)->shape()) &&
         std::ranges::equal(x->dimensions(), y->dimensions());
}

// True if the consumer's loop reads `operand` at its own index only: through elementwise ops from the results
// downward.
bool ReadsElementByElement(const Instruction* consumer, const Instruction* operand) {
  const Computation* body = consumer->called();
  absl::flat_hash_set<const Instruction*> linear;
  std::vector<const Instruction*> pending;
  for (const Instruction* result : Results(consumer)) {
    if (linear.insert(result).second) pending.push_back(result);
  }
  while (!pending.empty()) {
    const Instruction* instruction = pending.back();
    pending.pop_back();
    if (!instruction->IsElementwise()) continue;
    for (const Instruction* below : instruction->operands()) {
      if (below->shape().SameDimensions(instruction->shape()) && linear.insert(below).second)
        pending.push_back(below);
    }
  }
  for (int64_t i = 0; i < consumer->operand_count(); ++i) {
    if (consumer->operand(i) != operand) continue;
    for (const Instruction* user : body->parameter(i)->users()) {
      if (user->opcode() != Opcode::kTuple &&
          (!user->IsElementwise() || !linear.contains(user) || !linear.contains(body->parameter(i)))) {
        return false;
      }
    }
  }
  return true;
}

class SiblingFuser {
 public:
  SiblingFuser(Computation& computation, PassContext& context)
      : computation_(computation), context_(context) {}

  bool Run() {
    std::vector<Instruction*> order = computation_.MakePostOrder();
    for (size_t i = 0; i < order.size(); ++i)
      rank_[order[i]] = {static_cast<int64_t>(i), static_cast<int64_t>(i)};
    bool changed = false;
    // Each value with the fusions that read it; a merged fusion is found among the readers of the next value.
    for (Instruction* value : order) {
      if (gone_.contains(value) || !value->shape().IsArray()) continue;
      changed |= MergeReaders(value);
    }
    return changed;
  }

 private:
  // Places in the order before any merge. What an instruction needs, directly or not, stands at `high` or
  // before; a fusion whose parts begin at `low` or later is therefore needed by nothing whose high lies
  // below.
  struct Rank {
    int64_t low, high;
  };

  bool MergeReaders(Instruction* value) {
    std::vector<Instruction*> readers;
    if (value->opcode() == Opcode::kFusion && MayMerge(value)) readers.push_back(value);
    for (Instruction* user : value->users()) {
      if (readers.size() < kMaxReaders && MayMerge(user)) readers.push_back(user);
    }
    bool changed = false;
    for (size_t i = 0; i < readers.size(); ++i) {
      for (size_t k = i + 1; k < readers.size(); ++k) {
        Instruction* merged = TryMerge(readers[i], readers[k]);
        if (merged == nullptr) continue;
        readers[i] = merged;
        readers.erase(readers.begin() + static_cast<int64_t>(k--));
        changed = true;
      }
    }
    return changed;
  }

  Instruction* TryMerge(Instruction* a, Instruction* b) {
    if (a == b) return nullptr;
    if (!SameLoops(a, b)) {
      Record(b, false, Fact::kOtherLoop, 0, 0);
      return nullptr;
    }
    if (rank_[a].high > rank_[b].high) std::swap(a, b);
    const int64_t size = a->called()->instruction_count() + b->called()->instruction_count();
    if (size > context_.options.max_fusion_instructions) {
      Record(b, false, Fact::kFusionTooLarge, size, context_.options.max_fusion_instructions);
      return nullptr;
    }
    bool reads = false;
    for (const Instruction* operand : b->operands()) reads |= operand == a || IsElementOf(operand, a);
    if (reads && (a->shape().IsTuple() || !ReadsElementByElement(b, a) || ReductionIn(b) != nullptr)) {
      Record(b, false, Fact::kNotElementwiseUse, 0, 0);
      return nullptr;
    }
    if (DependsOn(b, a, /*directly=*/reads) || DependsOn(a, b, /*directly=*/false)) {
      Record(b, false, Fact::kMayDepend, 0, 0);
      return nullptr;
    }
    const auto later = UsersBelow(a, rank_[b].high);
    if (!later) {
      Record(b, false, Fact::kMayDepend, 0, 0);
      return nullptr;
    }
    for (const Instruction* user : *later) rank_[user].high = rank_[b].high;
    Record(b, true, Fact::kSameLoop, 0, 0);
    return Merge(a, b);
  }

  static bool IsElementOf(const Instruction* value, const Instruction* tuple) {
    return value->opcode() == Opcode::kGetTupleElement && value->operand(0) == tuple;
  }

  // A path from `source` to `target` through other instructions; with `directly`, the edge between them does
  // not count.
  bool DependsOn(Instruction* target, Instruction* source, bool directly) {
    absl::flat_hash_set<const Instruction*> seen;
    std::vector<const Instruction*> pending;
    const int64_t floor = rank_[source].low;
    const auto reach = [&](const Instruction* before) {
      const auto rank = rank_.find(before);
      if (rank != rank_.end() && rank->second.high < floor) return;
      if (seen.insert(before).second) pending.push_back(before);
    };
    for (const Instruction* operand : target->operands()) {
      if (!directly || operand != source) reach(operand);
    }
    while (!pending.empty()) {
      const Instruction* instruction = pending.back();
      pending.pop_back();
      if (instruction == source || seen.size() > kMaxVisited) return true;
      for (const Instruction* operand : instruction->operands()) reach(operand);
      for (const Instruction* before : instruction->control_predecessors()) reach(before);
    }
    return false;
  }

  // What needs `source`, directly or not, and has a high below `high`: it would come to need all that stands
  // up to there. Nothing if that is too much to look at.
  std::optional<std::vector<const Instruction*>> UsersBelow(const Instruction* source, int64_t high) {
    absl::flat_hash_set<const Instruction*> seen = {source};
    std::vector<const Instruction*> ranked, pending = {source};
    while (!pending.empty()) {
      const Instruction* instruction = pending.back();
      pending.pop_back();
      const auto reach = [&](const Instruction* after) {
        const auto rank = rank_.find(after);
        if (rank != rank_.end() && rank->second.high >= high) return;
        if (!seen.insert(after).second) return;
        if (rank != rank_.end()) ranked.push_back(after);
        pending.push_back(after);
      };
      for (const hlo::Use& use : instruction->uses()) reach(use.user);
      for (const Instruction* after : instruction->control_successors()) reach(after);
      if (seen.size() > kMaxVisited) return std::nullopt;
    }
    return ranked;
  }

  // Both bodies laid out in the computation, then taken up by one fusion.
  Instruction* Merge(Instruction* a, Instruction* b) {
    std::vector<Instruction*> members, outputs;
    const Rank rank = {std::min(rank_[a].low, rank_[b].low), std::max(rank_[a].high, rank_[b].high)};
    std::vector<std::pair<Instruction*, size_t>> old_results;  // the fusions, and how many outputs each has
    for (Instruction* fusion : {a, b}) {
      std::vector<Instruction*> operands = fusion->operands();
      if (fusion == b) std::ranges::replace(operands, a, outputs[0]);
      const BodyCopy copies = CopyBody(*fusion->called(), operands, computation_);
      for (Instruction* copy : copies.instructions) {
        if (!copy->IsConstant() && copy->opcode() != Opcode::kTuple) members.push_back(copy);
      }
      const auto results = Results(fusion);
      for (const Instruction* result : results) outputs.push_back(copies[result]);
      Instruction* root = copies[fusion->called()->root()];
      if (root->opcode() == Opcode::kTuple) computation_.Remove(root);
      old_results.emplace_back(fusion, results.size());
    }
    size_t next = 0;
    for (auto& [fusion, count] : old_results) {
      if (fusion->shape().IsTuple()) {
        for (Instruction* user : fusion->users()) {
          const auto index = static_cast<size_t>(user->As<hlo::GetTupleElementAttributes>().index);
          user->ReplaceAllUsesWith(outputs[next + index]);
          gone_.insert(user);
          computation_.Remove(user);
        }
      } else {
        fusion->ReplaceAllUsesWith(outputs[next]);
      }
      next += count;
    }
    // A result that nobody outside reads any more is no output; equal ones are one.
    std::vector<Instruction*> needed;
    absl::flat_hash_set<const Instruction*> inside(members.begin(), members.end());
    inside.insert(b);
    for (Instruction* output : outputs) {
      const bool outside = output->IsRoot() || std::ranges::any_of(output->uses(), [&](const hlo::Use& use) {
                             return !inside.contains(use.user);
                           });
      if (outside && std::ranges::find(needed, output) == needed.end()) needed.push_back(output);
    }
    if (needed.empty()) needed.push_back(outputs.back());
    for (Instruction* fusion : {b, a}) {
      gone_.insert(fusion);
      computation_.Remove(fusion);
    }
    Instruction* merged = OutlineFusion(members, needed);
    rank_[merged] = rank;
    for (Instruction* user : merged->users()) rank_[user] = rank;
    return merged;
  }

  // Of the pairs that an instruction is refused in, each reason is said once.
  void Record(const Instruction* instruction, bool yes, Fact fact, int64_t a, int64_t b) {
    if (!yes && !said_.emplace(instruction, fact).second) return;
    decision::Decide(context_.log, Question::kFuseSiblings, yes, fact, a, b, instruction->id());
  }

  Computation& computation_;
  PassContext& context_;
  absl::flat_hash_map<const Instruction*, Rank> rank_;
  absl::flat_hash_set<const Instruction*> gone_;
  absl::flat_hash_set<std::pair<const Instruction*, Fact>> said_;
};

}  // namespace

Result<bool> FuseSiblings(hlo::Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : module.MakePostOrder()) {
    if (computation->IsFusionBody()) continue;
    const bool holds_fusions = std::ranges::any_of(
        computation->instructions(),
        [](const Instruction* instruction) { return instruction->opcode() == Opcode::kFusion; });
    if (holds_fusions) changed |= SiblingFuser(*computation, context).Run();
  }
  if (changed) module.RemoveUnusedComputations();
  return changed;
}

}  // namespace subfloor::passes
