#include "passes/expand/lapack_calls.h"

#include "hlo/lapack_call.h"
#include "passes/expand/lu.h"
#include "passes/expand/matrix.h"
#include "passes/expand/replace.h"

namespace subfloor::passes {
namespace {

using hlo::Builder;
using hlo::ComparisonDirection;
using hlo::Instruction;
using hlo::Opcode;

// The factor where potrf writes it, what stood there elsewhere, and which matrices have none.
Instruction* Cholesky(Builder& b, Instruction* a, hlo::CholeskyAttributes attributes) {
  Instruction* factor = b.Make(Opcode::kCholesky, {a}, attributes);
  if (!b.ok()) return factor;
  const Shape& shape = factor->shape();
  const int64_t rank = shape.rank();
  const Shape indices = shape.WithElementType(ElementType::kS32);
  Instruction* rows = b.Iota(indices, rank - 2);
  Instruction* columns = b.Iota(indices, rank - 1);
  Instruction* read =
      b.Compare(rows, columns, attributes.lower ? ComparisonDirection::kGe : ComparisonDirection::kLe);
  // Every element of the diagonal is above zero; NaN is not.
  Instruction* real = IsComplex(shape.element_type()) ? b.Real(factor) : factor;
  Instruction* good = b.Or(b.Compare(rows, columns, ComparisonDirection::kNe),
                           b.Compare(real, b.Full(real->shape(), 0), ComparisonDirection::kGt));
  Instruction* all_good = b.Reduce(good, b.ScalarInt(ElementType::kPred, 1), {rank - 2, rank - 1},
                                   hlo::MakeScalarComputation(*b.module(), Opcode::kAnd, ElementType::kPred));
  Instruction* info = b.Convert(b.Not(all_good), ElementType::kS32);
  return b.Tuple({b.Select(read, factor, a), info});
}

}  // namespace

Result<bool> ExpandLapackCalls(hlo::Module& module, PassContext&) {
  const auto wanted = [](const Instruction& op) { return op.opcode() == Opcode::kCustomCall; };
  return ReplaceEach(module, wanted, [](Builder& b, Instruction& call) -> Result<Instruction*> {
    if (const auto cholesky = hlo::AsLapackCholesky(call)) return Cholesky(b, call.operand(0), *cholesky);
    if (const auto solve = hlo::AsLapackTriangularSolve(call)) {
      return b.Make(Opcode::kTriangularSolve, {call.operand(0), call.operand(1)}, *solve);
    }
    if (hlo::IsLapackLu(call)) return MakeLu(b, call.operand(0));
    return nullptr;
  });
}

}  // namespace subfloor::passes
