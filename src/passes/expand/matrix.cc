#include "passes/expand/matrix.h"

#include <numeric>

namespace subfloor::passes {

using hlo::Builder;
using hlo::Instruction;

Instruction* BatchMatMul(Builder& b, Instruction* lhs, Instruction* rhs) {
  const int64_t rank = lhs->shape().rank();
  hlo::DotAttributes dims;
  for (int64_t d = 0; d + 2 < rank; ++d) {
    dims.lhs_batch.push_back(d);
    dims.rhs_batch.push_back(d);
  }
  dims.lhs_contracting = {rank - 1};
  dims.rhs_contracting = {rank - 2};
  dims.operand_precision = {hlo::Precision::kHighest, hlo::Precision::kHighest};
  return b.Dot(lhs, rhs, std::move(dims));
}

Instruction* SwapLastTwo(Builder& b, Instruction* x) {
  std::vector<int64_t> permutation(static_cast<size_t>(x->shape().rank()));
  std::iota(permutation.begin(), permutation.end(), int64_t{0});
  if (permutation.size() >= 2)
    std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
  return b.Transpose(x, permutation);
}

Instruction* Conjugate(Builder& b, Instruction* x) {
  if (!IsComplex(x->shape().element_type())) return x;
  return b.Complex(b.Real(x), b.Negate(b.Imag(x)));
}

namespace {

std::vector<Instruction*> StartsAt(Builder& b, int64_t rank, int64_t d, Instruction* i) {
  std::vector<Instruction*> starts(static_cast<size_t>(rank), b.ScalarInt(ElementType::kS32, 0));
  starts[static_cast<size_t>(d)] = i;
  return starts;
}

}  // namespace

Instruction* TakeLine(Builder& b, Instruction* x, int64_t d, Instruction* i) {
  std::vector<int64_t> sizes(x->shape().dimensions().begin(), x->shape().dimensions().end());
  sizes[static_cast<size_t>(d)] = 1;
  return b.DynamicSlice(x, StartsAt(b, x->shape().rank(), d, i), std::move(sizes));
}

Instruction* PutLine(Builder& b, Instruction* x, Instruction* line, int64_t d, Instruction* i) {
  return b.DynamicUpdateSlice(x, line, StartsAt(b, x->shape().rank(), d, i));
}

}  // namespace subfloor::passes
