#pragma once

#include <array>

#include "base/error.h"
#include "evaluator/number.h"
#include "hlo/instruction.h"

namespace subfloor::evaluator {

/// An elementwise op, resolved once for its types: works on runs of wide values.
///
/// The result is exact in, or a far better approximation than, the result type; whoever stores it rounds it
/// once (Store or Round). `convert` alone rounds by itself, since no wide type holds every source exactly.
struct ElementOp {
  /// `in[i]` points at `count` values of in_kinds[i], `out` at room for as many of out_kind. `out` may be an
  /// `in` of the same size of value.
  using Kernel = void (*)(const ElementOp& op, const void* const* in, void* out, int64_t count);

  Kernel kernel = nullptr;
  int operand_count = 0;
  std::array<ElementType, 3> in_types{};
  std::array<WideKind, 3> in_kinds{};
  ElementType out_type{};
  WideKind out_kind{};
  // Attributes of the ops that have some.
  hlo::ComparisonDirection direction{};
  int exponent_bits = 0, mantissa_bits = 0;
};

/// Errors: bad input for an op that its operand type does not have (and(f32), maximum(c64)), or no
/// elementwise op.
Result<ElementOp> ResolveElementOp(const hlo::Instruction& instruction);

/// The kernel of a two-operand op on one type, for combiners: add, multiply, maximum, minimum, and, or, xor.
Result<ElementOp> ResolveBinary(hlo::Opcode opcode, ElementType type);

}  // namespace subfloor::evaluator
