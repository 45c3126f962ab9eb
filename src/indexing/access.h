#pragma once

#include <vector>

#include "hlo/computation.h"
#include "indexing/operand_index.h"

namespace subfloor::indexing {

/// One symbolic quantity that the code for an element will compute: the linear offset of a read from a
/// parameter or a large constant, the value of an iota, a condition. What a choice of loops makes cheap or
/// dear.
struct Access {
  enum class Kind : uint8_t { kRead, kValue, kCondition };
  Kind kind;
  const hlo::Instruction* source;  ///< parameter, constant, iota, or the op with the condition
  Expr expression;
  int64_t low = 0, high = 0;  ///< bounds, for a condition
  bool in_reduction =
      false;  ///< below a reduce, reduce-window, dot or convolution, whose loops have symbols of their own
};

/// All accesses behind element `index` of `root`, an instruction of a fusion body. Run-time starts are fresh
/// symbols. Each (instruction, index) is walked once.
std::vector<Access> CollectAccesses(Context& context, const hlo::Instruction& root, const Index& index);

/// Loop dimensions: which neighbouring dimensions of an iteration space run as one loop.
struct Collapsed {
  std::vector<int64_t> sizes;  ///< of the loops, outermost first; never empty
  /// The index in the original space for loop positions `loops`.
  Index Expand(Context& context, const Index& loops) const;

  std::vector<std::vector<int64_t>> groups;  ///< the original sizes in each loop
};

/// Merges neighbouring dimensions where no access gets more divisions by it. `roots` are walked with the same
/// index.
Collapsed Collapse(Context& context, std::span<const hlo::Instruction* const> roots,
                   std::span<const int64_t> sizes);

}  // namespace subfloor::indexing
