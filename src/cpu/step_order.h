#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cpu/value_flow.h"

namespace subfloor::cpu {

/// One step of a computation: an instruction that does something, or a transfer (elided ones too, which do
/// nothing but say that two values are one).
struct OrderedStep {
  const hlo::Instruction* instruction = nullptr;
  const Transfer* transfer = nullptr;
};

/// The steps of every scheduled computation in the order in which they run. Calls are replaced by what they
/// call; tuples, bitcasts and other names for values are left out.
class StepOrder {
 public:
  /// `flow` must outlive the order, and its transfers stay where they are.
  explicit StepOrder(const ValueFlow& flow);
  const std::vector<OrderedStep>& Of(const hlo::Computation& computation) const {
    return order_.at(&computation);
  }

 private:
  absl::flat_hash_map<const hlo::Computation*, std::vector<OrderedStep>> order_;
};

/// True for instructions that only name or group values.
bool OnlyNames(hlo::Opcode opcode);

}  // namespace subfloor::cpu
