#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hlo/instruction.h"

namespace subfloor::evaluator {

/// How to get some elements of an instruction's result from some elements of its operands: one op on small
/// arrays.
struct SampleRecipe {
  struct Source {
    int32_t operand;  ///< of the instruction; -1 stands for a zero
    int64_t element;  ///< row-major index in that operand
  };
  /// An array of the small op: its elements, in row-major order of `dimensions`.
  struct Part {
    ElementType type;
    std::vector<int64_t> dimensions;
    std::vector<Source> sources;
  };
  hlo::Opcode opcode;
  hlo::Attributes attributes;
  std::vector<Part> parts;
};

/// The recipe for `elements` (row-major indices into the result). The op's result is an array of as many
/// elements. nullopt for an op without a rule, and where more than `source_limit` operand elements would be
/// needed.
std::optional<SampleRecipe> MakeSampleRecipe(const hlo::Instruction& instruction,
                                             std::span<const int64_t> elements, int64_t source_limit);

}  // namespace subfloor::evaluator
