#pragma once

#include <optional>
#include <span>
#include <vector>

#include "evaluator/context.h"
#include "evaluator/scalar_program.h"

namespace subfloor::evaluator {

/// A called computation on scalars that answers with one pred: comparators and select functions. Compiled
/// where that is possible, else evaluated on literals. One is for one thread at a time.
class Predicate {
 public:
  Predicate(Context& context, const hlo::Computation& computation)
      : context_(context), computation_(computation), program_(ScalarProgram::Compile(computation)) {}

  /// `arguments[i]` is the array that holds parameter i, at `indices[i]`. Types must be the parameters'.
  Result<bool> operator()(std::span<const Literal* const> arguments, std::span<const int64_t> indices);

 private:
  Context& context_;
  const hlo::Computation& computation_;
  std::optional<ScalarProgram> program_;
};

}  // namespace subfloor::evaluator
