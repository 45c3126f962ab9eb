#include "passes/fuse/fuse_instructions.h"

#include <algorithm>
#include <deque>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/fuse/cost.h"
#include "passes/fuse/group.h"
#include "passes/fuse/outline.h"
#include "passes/make.h"

namespace subfloor::passes {
namespace {

using decision::Fact;
using decision::Question;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

// What storing one element and reading it again is worth, and what one more kernel is, in flops.
constexpr double kFlopsPerStoredElement = 16;
constexpr double kFlopsPerKernel = 4096;
// Further flops an element of work that a kernel hides behind its memory traffic.
constexpr double kHiddenFlops = 2;
constexpr double kFreeScalarFlops = 8;

enum class Role {
  kOutside,   // no kernel: control flow, library calls, parameters
  kAnywhere,  // root or inside
  kRootOnly,  // a kernel's root, never inside another's
  kInside,    // free where it is read inside a kernel, no kernel of its own
};

Role RoleOf(const Instruction* instruction) {
  if (HasControlEdges(instruction) || instruction->shape().HasDynamicDimension()) return Role::kOutside;
  switch (instruction->opcode()) {
    case Opcode::kReshape:
      return Role::kInside;
    case Opcode::kBitcast:
      return Role::kInside;
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kReduceWindow:
      return Role::kRootOnly;
    case Opcode::kReduce:
      return instruction->shape().IsArray() ? Role::kAnywhere : Role::kRootOnly;
    case Opcode::kBitcastConvert:
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
    case Opcode::kIota:
    case Opcode::kPad:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
      return Role::kAnywhere;
    case Opcode::kCopy:
      return instruction->shape() == instruction->operand(0)->shape() ? Role::kOutside : Role::kAnywhere;
    default:
      return instruction->IsElementwise() ? Role::kAnywhere : Role::kOutside;
  }
}

double Total(const Readings& readings) {
  double evals = 0;
  for (const Reading& reading : readings) evals += reading.evals;
  return evals;
}

class Planner {
 public:
  Planner(Computation& computation, PassContext& context)
      : computation_(computation), context_(context), limits_{context.options.max_fusion_instructions} {}

  bool Run() {
    const std::vector<Instruction*> order = computation_.MakePostOrder();
    for (auto it = order.rbegin(); it != order.rend(); ++it) Place(*it);
    bool changed = false;
    // The last group made lies highest in the graph: producers are outlined before their consumers.
    for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
      if (group->size() < 2) continue;
      const std::vector<Instruction*> members = group->MembersInOrder();
      Instruction* root = group->root();
      OutlineFusion(members, {&root, 1});
      changed = true;
    }
    return changed;
  }

 private:
  struct Candidate {
    Group* group;
    Readings readings;
    std::optional<Group::Refusal> refusal;
  };

  void Place(Instruction* instruction) {
    const Role role = RoleOf(instruction);
    if (role == Role::kOutside) return;
    bool read_outside = instruction->IsRoot();
    std::vector<Candidate> candidates = Candidates(instruction, read_outside);
    if (!candidates.empty() && role != Role::kRootOnly) {
      if (JoinsConsumers(instruction, candidates, read_outside)) return;
    } else if (role == Role::kRootOnly && !candidates.empty()) {
      Record(instruction, false, {Fact::kNotFusible});
    }
    if (role == Role::kInside) return;
    groups_.emplace_back(instruction);
    groups_of_[instruction].push_back(&groups_.back());
  }

  // The groups that read the instruction, each once, in the order in which they were made.
  std::vector<Candidate> Candidates(const Instruction* instruction, bool& read_outside) {
    std::vector<Candidate> candidates;
    absl::flat_hash_set<const Group*> seen;
    for (const hlo::Use& use : instruction->uses()) {
      const auto groups = groups_of_.find(use.user);
      if (groups == groups_of_.end()) {
        read_outside = true;
        continue;
      }
      for (Group* group : groups->second) {
        if (!seen.insert(group).second) continue;
        Candidate& candidate =
            candidates.emplace_back(Candidate{group, group->ReadingsOf(instruction), std::nullopt});
        candidate.refusal = group->Refuses(instruction, candidate.readings, limits_);
      }
    }
    return candidates;
  }

  bool JoinsConsumers(Instruction* instruction, std::vector<Candidate>& candidates, bool read_outside) {
    const auto refused =
        std::ranges::find_if(candidates, [](const Candidate& c) { return c.refusal.has_value(); });
    if (read_outside || refused != candidates.end()) {
      const Group::Refusal why =
          refused != candidates.end() ? *refused->refusal : Group::Refusal{Fact::kReadByUnfused};
      const bool joined = JoinsSome(instruction, candidates);
      const auto kernels = static_cast<int64_t>(candidates.size());
      Record(instruction, joined, joined ? Group::Refusal{Fact::kCopiedIntoSome, kernels} : why);
      return joined;
    }
    const double redundant = RedundantFlops(instruction, candidates);
    if (const auto refusal = TooDear(instruction, candidates, redundant)) {
      Record(instruction, false, *refusal);
      return false;
    }
    JoinAll(instruction, candidates, redundant / static_cast<double>(candidates.size()));
    const auto kernels = static_cast<int64_t>(candidates.size());
    Record(instruction, true, {kernels == 1 ? Fact::kOnlyConsumer : Fact::kCopiedIntoConsumers, kernels});
    return true;
  }

