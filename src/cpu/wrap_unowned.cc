#include "cpu/wrap_unowned.h"

#include "cpu/library_calls.h"
#include "passes/fuse/outline.h"

namespace subfloor::cpu {

Result<bool> WrapUnownedOps(hlo::Module& module, passes::PassContext& context) {
  std::vector<hlo::Instruction*> unowned;
  for (hlo::Computation* computation : module.MakePostOrder()) {
    if (computation->IsFusionBody()) continue;
    for (hlo::Instruction* instruction : computation->MakePostOrder()) {
      using enum hlo::Opcode;
      const hlo::Opcode opcode = instruction->opcode();
      const bool library_op = opcode == kDot || opcode == kConvolution || opcode == kFft;
      if (library_op && !LibraryTakes(*instruction, context.log)) unowned.push_back(instruction);
    }
  }
  for (hlo::Instruction* instruction : unowned) {
    hlo::Instruction* const only[] = {instruction};
    passes::OutlineFusion(only, only);
  }
  return !unowned.empty();
}

}  // namespace subfloor::cpu
