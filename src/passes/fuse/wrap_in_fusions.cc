#include "passes/fuse/wrap_in_fusions.h"

#include "hlo/running_computations.h"
#include "passes/fuse/outline.h"
#include "passes/make.h"

namespace subfloor::passes {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

bool NeedsKernel(const Instruction* instruction) {
  switch (instruction->opcode()) {
    case Opcode::kBitcastConvert:
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kIota:
    case Opcode::kPad:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kReverse:
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
    case Opcode::kSlice:
    case Opcode::kSort:
    case Opcode::kTranspose:
      return true;
    case Opcode::kCopy:  // of equal layouts: plain bytes, no kernel
      return instruction->shape().IsArray() && instruction->shape() != instruction->operand(0)->shape();
    default:
      return instruction->IsElementwise();
  }
}

Result<bool> WrapInFusions(hlo::Module& module, PassContext&) {
  bool changed = false;
  // What a fusion or an op's to_apply holds is part of a kernel already.
  for (Computation* computation : hlo::RunningComputations(module)) {
    for (Instruction* instruction : computation->MakePostOrder()) {
      switch (instruction->opcode()) {
        case Opcode::kWhile:
        case Opcode::kConditional:
        case Opcode::kCall:
          continue;
        case Opcode::kReshape: {
          Instruction* bitcast =
              computation->Add(Opcode::kBitcast, instruction->shape(), {instruction->operand(0)});
          computation->Replace(instruction, bitcast);
          changed = true;
          continue;
        }
        default:
          break;
      }
      if (!NeedsKernel(instruction)) continue;
      OutlineFusion({&instruction, 1}, {&instruction, 1});
      changed = true;
    }
  }
  return changed;
}

}  // namespace subfloor::passes
