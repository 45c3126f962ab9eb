#include <algorithm>
#include <array>
#include <string_view>

#include "passes/make.h"
#include "passes/simplify/algebra/rules.h"

namespace subfloor::passes {
namespace {

using hlo::Instruction;
using hlo::Opcode;

// Marks for partitioners and placement that change nothing in a program for one device.
constexpr std::array<std::string_view, 8> kIdentityTargets = {"Sharding",
                                                              "SPMDFullToShardShape",
                                                              "SPMDShardToFullShape",
                                                              "LayoutConstraint",
                                                              "xla.sdy.FuncResultSharding",
                                                              "annotate_device_placement",
                                                              "MoveToDevice",
                                                              "MoveToHost"};

}  // namespace

Instruction* SimplifyIndexing(Instruction* instruction) {
  switch (instruction->opcode()) {
    case Opcode::kCustomCall: {
      const auto& call = instruction->As<hlo::CustomCallAttributes>();
      const bool identity = std::ranges::find(kIdentityTargets, call.target.text) != kIdentityTargets.end();
      if (!identity || call.has_side_effect || instruction->operand_count() != 1) return nullptr;
      return instruction->operand(0)->shape().Compatible(instruction->shape()) ? instruction->operand(0)
                                                                               : nullptr;
    }
    case Opcode::kGetDimensionSize: {
      const int64_t size = instruction->operand(0)->shape().dimension(instruction->dimensions()[0]);
      return MakeScalar(instruction->parent(), instruction->shape().element_type(), size);
    }
    case Opcode::kScatter: {
      // Without updates the operand stays as it is.
      if (instruction->operand_count() != 3) return nullptr;
      return instruction->operand(2)->shape().element_count() == 0 ? instruction->operand(0) : nullptr;
    }
    default:
      return nullptr;
  }
}

}  // namespace subfloor::passes
