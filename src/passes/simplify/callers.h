#pragma once

#include "absl/container/flat_hash_map.h"
#include "hlo/module.h"

namespace subfloor::passes {

/// How many instructions of the module call each computation (an instruction that calls it twice counts
/// twice).
inline absl::flat_hash_map<const hlo::Computation*, int64_t> CountCallers(const hlo::Module& module) {
  absl::flat_hash_map<const hlo::Computation*, int64_t> callers;
  for (const hlo::Computation* computation : module.computations()) {
    for (const hlo::Instruction* instruction : computation->instructions()) {
      for (const hlo::Computation* callee : instruction->called_computations()) ++callers[callee];
    }
  }
  return callers;
}

}  // namespace subfloor::passes
