#include "passes/fuse/inline_fusions.h"

#include "passes/inline_body.h"
#include "passes/make.h"

namespace subfloor::passes {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

Result<bool> InlineFusions(hlo::Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : module.MakePostOrder()) {
    for (Instruction* fusion : computation->MakePostOrder()) {
      if (fusion->opcode() != Opcode::kFusion) continue;
      if (fusion->As<hlo::FusionAttributes>().kind == hlo::FusionKind::kCustom) {
        decision::Decide(context.log, decision::Question::kForeignStamp, false, decision::Fact::kUnknownStamp,
                         0, 0, fusion->id());
      }
      Instruction* value = InlineBody(*fusion);
      fusion->RemoveControlEdges();
      fusion->ReplaceAllUsesWith(value);
      computation->Remove(fusion);
      changed = true;
    }
  }
  if (changed) module.RemoveUnusedComputations();
  return changed;
}

}  // namespace subfloor::passes
