#pragma once

#include <memory>
#include <span>
#include <vector>

#include "evaluator/context.h"
#include "evaluator/element_op.h"
#include "evaluator/scalar_program.h"

namespace subfloor::evaluator {

/// The accumulators of a fold: `count` values for each of the combiner's N components, in wide types.
class Accumulators {
 public:
  Accumulators(std::span<const ElementType> types, int64_t count);
  int64_t count() const { return count_; }
  ElementType type(size_t component) const { return types_[component]; }
  std::byte* at(size_t component, int64_t index);
  /// Sets `count` values of a component from `first` on to element `from` of a literal.
  void Fill(size_t component, int64_t first, int64_t count, const Literal& literal, int64_t from);
  /// Reads `count` elements of a literal, from `from` on.
  void Read(size_t component, int64_t first, int64_t count, const Literal& literal, int64_t from);
  /// Rounds values once to the component's type and writes them to a literal of that type.
  void Write(size_t component, int64_t first, int64_t count, Literal& literal, int64_t to) const;

 private:
  std::vector<ElementType> types_;
  int64_t count_;
  std::vector<std::vector<std::byte>> values_;
};

/// A computation (acc0, .., value0, ..) -> (acc0', ..) that folds values into accumulators: what reduce,
/// reduce-window, scatter, select-and-scatter, all-reduce and scan call.
///
/// A recognised one (every component add, multiply, maximum, minimum, and, or, xor of its own two parameters)
/// keeps its accumulators wide and rounds when they are written; any other rounds as the computation says,
/// each time, and works by a ScalarProgram or, if it must, by evaluating the computation on literals.
class Combiner {
 public:
  /// `components` is N; the computation has 2N scalar parameters.
  static Result<Combiner> Make(Context& context, const hlo::Computation& computation, int64_t components);

  bool recognised() const { return !recognised_.empty(); }
  /// The op of a recognised component.
  hlo::Opcode opcode(size_t component) const { return opcodes_[component]; }
  /// Types of the accumulators: those of the computation's results.
  std::span<const ElementType> types() const { return types_; }
  Accumulators MakeAccumulators(int64_t count) const { return Accumulators(types_, count); }

  /// acc[first + i] = f(acc[first + i], values[value_first + i]) for i < count, in ascending i, each on its
  /// own. `values[c]` is the literal with the elements of component c, of any float precision or the type
  /// itself.
  Status FoldEach(Accumulators& acc, int64_t first, std::span<const Literal* const> values,
                  int64_t value_first, int64_t count);
  /// acc[index] = f(..f(f(acc[index], v[0]), v[1]).., v[count-1]) over elements that lie `stride` apart.
  Status FoldRun(Accumulators& acc, int64_t index, std::span<const Literal* const> values,
                 int64_t value_first, int64_t count, int64_t stride = 1);

 private:
  Combiner() = default;
  Status CallOnce(Accumulators& acc, int64_t index, std::span<const Literal* const> values,
                  int64_t value_index);

  Context* context_ = nullptr;
  const hlo::Computation* computation_ = nullptr;
  std::vector<ElementType> types_;
  std::vector<hlo::Opcode> opcodes_;
  std::vector<ElementOp> recognised_;
  std::shared_ptr<ScalarProgram> program_;
  std::vector<std::byte> buffer_;
};

}  // namespace subfloor::evaluator
