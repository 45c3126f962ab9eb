#pragma once

#include <functional>
#include <vector>

#include "codegen/emitters/emission.h"

namespace subfloor::codegen::emitters {

/// How a folding op (indexing/fold_index.h) makes one result element of its terms.
struct FoldSpec {
  const hlo::Instruction* op = nullptr;
  /// One recognised op a result: the order is free. Empty: by `computation`, in index order.
  std::vector<hlo::Opcode> ops;
  const hlo::Computation* computation = nullptr;
  std::vector<ElementType> accumulators;  ///< types of the accumulators; those of the results when in order
  std::vector<ElementType> results;
  /// One element a result, of any type, for the term at this position.
  std::function<Result<Elements>(const indexing::FoldTerm& term)> read;
  std::function<Result<Elements>()> initial;
};

/// The results of `spec.op` at `index`. No condition of a term may differ between lanes of the index.
///
/// With free order it keeps several accumulators, in lanes of its own where memory is read along a folded
/// dimension, and sums in blocks so that the error does not grow with the length. In index order there is one
/// sequence for each result element; lanes then run across results.
Result<Elements> EmitFold(Emission& emission, Frame& frame, const FoldSpec& spec, const Index& index);

}  // namespace subfloor::codegen::emitters
