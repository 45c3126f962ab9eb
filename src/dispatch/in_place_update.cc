#include "dispatch/in_place_update.h"

#include <algorithm>
#include <deque>

#include "absl/container/flat_hash_set.h"

namespace subfloor::dispatch {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using What = InPlaceProblem::What;

bool SameArray(const Shape& a, const Shape& b) {
  return a.SameDimensions(b) && a.element_type() == b.element_type();
}

// What a reader of the target, at any remove, does that an update in place could not stand.
What ProblemOfReader(const FusionView& fusion, const Instruction* reader, const Instruction* update) {
  const Shape& written = update->operand(1)->shape();
  const bool slices_target = reader->opcode() == Opcode::kDynamicSlice &&
                             fusion.Resolve(reader->operand(0)) == fusion.Resolve(update->operand(0));
  if (slices_target && SameArray(reader->shape(), written)) {
    // A single element is read before it or any other is written, wherever it lies: there is one thread.
    const bool harmless = written.element_count() == 1 || ReadsWhatIsUpdated(*reader, *update);
    return harmless ? What::kNone : What::kOtherSlice;
  }
  if (reader == update) return What::kNone;
  if (reader->opcode() == Opcode::kDynamicUpdateSlice) return What::kOtherUpdate;
  if (reader->IsElementwise() || reader->opcode() == Opcode::kBitcast) return What::kNone;
  return What::kTargetMoved;
}

InPlaceProblem ProblemOf(const FusionView& fusion, const Instruction* update, int64_t number) {
  for (const Instruction* value = update;;) {
    const std::vector<const Instruction*> users = fusion.Users(value);
    if (users.empty()) break;
    if (users.size() > 1 || users[0]->opcode() != Opcode::kBitcast) {
      return {What::kReadTwice, number, static_cast<int64_t>(users.size())};
    }
    value = users[0];
  }
  const Instruction* target = fusion.Resolve(update->operand(0));
  if (fusion.Contains(target) && target->opcode() == Opcode::kBitcast) {
    target = fusion.Resolve(target->operand(0));
  }
  if (fusion.Contains(target)) return {What::kTargetComputed, number};
  absl::flat_hash_set<const Instruction*> seen = {target, update};
  std::deque<const Instruction*> pending = {target};
  while (!pending.empty()) {
    const Instruction* value = pending.front();
    pending.pop_front();
    for (const Instruction* user : fusion.Users(value)) {
      const What what = ProblemOfReader(fusion, user, update);
      if (what != What::kNone) return {what, number};
      if (seen.insert(user).second) pending.push_back(user);
    }
  }
  return {};
}

}  // namespace

bool ReadsWhatIsUpdated(const Instruction& reader, const Instruction& update) {
  if (reader.opcode() != Opcode::kDynamicSlice || update.opcode() != Opcode::kDynamicUpdateSlice)
    return false;
  if (!reader.shape().SameDimensions(update.operand(1)->shape())) return false;
  if (reader.operand_count() + 1 != update.operand_count()) return false;
  for (int64_t i = 1; i < reader.operand_count(); ++i) {
    if (reader.operand(i) != update.operand(i + 1)) return false;
  }
  return true;
}

InPlaceProblem WhyNotInPlace(const FusionView& fusion, std::vector<const Instruction*>& updates) {
  updates.clear();
  for (const Instruction* root : fusion.roots()) {
    while (root->opcode() == Opcode::kBitcast && fusion.Contains(root))
      root = fusion.Resolve(root->operand(0));
    if (root->opcode() != Opcode::kDynamicUpdateSlice || !fusion.Contains(root)) {
      return {What::kNotAllUpdates, static_cast<int64_t>(updates.size())};
    }
    // One buffer cannot become two outputs.
    if (std::ranges::find(updates, root) != updates.end()) {
      return {What::kOtherUpdate, static_cast<int64_t>(updates.size())};
    }
    updates.push_back(root);
  }
  for (size_t i = 0; i < updates.size(); ++i) {
    const auto number = static_cast<int64_t>(i);
    if (InPlaceProblem problem = ProblemOf(fusion, updates[i], number); problem.what != What::kNone) {
      return problem;
    }
    if (!SameArray(updates[i]->operand(1)->shape(), updates[0]->operand(1)->shape())) {
      return {What::kShapesDiffer, number};
    }
  }
  return {};
}

}  // namespace subfloor::dispatch
