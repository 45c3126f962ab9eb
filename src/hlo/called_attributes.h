#pragma once

#include <span>
#include <string_view>

#include "hlo/opcode.h"

namespace subfloor::hlo {

/// One attribute that names called computations.
struct CalledAttribute {
  std::string_view name;
  int slot;      ///< where the (first) computation stands in Instruction::called_computations()
  bool is_list;  ///< `{a, b}`
};

/// The attributes under which text may name the computations that an opcode calls. All alternatives are
/// listed; see CalledComputationNames in instruction.h for the ones that are printed.
std::span<const CalledAttribute> CalledAttributesOf(Opcode opcode);

/// How many computations an instruction of this opcode must call at least.
int LeastCalled(Opcode opcode);

}  // namespace subfloor::hlo
