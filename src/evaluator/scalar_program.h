#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "evaluator/element_op.h"
#include "hlo/computation.h"

namespace subfloor::evaluator {

/// A computation on scalars, resolved to a list of steps on numbered registers, each a run of wide values:
/// reducers, comparators, mapped functions. Every step rounds its result to its type, as the computation
/// says. One program is for one thread at a time.
class ScalarProgram {
 public:
  /// How many elements a run holds at most.
  static constexpr int64_t kWidth = 256;

  /// nullopt when the computation holds more than elementwise ops, constants, tuples and calls of such
  /// computations on scalars; Context::Call evaluates those.
  static std::optional<ScalarProgram> Compile(const hlo::Computation& computation);

  int64_t parameter_count() const { return static_cast<int64_t>(parameters_.size()); }
  int64_t result_count() const { return static_cast<int64_t>(results_.size()); }
  ElementType parameter_type(int64_t i) const { return registers_[Parameter(i)].type; }
  ElementType result_type(int64_t i) const { return registers_[ResultRegister(i)].type; }

  /// Where to write parameter i before Run (its type's wide kind, kWidth values of room), e.g. by LoadAs.
  /// Values must be ones of the parameter's type. Run does not change them.
  void* parameter(int64_t i) { return registers_[Parameter(i)].bytes.data(); }
  /// Applies the computation to the first `count` elements of the parameters. Precondition: count <= kWidth.
  void Run(int64_t count);
  /// Result i (its type's wide kind), rounded; valid until the next Run.
  const void* result(int64_t i) const { return registers_[ResultRegister(i)].bytes.data(); }

  template <typename W>
  W* parameter_as(int64_t i) {
    return static_cast<W*>(parameter(i));
  }
  template <typename W>
  const W* result_as(int64_t i) const {
    return static_cast<const W*>(result(i));
  }

 private:
  friend class ScalarCompiler;
  struct Register {
    ElementType type;
    std::vector<std::byte> bytes;
  };
  struct Step {
    ElementOp op;
    std::array<size_t, 3> in;
    size_t out;
  };
  size_t Parameter(int64_t i) const { return parameters_[static_cast<size_t>(i)]; }
  size_t ResultRegister(int64_t i) const { return results_[static_cast<size_t>(i)]; }

  std::vector<Register> registers_;
  std::vector<size_t> parameters_, results_;
  std::vector<Step> steps_;
};

/// Converts wide values between kinds of one class or to a wider one; a quad narrows by rounding to `type`.
void ConvertWide(ElementType type, WideKind from, const void* in, WideKind to, void* out, int64_t count);

}  // namespace subfloor::evaluator
