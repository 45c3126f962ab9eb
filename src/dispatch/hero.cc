#include "dispatch/hero.h"

#include <deque>
#include <functional>

#include "absl/container/flat_hash_set.h"
#include "dispatch/physical_order.h"
#include "dispatch/transpose_shape.h"

namespace subfloor::dispatch {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using Step = FusionView::Step;

constexpr int64_t kOperandsOnTheWay = 3;

bool SameLayout(const Shape& a, const Shape& b) { return PhysicalOrder(a) == PhysicalOrder(b); }

// Every op that the value reaches passes elements on one by one.
bool OnlyReadElementwise(const FusionView& fusion, const Instruction* value) {
  absl::flat_hash_set<const Instruction*> seen;
  std::deque<const Instruction*> pending = {value};
  while (!pending.empty()) {
    const Instruction* current = pending.front();
    pending.pop_front();
    for (const Instruction* user : fusion.Users(current)) {
      if (!seen.insert(user).second) continue;
      if (!IsIntermediate(*user, kOperandsOnTheWay)) return false;
      pending.push_back(user);
    }
  }
  return true;
}

// The one op below `from` for which `is_hero` holds, reached through ops that pass elements on; nullptr if
// there are none, two, or it is read otherwise too.
const Instruction* FindOne(const FusionView& fusion, const Instruction* from,
                           const std::function<bool(const Instruction&)>& is_hero) {
  const Instruction* hero = nullptr;
  fusion.VisitFromConsumers(std::span(&from, 1), [&](const Instruction* current) {
    if (is_hero(*current)) {
      const bool second = hero != nullptr;
      hero = second ? nullptr : current;
      return second ? Step::kStop : Step::kSkip;
    }
    return IsIntermediate(*current, kOperandsOnTheWay) ? Step::kAdvance : Step::kSkip;
  });
  return hero && OnlyReadElementwise(fusion, hero) ? hero : nullptr;
}

}  // namespace

bool IsIntermediate(const Instruction& instruction, int64_t max_operands) {
  if (instruction.operand_count() == 0 || instruction.operand_count() > max_operands) return false;
  const Shape& from = instruction.operand(0)->shape();
  const Shape& to = instruction.shape();
  switch (instruction.opcode()) {
    case Opcode::kCopy:
      return SameLayout(from, to);
    case Opcode::kBitcast:
      return true;
    case Opcode::kBitcastConvert:
      return BitWidth(from.element_type()) == BitWidth(to.element_type());
    case Opcode::kReshape:
      return SameBytesInOrder(from, to);
    case Opcode::kTranspose:
      return MovesNothing(from, to, instruction.dimensions());
    default:
      return instruction.IsElementwise();
  }
}

const Instruction* EndOfChain(const FusionView& fusion, const Instruction* root) {
  const Instruction* current = root;
  while (fusion.Contains(current) && IsIntermediate(*current, 1)) {
    const Instruction* operand = fusion.Resolve(current->operand(0));
    if (!fusion.Contains(operand)) break;
    current = operand;
  }
  return current;
}

const Instruction* FindHero(const FusionView& fusion, const Instruction* root) {
  const Instruction* end = EndOfChain(fusion, root);
  if (!fusion.Contains(end)) return root;
  const auto is_transpose = [](const Instruction& op) { return TiledTranspose(op).has_value(); };
  if (const Instruction* hero = FindOne(fusion, end, is_transpose)) return hero;
  const auto is_concatenate = [](const Instruction& op) { return op.opcode() == Opcode::kConcatenate; };
  if (const Instruction* hero = FindOne(fusion, end, is_concatenate)) return hero;
  return end->opcode() == Opcode::kReduce ? end : root;
}

const Instruction* NearestTranspose(const FusionView& fusion, const Instruction* root) {
  const Instruction* found = nullptr;
  fusion.VisitFromConsumers(std::span(&root, 1), [&](const Instruction* current) {
    if (current->opcode() == Opcode::kTranspose) {
      found = current;
      if (!IsIntermediate(*current, 1)) return Step::kStop;
    }
    return IsIntermediate(*current, kOperandsOnTheWay) ? Step::kAdvance : Step::kSkip;
  });
  return found;
}

}  // namespace subfloor::dispatch
