#pragma once

#include "indexing/operand_index.h"

namespace subfloor::indexing {

/// What a folding op (reduce, reduce-window, dot, convolution) reads for one term of one result element.
struct FoldTerm {
  std::vector<OperandRead> reads;  ///< one for each operand that is folded, without conditions
  std::vector<Bound> conditions;   ///< where one fails the term is left out
};

/// reduce, reduce-window, dot, convolution.
bool IsFold(const hlo::Instruction& instruction);

/// Sizes of the dimensions folded over, in index order: reduced dimensions, window, contracted dimensions,
/// kernel window and input features.
std::vector<int64_t> FoldSizes(const hlo::Instruction& instruction);

/// Sizes of the result that a fold's index runs over (of the first result, for variadic ones).
std::span<const int64_t> FoldResultSizes(const hlo::Instruction& instruction);

/// The term at position `at` (one expression for each of FoldSizes) of the result at `index`.
FoldTerm FoldTermAt(Context& context, const hlo::Instruction& instruction, const Index& index,
                    const Index& at);

}  // namespace subfloor::indexing