  // A broadcast or the like is not worth a read from memory even where it is stored for somebody else: it
  // joins the kernels that take it, which are then all that is left of the candidates, and a copy of it
  // serves the other users. True if the instruction itself needs no kernel any more.
  bool JoinsSome(Instruction* instruction, std::vector<Candidate>& candidates) {
    const bool free = FlopsPerElement(instruction) == 0 &&
                      4 * BytesRead(instruction) <= static_cast<double>(instruction->shape().byte_size());
    absl::flat_hash_set<const Group*> refused;
    for (const Candidate& candidate : candidates) {
      if (candidate.refusal) refused.insert(candidate.group);
    }
    if (!free || refused.size() == candidates.size()) return false;
    std::vector<hlo::Use> others;
    for (const hlo::Use& use : instruction->uses()) {
      const auto groups = groups_of_.find(use.user);
      const int64_t count = groups == groups_of_.end() ? 0 : static_cast<int64_t>(groups->second.size());
      int64_t refusing = 0;
      for (int64_t i = 0; i < count; ++i)
        refusing += refused.contains(groups->second[static_cast<size_t>(i)]);
      if (refusing == count)
        others.push_back(use);
      else if (refusing > 0)
        return false;  // one user in kernels of both kinds
    }
    Instruction* copy = computation_.AddClone(*instruction, instruction->shape(), instruction->operands());
    for (const hlo::Use& use : others) use.user->ReplaceOperand(use.operand_index, copy);
    if (instruction->IsRoot()) computation_.set_root(copy);
    std::erase_if(candidates, [](const Candidate& c) { return c.refusal.has_value(); });
    JoinAll(instruction, candidates, 0);
    if (RoleOf(copy) != Role::kInside) {
      groups_.emplace_back(copy);
      groups_of_[copy].push_back(&groups_.back());
    }
    return true;
  }

  void JoinAll(Instruction* instruction, std::vector<Candidate>& candidates, double redundant_each) {
    for (Candidate& candidate : candidates) {
      candidate.group->Join(instruction, std::move(candidate.readings), redundant_each);
      groups_of_[instruction].push_back(candidate.group);
    }
  }

  static double RedundantFlops(const Instruction* instruction, const std::vector<Candidate>& candidates) {
    const double flops = FlopsPerElement(instruction);
    if (flops == 0 || (instruction->shape().IsScalar() && flops <= kFreeScalarFlops)) return 0;
    double evals = 0;
    for (const Candidate& candidate : candidates) evals += Total(candidate.readings);
    return std::max(0.0, evals - static_cast<double>(instruction->shape().element_count())) * flops;
  }

  static std::optional<Group::Refusal> TooDear(const Instruction* instruction,
                                               const std::vector<Candidate>& candidates, double redundant) {
    const auto count = static_cast<double>(instruction->shape().element_count());
    double work = 0, so_far = 0, evals = 0;
    for (const Candidate& candidate : candidates) {
      work += candidate.group->work();
      so_far += candidate.group->redundant_flops();
      evals += Total(candidate.readings);
    }
    if (redundant > 0 && so_far + redundant > std::max({kFlopsPerStoredElement * count, kHiddenFlops * work,
                                                        kFlopsPerKernel})) {
      return Group::Refusal{Fact::kExpensiveReuse, static_cast<int64_t>(evals / std::max(1.0, count))};
    }
    if (candidates.size() == 1) return std::nullopt;
    // Copying a reduction, or anything that reads more than it writes and reads back, loses.
    const auto kernels = static_cast<double>(candidates.size());
    const auto bytes = static_cast<double>(instruction->shape().byte_size());
    const double read =
        BytesRead(instruction) * std::min(kernels, std::max(1.0, evals / std::max(1.0, count)));
    if (instruction->opcode() == Opcode::kReduce || read > BytesRead(instruction) + bytes * (1 + kernels)) {
      return Group::Refusal{Fact::kStoringIsCheaper, static_cast<int64_t>(kernels)};
    }
    return std::nullopt;
  }

  void Record(const Instruction* instruction, bool yes, const Group::Refusal& why) {
    decision::Decide(context_.log, Question::kFuse, yes, why.fact, why.a, why.b, instruction->id());
  }

  Computation& computation_;
  PassContext& context_;
  Group::Limits limits_;
  std::deque<Group> groups_;  // stable addresses
  absl::flat_hash_map<const Instruction*, std::vector<Group*>> groups_of_;
};

}  // namespace

Result<bool> FuseInstructions(hlo::Module& module, PassContext& context) {
  bool changed = false;
  std::vector<Computation*> pending = {module.entry()};
  absl::flat_hash_set<const Computation*> seen = {module.entry()};
  while (!pending.empty()) {
    Computation* computation = pending.back();
    pending.pop_back();
    for (const Instruction* instruction : computation->instructions()) {
      const Opcode opcode = instruction->opcode();
      if (opcode != Opcode::kWhile && opcode != Opcode::kConditional && opcode != Opcode::kCall) continue;
      for (Computation* callee : instruction->called_computations()) {
        if (seen.insert(callee).second) pending.push_back(callee);
      }
    }
    changed |= Planner(*computation, context).Run();
  }
  return changed;
}

}  // namespace subfloor::passes
