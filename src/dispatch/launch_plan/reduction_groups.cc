#include <algorithm>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "dispatch/launch_plan/reduction_plan.h"

namespace subfloor::dispatch {
namespace {

using hlo::Instruction;
using hlo::Opcode;

bool IsOneValue(const Instruction* instruction) {
  const auto scalar = [](const Instruction* op) {
    return op->shape().IsArray() && op->shape().element_count() == 1;
  };
  if (instruction->IsConstant() || scalar(instruction)) return true;
  return instruction->opcode() == Opcode::kBroadcast &&
         (instruction->operand(0)->IsConstant() || scalar(instruction->operand(0)));
}

// Sets of roots, merged.
class Sets {
 public:
  explicit Sets(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), size_t{0}); }
  size_t Find(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Merge(size_t a, size_t b) {
    a = Find(a), b = Find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<size_t> parent_;
};

}  // namespace

ReductionGroups GroupReductions(const FusionView& fusion, std::span<const Instruction* const> heroes,
                                const device::DeviceDescription& device) {
  const auto roots = fusion.roots();
  ReductionGroups groups;
  for (size_t i = 0; i < roots.size(); ++i) {
    groups.is_reduction.push_back(heroes[i]->opcode() == Opcode::kReduce &&
                                  WhyNoReductionHero(*roots[i], *heroes[i], device).what ==
                                      ReductionProblem::What::kNone);
  }
  Sets sets(roots.size());
  // Side outputs may lie where inputs lay: they are written by one group, or one could overwrite what another
  // still reads.
  const auto first_side = std::ranges::find(groups.is_reduction, false) - groups.is_reduction.begin();
  for (size_t i = 0; i < roots.size(); ++i) {
    if (!groups.is_reduction[i]) sets.Merge(static_cast<size_t>(first_side), i);
  }
  // Whatever two roots are computed from is computed once, so they belong together. Constants and scalars are
  // cheaper computed anew: they tie no two reductions.
  struct Reached {
    size_t first = 0;
    bool reduction = false;  // a reduction was tied already
  };
  absl::flat_hash_map<const Instruction*, Reached> reached;
  for (size_t i = 0; i < roots.size(); ++i) {
    const auto reach = [&](const Instruction* value) {
      const bool reduction = groups.is_reduction[i];
      const auto [it, is_new] = reached.try_emplace(value, Reached{i, reduction});
      if (is_new) return;
      if (reduction && it->second.reduction && IsOneValue(value)) return;
      sets.Merge(it->second.first, i);
      it->second.reduction |= reduction;
    };
    const Instruction* root = roots[i];
    absl::flat_hash_map<const Instruction*, bool> outside;
    fusion.VisitFromConsumers(std::span(&root, 1), [&](const Instruction* value) {
      reach(value);
      for (const Instruction* operand : fusion.Operands(value)) {
        if (!fusion.Contains(operand) && outside.try_emplace(operand, true).second) reach(operand);
      }
      return FusionView::Step::kAdvance;
    });
  }
  absl::flat_hash_map<size_t, int64_t> numbers;
  for (size_t i = 0; i < roots.size(); ++i) {
    const auto [it, is_new] = numbers.try_emplace(sets.Find(i), static_cast<int64_t>(numbers.size()));
    groups.group_of_root.push_back(it->second);
  }
  groups.count = static_cast<int64_t>(numbers.size());
  return groups;
}

}  // namespace subfloor::dispatch
