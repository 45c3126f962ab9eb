#include "hlo/running_computations.h"

#include "absl/container/flat_hash_set.h"

namespace subfloor::hlo {

std::vector<Computation*> RunningComputations(const Module& module) {
  std::vector<Computation*> found = {module.entry()};
  absl::flat_hash_set<const Computation*> seen = {module.entry()};
  for (size_t i = 0; i < found.size(); ++i) {
    for (const Instruction* instruction : found[i]->instructions()) {
      switch (instruction->opcode()) {
        case Opcode::kWhile:
        case Opcode::kConditional:
        case Opcode::kCall:
        case Opcode::kAsyncStart:
          for (Computation* called : instruction->called_computations()) {
            if (seen.insert(called).second) found.push_back(called);
          }
          break;
        default:
          break;
      }
    }
  }
  return found;
}

}  // namespace subfloor::hlo
