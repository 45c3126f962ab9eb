#include "passes/expand/triangular_solve.h"

#include "passes/expand/matrix.h"
#include "passes/expand/replace.h"

namespace subfloor::passes {

using hlo::Builder;
using hlo::ComparisonDirection;
using hlo::Instruction;
using hlo::Opcode;

Result<bool> ExpandTriangularSolve(hlo::Module& module, PassContext& context) {
  const auto wanted = [](const Instruction& op) { return op.opcode() == Opcode::kTriangularSolve; };
  return ReplaceEach(module, wanted, [](Builder& b, Instruction& op) -> Result<Instruction*> {
    const auto attributes = op.As<hlo::TriangularSolveAttributes>();
    const ElementType type = op.shape().element_type();
    const ElementType wide = BitWidth(type) < 32 ? ElementType::kF32 : type;
    Instruction* a = b.Convert(op.operand(0), wide);
    Instruction* x = b.Convert(op.operand(1), wide);
    const bool flips = attributes.transpose_a != hlo::TransposeKind::kNoTranspose;
    const bool transposed = flips != !attributes.left_side;
    const bool lower = attributes.lower != transposed;
    if (attributes.transpose_a == hlo::TransposeKind::kAdjoint) a = Conjugate(b, a);
    if (transposed) a = SwapLastTwo(b, a);
    if (!attributes.left_side) x = SwapLastTwo(b, x);

    // What a row takes from the others: everything else in it counts as zero, whatever it holds.
    const int64_t rank = a->shape().rank(), n = a->shape().dimension(rank - 1);
    const Shape index = a->shape().WithElementType(ElementType::kS32);
    Instruction *rows = b.Iota(index, rank - 2), *columns = b.Iota(index, rank - 1);
    Instruction* zeros = b.Full(a->shape(), 0);
    Instruction* others = b.Select(
        b.Compare(columns, rows, lower ? ComparisonDirection::kLt : ComparisonDirection::kGt), a, zeros);

    Instruction* initial[] = {others, a, x, b.Full(x->shape(), 0)};
    const auto step = [&](Builder& body, Instruction* i,
                          std::span<Instruction* const> state) -> Result<std::vector<Instruction*>> {
      Instruction* at = lower ? i : body.Subtract(body.ScalarInt(ElementType::kS32, n - 1), i);
      Instruction* known = BatchMatMul(body, TakeLine(body, state[0], rank - 2, at), state[3]);  // [.., 1, m]
      Instruction* line = body.Subtract(TakeLine(body, state[2], rank - 2, at), known);
      if (!attributes.unit_diagonal) {
        Instruction* pivot = TakeLine(body, TakeLine(body, state[1], rank - 2, at), rank - 1, at);
        std::vector<int64_t> batch, batch_dims;
        for (int64_t d = 0; d + 2 < rank; ++d) {
          batch.push_back(pivot->shape().dimension(d));
          batch_dims.push_back(d);
        }
        line = body.Divide(
            line, body.Broadcast(body.Reshape(pivot, batch), line->shape().dimensions(), batch_dims));
      }
      return std::vector<Instruction*>{state[0], state[1], state[2],
                                       PutLine(body, state[3], line, rank - 2, at)};
    };
    Instruction* solution = SF_TRY(MakeCountedLoop(b, n, initial, "triangular_solve", step))[3];
    if (!attributes.left_side) solution = SwapLastTwo(b, solution);
    return b.Convert(solution, type);
  });
}

}  // namespace subfloor::passes
