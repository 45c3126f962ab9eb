#pragma once

#include <span>
#include <vector>

#include "evaluator/evaluator.h"

namespace subfloor {

/// One element of a module's result.
struct ResultElement {
  int64_t leaf = 0;     ///< which array, as Leaves(root shape) counts them
  int64_t element = 0;  ///< row-major index in that array
};

/// Evaluates only what the wanted elements need, so that programs with large results can be checked by
/// samples.
///
/// Takes: a verified module and its arguments as Evaluate does, and the wanted elements in any order. Gives:
/// one scalar for each, what Evaluate gives at that place (the order in which a recognised sum adds up may
/// differ). Elementwise ops, movers, reductions and dots are followed element by element; where most of an
/// operand is needed, or an op has no rule (loops, sorts, convolutions...), the operand is evaluated whole,
/// once. Errors: as Evaluate; bad input for an element that does not exist.
Result<std::vector<Literal>> EvaluateSampled(const hlo::Module& module, std::span<const Literal> arguments,
                                             std::span<const ResultElement> wanted,
                                             const EvaluateOptions& options = {});

}  // namespace subfloor
