#include <algorithm>
#include <vector>

#include "passes/make.h"
#include "passes/simplify/algebra/rules.h"

namespace subfloor::passes {

using hlo::Instruction;
using hlo::Opcode;

Instruction* SimplifyProduct(Instruction* dot) {
  if (dot->operand_count() != 2) return nullptr;
  const auto& attributes = dot->As<hlo::DotAttributes>();
  Instruction *lhs = dot->operand(0), *rhs = dot->operand(1);
  const ElementType type = dot->shape().element_type();
  int64_t depth = 1;
  for (const int64_t d : attributes.lhs_contracting) depth *= lhs->shape().dimension(d);
  if (depth == 0) return MakeZeros(dot->parent(), dot->shape());
  // One product an output: no sum, so a multiplication rounds as the dot does. The sum's zero turns -0 into
  // +0.
  const bool one_type = lhs->shape().element_type() == type && rhs->shape().element_type() == type;
  if (depth != 1 || !one_type || IsComplex(type) || attributes.algorithm != hlo::DotAlgorithm::kUnset)
    return nullptr;

  // Result dimensions are batch, then those of one side, then of the other; the sides keep the order of what
  // is left.
  const auto spread = [&](Instruction* side, const hlo::IntList& batch, const hlo::IntList& contracting,
                          int64_t first_free) {
    std::vector<int64_t> order(batch.begin(), batch.end()), mapping;
    for (size_t i = 0; i < batch.size(); ++i) mapping.push_back(static_cast<int64_t>(i));
    for (int64_t d = 0; d < side->shape().rank(); ++d) {
      if (std::ranges::find(batch, d) != batch.end() ||
          std::ranges::find(contracting, d) != contracting.end())
        continue;
      order.push_back(d);
      mapping.push_back(first_free++);
    }
    std::vector<int64_t> sizes = Permute(side->shape().dimensions(), order);
    order.insert(order.end(), contracting.begin(), contracting.end());
    Instruction* arranged = MakeReshape(MakeTranspose(side, order), sizes);
    return std::pair(MakeBroadcast(arranged, dot->shape().dimensions(), mapping), first_free);
  };
  const auto batches = static_cast<int64_t>(attributes.lhs_batch.size());
  const auto [left, next] = spread(lhs, attributes.lhs_batch, attributes.lhs_contracting, batches);
  const auto [right, end] = spread(rhs, attributes.rhs_batch, attributes.rhs_contracting, next);
  Instruction* product = MakeBinary(Opcode::kMultiply, left, right);
  if (!IsFloat(type)) return product;
  return MakeBinary(Opcode::kAdd, product, MakeZeros(dot->parent(), dot->shape()));
}

}  // namespace subfloor::passes
