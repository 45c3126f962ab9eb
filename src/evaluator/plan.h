#pragma once

#include <cstdint>
#include <vector>

#include "hlo/computation.h"

namespace subfloor::evaluator {

/// The order in which a computation is evaluated. Values live in numbered slots, one an instruction; what
/// neither the root nor a side effect needs is left out.
struct Plan {
  struct Step {
    const hlo::Instruction* instruction;
    std::vector<int32_t> operands;  ///< slots
    std::vector<int32_t> dead;      ///< slots that no later step reads; disjoint from the root's
  };
  const hlo::Computation* computation;
  std::vector<Step> steps;  ///< step i writes slot i
  int32_t root_slot = -1;
};

Plan MakePlan(const hlo::Computation& computation);

}  // namespace subfloor::evaluator
