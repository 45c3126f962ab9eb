#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "decision/decision.h"
#include "hlo/instruction.h"

/// A fusion in the making: which instructions it holds and how often it would compute each of their elements.
namespace subfloor::passes {

/// One way in which a group reads a value: emission computes an element once for each distinct reading.
struct Reading {
  uint64_t map;  ///< equal for equal maps from the loop's index to the value's
  double evals;  ///< elements computed under this map, over the whole kernel
  bool linear;   ///< the value's linear index is the loop's: nothing but elementwise ops and reshapes lies
                 ///< between
};
using Readings = std::vector<Reading>;

class Group {
 public:
  struct Limits {
    int64_t instructions;
    size_t readings = 4;
  };
  /// Why a producer may not join: the first fact that failed, with its two numbers.
  struct Refusal {
    decision::Fact fact;
    int64_t a = 0, b = 0;
  };

  explicit Group(hlo::Instruction* root);

  /// How the members read `producer`. Empty if none does.
  Readings ReadingsOf(const hlo::Instruction* producer) const;
  /// nullopt if `producer`, read so, may be computed inside.
  std::optional<Refusal> Refuses(const hlo::Instruction* producer, const Readings& readings,
                                 const Limits& limits) const;
  /// `redundant_flops`: what computing it here costs beyond computing each element once.
  void Join(hlo::Instruction* producer, Readings readings, double redundant_flops);

  hlo::Instruction* root() const { return root_; }
  /// Operands first.
  std::vector<hlo::Instruction*> MembersInOrder() const { return {members_.rbegin(), members_.rend()}; }
  int64_t size() const { return static_cast<int64_t>(members_.size()); }
  bool Contains(const hlo::Instruction* instruction) const { return readings_.contains(instruction); }
  /// The reduction that the kernel is built around, or nullptr.
  const hlo::Instruction* hero() const { return hero_; }
  double work() const { return work_; }  ///< iterations of the kernel's innermost loop
  double redundant_flops() const { return redundant_flops_; }

 private:
  hlo::Instruction* root_;
  std::vector<hlo::Instruction*> members_;  // users first
  absl::flat_hash_map<const hlo::Instruction*, Readings> readings_;
  const hlo::Instruction* hero_ = nullptr;
  std::vector<int64_t> permutation_;  // of the one large transpose inside
  double work_ = 0, redundant_flops_ = 0;
  int64_t emissions_ = 0;
};

}  // namespace subfloor::passes
