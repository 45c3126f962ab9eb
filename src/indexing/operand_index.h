#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/error.h"
#include "hlo/instruction.h"
#include "indexing/expr.h"

namespace subfloor::indexing {

/// One expression a dimension.
using Index = std::vector<Expr>;

/// low <= value <= high.
struct Bound {
  Expr value;
  int64_t low, high;
  enum class Truth : uint8_t { kFalse, kTrue, kUnknown };
  Truth Known() const;
};

/// Where an operand is read for one result element.
struct OperandRead {
  int64_t operand;
  Index index;
  std::vector<Bound> conditions;  ///< all must hold; empty: always
};

/// The reads behind one result element of a mover: the first whose conditions hold is the element. The last
/// one's may be taken to hold when none of the others' do.
using Reads = std::vector<OperandRead>;

/// The clamped start of the window in dimension `k` of the operand: dynamic-slice, dynamic-update-slice, and
/// gather, for which `index` is where in the start indices the numbers stand (all dimensions but that of the
/// index vector, in order).
using StartFunction = std::function<Result<Expr>(int64_t k, const Index& index)>;

/// True for the ops that only move elements: broadcast, reshape, bitcast (between equal element types),
/// transpose, slice, reverse, concatenate, pad, copy, dynamic-slice, dynamic-update-slice, gather,
/// opt-barrier, domain.
bool IsMover(const hlo::Instruction& instruction);

/// Reads of a mover. `starts` is asked once for each dimension of the operand that has a run-time start.
/// Errors: not supported for any other op; those of `starts`.
Result<Reads> ReadsOf(Context& context, const hlo::Instruction& instruction, const Index& index,
                      const StartFunction& starts);

/// The largest start that keeps the window of dynamic-slice, dynamic-update-slice or gather inside its
/// operand.
int64_t LastStart(const hlo::Instruction& instruction, int64_t dimension);

}  // namespace subfloor::indexing
