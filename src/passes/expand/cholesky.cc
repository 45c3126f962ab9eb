#include "passes/expand/cholesky.h"

#include <limits>

#include "passes/expand/matrix.h"
#include "passes/expand/replace.h"

namespace subfloor::passes {
namespace {

using hlo::Builder;
using hlo::ComparisonDirection;
using hlo::Instruction;
using hlo::Opcode;

// One step: column j of the factor from the columns before it. State: matrix, factor, which matrices have
// failed.
std::vector<Instruction*> Step(Builder& b, Instruction* j, std::span<Instruction* const> state) {
  Instruction *a = state[0], *factor = state[1], *good = state[2];
  const int64_t rank = a->shape().rank();
  const ElementType type = a->shape().element_type();
  // a's column j less factor times the conjugate of its own row j; columns from j on are still zero.
  Instruction* row = TakeLine(b, factor, rank - 2, j);
  Instruction* explained = BatchMatMul(b, factor, SwapLastTwo(b, Conjugate(b, row)));
  Instruction* column = b.Subtract(TakeLine(b, a, rank - 1, j), explained);
  Instruction* pivot = TakeLine(b, IsComplex(type) ? b.Real(column) : column, rank - 2, j);  // [.., 1, 1]
  Instruction* pivot_is_good = b.Compare(pivot, b.Full(pivot->shape(), 0), ComparisonDirection::kGe);
  Instruction* root = b.Sqrt(pivot);
  // The root over the column: drop the two ones and broadcast.
  const std::vector<int64_t> batch(a->shape().dimensions().begin(), a->shape().dimensions().end() - 2);
  std::vector<int64_t> batch_dims;
  for (size_t d = 0; d < batch.size(); ++d) batch_dims.push_back(static_cast<int64_t>(d));
  const auto over_column = [&](Instruction* x) {
    return b.Broadcast(b.Reshape(x, batch), column->shape().dimensions(), batch_dims);
  };
  Instruction* divisor = over_column(root);
  if (IsComplex(type)) divisor = b.Complex(divisor, b.Full(divisor->shape(), 0));
  Instruction* quotient = b.Divide(column, divisor);
  // Rows above j are zero, row j is the root itself.
  Instruction* rows = b.Iota(column->shape().WithElementType(ElementType::kS32), rank - 2);
  Instruction* at = b.Broadcast(j, rows->shape().dimensions(), {});
  Instruction* below = b.Compare(rows, at, ComparisonDirection::kGt);
  Instruction* on = b.Compare(rows, at, ComparisonDirection::kEq);
  Instruction* next = b.Select(below, quotient, b.Select(on, divisor, b.Full(column->shape(), 0)));
  return {a, PutLine(b, factor, next, rank - 1, j), b.And(good, b.Reshape(pivot_is_good, batch))};
}

}  // namespace

Result<bool> ExpandCholesky(hlo::Module& module, PassContext& context) {
  const auto wanted = [](const Instruction& op) { return op.opcode() == Opcode::kCholesky; };
  return ReplaceEach(module, wanted, [](Builder& b, Instruction& op) -> Result<Instruction*> {
    const bool lower = op.As<hlo::CholeskyAttributes>().lower;
    const ElementType type = op.operand(0)->shape().element_type();
    Instruction* a = b.Convert(op.operand(0), BitWidth(type) < 32 ? ElementType::kF32 : type);
    if (!lower) a = SwapLastTwo(b, a);
    const Shape& shape = a->shape();
    const int64_t n = shape.dimension(shape.rank() - 1);
    const std::vector<int64_t> batch(shape.dimensions().begin(), shape.dimensions().end() - 2);
    Instruction* good = b.FullInt(Shape::ArrayOf(ElementType::kPred, batch), 1);
    Instruction* initial[] = {a, b.Full(shape, 0), good};
    const auto state =
        SF_TRY(MakeCountedLoop(b, n, initial, "cholesky",
                               [](Builder& body, Instruction* j, std::span<Instruction* const> values)
                                   -> Result<std::vector<Instruction*>> { return Step(body, j, values); }));
    std::vector<int64_t> batch_dims;
    for (size_t d = 0; d < batch.size(); ++d) batch_dims.push_back(static_cast<int64_t>(d));
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    Instruction* nan = b.Full(shape.WithElementType(ComponentType(shape.element_type())), kNan);
    if (IsComplex(shape.element_type())) nan = b.Complex(nan, nan);
    Instruction* factor = b.Select(b.Broadcast(state[2], shape.dimensions(), batch_dims), state[1], nan);
    if (!lower) factor = SwapLastTwo(b, factor);
    return b.Convert(factor, op.shape().element_type());
  });
}

}  // namespace subfloor::passes
