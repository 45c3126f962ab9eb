#include "dispatch/cpu_dispatch.h"

#include <algorithm>

#include "dispatch/in_place_update.h"

namespace subfloor::dispatch {
namespace {

using decision::Fact;
using decision::Question;
using hlo::Instruction;
using hlo::Opcode;

bool MovesNothing(const Instruction* instruction) {
  return instruction->opcode() == Opcode::kBitcast || instruction->opcode() == Opcode::kReshape;
}

const Instruction* SkipReshapes(const Instruction* instruction) {
  while (MovesNothing(instruction)) instruction = instruction->operand(0);
  return instruction;
}

// The first op of the kind that a root is computed from element by element, with one use on the way; nullptr
// if there is none. `passed` counts the elementwise ops between.
const Instruction* FindHero(const Instruction* root, Opcode opcode, int64_t& passed) {
  std::vector<const Instruction*> pending = {root};
  passed = 0;
  while (!pending.empty()) {
    const Instruction* current = pending.back();
    pending.pop_back();
    if (current->opcode() == opcode) return current;
    if (!current->IsElementwise() && !MovesNothing(current)) continue;
    ++passed;
    for (int64_t i = current->operand_count(); i-- > 0;) pending.push_back(current->operand(i));
    if (passed > 1000) return nullptr;
  }
  return nullptr;
}

bool OnlyUpdated(const Instruction* parameter, const Instruction* update, int64_t operand) {
  std::vector<const Instruction*> pending = {parameter};
  while (!pending.empty()) {
    const Instruction* value = pending.back();
    pending.pop_back();
    for (const hlo::Use& use : value->uses()) {
      if (use.user == update && use.operand_index == operand) continue;
      if (MovesNothing(use.user)) {
        pending.push_back(use.user);
        continue;
      }
      if (!ReadsWhatIsUpdated(*use.user, *update)) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<std::pair<int64_t, int64_t>> InPlaceUpdates(const hlo::Computation& body) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  int64_t leaf = 0;
  const std::vector<const Instruction*> roots = Roots(body);
  for (const Instruction* root : roots) {
    const Instruction* update = SkipReshapes(root);
    int64_t targets = 0;
    if (update->opcode() == Opcode::kDynamicUpdateSlice) targets = 1;
    if (update->opcode() == Opcode::kScatter) targets = update->operand_count() / 2;
    if (targets == 0) return {};
    for (int64_t i = 0; i < targets; ++i, ++leaf) {
      const Instruction* target = SkipReshapes(update->operand(i));
      if (!target->IsParameter() || !OnlyUpdated(target, update, i)) return {};
      const int64_t parameter = target->parameter_number();
      if (std::ranges::any_of(pairs, [&](const auto& pair) { return pair.first == parameter; })) return {};
      pairs.emplace_back(parameter, leaf);
    }
  }
  return pairs;
}

std::vector<std::pair<int64_t, int64_t>> ElementwiseOverlaps(const hlo::Computation& body) {
  for (const Instruction* instruction : body.instructions()) {
    switch (instruction->opcode()) {
      // Not plain loops: they may read an element after its place was written.
      case Opcode::kReduce:
      case Opcode::kReduceWindow:
      case Opcode::kScatter:
      case Opcode::kSort:
      case Opcode::kTranspose:
      case Opcode::kConcatenate:
      case Opcode::kDot:
      case Opcode::kConvolution:
      case Opcode::kDynamicUpdateSlice:
        return {};
      default:
        break;
    }
  }
  const std::vector<const Instruction*> roots = Roots(body);
  // Results of one size are computed together, each element of all of them before any is stored. Others have
  // loops of their own, the later of which would read what the earlier has overwritten.
  for (const Instruction* root : roots) {
    if (root->shape().element_count() != roots[0]->shape().element_count()) return {};
  }
  const auto read_in_place = [&](const Instruction* parameter) {
    std::vector<const Instruction*> pending = {parameter};
    std::vector<const Instruction*> seen;
    while (!pending.empty()) {
      const Instruction* value = pending.back();
      pending.pop_back();
      if (std::ranges::find(seen, value) != seen.end()) continue;
      seen.push_back(value);
      for (const hlo::Use& use : value->uses()) {
        if (use.user == body.root() && use.user->opcode() == Opcode::kTuple) continue;
        if (!use.user->IsElementwise() || !use.user->shape().SameDimensions(parameter->shape())) return false;
        pending.push_back(use.user);
      }
    }
    return true;
  };
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const Instruction* parameter : body.parameters()) {
    if (!parameter->shape().IsArray() || !read_in_place(parameter)) continue;
    for (size_t leaf = 0; leaf < roots.size(); ++leaf) {
      if (roots[leaf]->shape().SameDimensions(parameter->shape()) &&
          roots[leaf]->shape().byte_size() == parameter->shape().byte_size()) {
        pairs.emplace_back(parameter->parameter_number(), static_cast<int64_t>(leaf));
      }
    }
  }
  return pairs;
}

CpuChoice ChooseCpuEmitter(const hlo::Computation& body, int64_t instruction, decision::Log* log) {
  const std::vector<const Instruction*> roots = Roots(body);
  const auto ask = [&](Question question, bool yes, Fact fact, int64_t a = 0) {
    return decision::Decide(log, question, yes, fact, a, 0, instruction);
  };
  // These two write where their data says: their results cannot pass through anything on the way to memory.
  const auto root_is = [&](Opcode opcode) { return body.root()->opcode() == opcode; };

  if (ask(Question::kScatterRoot, root_is(Opcode::kScatter),
          root_is(Opcode::kScatter) ? Fact::kRootIs : Fact::kRootIsNot)) {
    return {EmitterKind::kScatter, body.root()};
  }
  if (ask(Question::kSortRoot, root_is(Opcode::kSort),
          root_is(Opcode::kSort) ? Fact::kRootIs : Fact::kRootIsNot)) {
    return {EmitterKind::kSort, body.root()};
  }
  const bool updates = std::ranges::all_of(roots, [](const Instruction* root) {
    return SkipReshapes(root)->opcode() == Opcode::kDynamicUpdateSlice;
  });
  const bool in_place = updates && !InPlaceUpdates(body).empty();
  if (ask(Question::kInPlaceUpdate, in_place,
          in_place ? Fact::kRootIs : (updates ? Fact::kOtherReader : Fact::kRootIsNot))) {
    return {EmitterKind::kInPlaceUpdate, SkipReshapes(roots[0])};
  }
  const auto hero = [&](Question question, Opcode opcode) -> const Instruction* {
    for (const Instruction* root : roots) {
      int64_t passed = 0;
      if (const Instruction* found = FindHero(root, opcode, passed)) {
        ask(question, true, Fact::kHeroFound, passed);
        return found;
      }
    }
    ask(question, false, Fact::kNoHero);
    return nullptr;
  };
  if (const Instruction* found = hero(Question::kReductionHero, Opcode::kReduce))
    return {EmitterKind::kReduction, found};
  if (const Instruction* found = hero(Question::kTransposeHero, Opcode::kTranspose)) {
    return {EmitterKind::kTranspose, found};
  }
  if (const Instruction* found = hero(Question::kConcatenateHero, Opcode::kConcatenate)) {
    return {EmitterKind::kConcatenate, found};
  }
  ask(Question::kLoop, true, Fact::kNothingElse);
  return {};
}

}  // namespace subfloor::dispatch
