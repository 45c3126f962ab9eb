#include "cpu/check_nesting.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "runtime/cpu/executable.h"

namespace subfloor::cpu {

Status CheckNesting(const hlo::Module& module) {
  absl::flat_hash_map<const hlo::Computation*, int> levels;
  for (const hlo::Computation* computation : module.MakePostOrder()) {
    int level = 0;
    for (const hlo::Instruction* instruction : computation->instructions()) {
      const bool keeps_frame =
          instruction->opcode() == hlo::Opcode::kWhile || instruction->opcode() == hlo::Opcode::kConditional;
      for (const hlo::Computation* called : instruction->called_computations()) {
        level = std::max(level, levels[called] + (keeps_frame ? 1 : 0));
      }
    }
    levels[computation] = level;
  }
  const int deepest = levels[module.entry()];
  if (deepest <= runtime::Executable::kMaxNesting) return {};
  return NotSupported("loops and branches are nested {} deep; up to {} would work", deepest,
                      runtime::Executable::kMaxNesting);
}

}  // namespace subfloor::cpu
