#pragma once

#include <vector>

#include "base/error.h"
#include "hlo/computation.h"

namespace subfloor::evaluator {

/// One array (or token) that a node produces: leaf `leaf` of its shape.
struct ValueRef {
  int32_t node;
  int32_t leaf;
};

/// A computation with calls and fusions expanded and tuples seen through: nodes in an order in which operands
/// come first.
struct FlatGraph {
  struct Node {
    const hlo::Instruction* instruction;  ///< for an argument: the parameter of the outermost computation
    /// Leaves of each operand, in order; a tuple operand has several, or none.
    std::vector<std::vector<ValueRef>> operands;
  };
  std::vector<Node> nodes;
  std::vector<ValueRef> results;  ///< leaves of the root
};

/// Errors: not supported for calls nested deeper than 200.
Result<FlatGraph> Flatten(const hlo::Computation& computation);

}  // namespace subfloor::evaluator
