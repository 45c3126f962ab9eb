#pragma once

#include <optional>

#include "evaluator/op_functions.h"

namespace subfloor::evaluator {

/// linear_algebra.cc. What a custom call that stands for cholesky or triangular-solve (hlo/lapack_call.h)
/// gives; nullopt for other calls.
std::optional<Result<Literal>> EvaluateLapackCall(const hlo::Instruction& call, Operands operands);

}  // namespace subfloor::evaluator
