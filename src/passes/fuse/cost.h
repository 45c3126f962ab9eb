#pragma once

#include "hlo/instruction.h"

namespace subfloor::passes {

/// What computing one element of an instruction's result costs, in operations of an add's price: 0 for ops
/// that only say where an element comes from, 1 for add and compare, 5 for divide, 20 to 60 for elementary
/// functions, 4 times as much for complex types. Reductions count one for each element read.
double FlopsPerElement(const hlo::Instruction* instruction);

/// Bytes that computing the whole result reads from memory: each array operand once, broadcasts and scalars
/// looked through to what they read, operands of which only a part is read (slice, gather) by that part.
double BytesRead(const hlo::Instruction* instruction);

}  // namespace subfloor::passes
