#include "passes/expand/lu.h"

#include <algorithm>

#include "passes/expand/matrix.h"
#include "passes/expand/replace.h"

namespace subfloor::passes {
namespace {

using hlo::Builder;
using hlo::ComparisonDirection;
using hlo::Instruction;
using hlo::Opcode;

class LuStep {
 public:
  LuStep(Builder& b, Instruction* k, const Shape& shape)
      : b_(b), k_(k), shape_(shape), rank_(shape.rank()), type_(shape.element_type()) {
    for (int64_t d = 0; d + 2 < rank_; ++d) batch_.push_back(shape.dimension(d));
    for (int64_t d = 0; d + 2 < rank_; ++d) batch_dims_.push_back(d);
  }

  // State: factors so far, pivots, info.
  std::vector<Instruction*> Next(std::span<Instruction* const> state) {
    Instruction *lu = state[0], *pivots = state[1], *info = state[2];
    Instruction* chosen = PivotRow(TakeLine(b_, lu, rank_ - 1, k_));  // [batch]
    Instruction* swapped = Exchange(lu, chosen);
    Instruction* upper = TakeLine(b_, swapped, rank_ - 2, k_);  // [.., 1, n]
    Instruction* pivot = b_.Reshape(TakeLine(b_, upper, rank_ - 1, k_), batch_);
    Instruction* singular = b_.Compare(pivot, b_.Full(pivot->shape(), 0), ComparisonDirection::kEq);

    // The lower factor's column: what stands below the pivot over it, or as it is if that is zero.
    Instruction* column = TakeLine(b_, swapped, rank_ - 1, k_);
    const auto over_column = [&](Instruction* x) {
      return b_.Broadcast(x, column->shape().dimensions(), batch_dims_);
    };
    Instruction* below = IsBeyond(column->shape(), rank_ - 2);
    Instruction* scaled = b_.Select(over_column(singular), column, b_.Divide(column, over_column(pivot)));
    Instruction* lower = b_.Select(below, scaled, column);

    // Rows below and columns beyond lose the product of the two.
    Instruction* rest = b_.And(IsBeyond(shape_, rank_ - 2), IsBeyond(shape_, rank_ - 1));
    Instruction* next = b_.Select(rest, b_.Subtract(swapped, BatchMatMul(b_, lower, upper)), swapped);
    next = PutLine(b_, next, lower, rank_ - 1, k_);

    Instruction* one = b_.FullInt(chosen->shape(), 1);
    std::vector<int64_t> line = batch_;
    line.push_back(1);
    Instruction* number = b_.Reshape(b_.Add(chosen, one), line);
    Instruction* is_first =
        b_.And(singular, b_.Compare(info, b_.FullInt(info->shape(), 0), ComparisonDirection::kEq));
    Instruction* here = b_.Add(b_.Broadcast(k_, batch_, {}), one);
    return {next, PutLine(b_, pivots, number, rank_ - 2, k_), b_.Select(is_first, here, info)};
  }

 private:
  // Numbers along dimension `d`.
  Instruction* Along(const Shape& shape, int64_t d) {
    return b_.Iota(shape.WithElementType(ElementType::kS32), d);
  }
  Instruction* IsBeyond(const Shape& shape, int64_t d) {
    Instruction* numbers = Along(shape, d);
    return b_.Compare(numbers, b_.Broadcast(k_, numbers->shape().dimensions(), {}), ComparisonDirection::kGt);
  }

  // The first row from k on with the largest |re| + |im| in the column; k where there are none but NaN.
  Instruction* PivotRow(Instruction* column) {
    Instruction* size =
        IsComplex(type_) ? b_.Add(b_.Abs(b_.Real(column)), b_.Abs(b_.Imag(column))) : b_.Abs(column);
    Instruction* rows = Along(column->shape(), rank_ - 2);
    Instruction* at_k = b_.Broadcast(k_, rows->shape().dimensions(), {});
    Instruction* open = b_.Compare(rows, at_k, ComparisonDirection::kGe);
    size = b_.Select(open, size, b_.Full(size->shape(), -1));
    const ElementType real = size->shape().element_type();
    Instruction* largest = b_.Reduce(size, b_.Scalar(real, -1), {rank_ - 2, rank_ - 1},
                                     hlo::MakeScalarComputation(*b_.module(), Opcode::kMaximum, real));
    Instruction* is_largest = b_.Compare(size, b_.Broadcast(largest, size->shape().dimensions(), batch_dims_),
                                         ComparisonDirection::kEq);
    const int64_t none = shape_.dimension(rank_ - 2);
    Instruction* candidates = b_.Select(is_largest, rows, b_.FullInt(rows->shape(), none));
    Instruction* first =
        b_.Reduce(candidates, b_.ScalarInt(ElementType::kS32, none), {rank_ - 2, rank_ - 1},
                  hlo::MakeScalarComputation(*b_.module(), Opcode::kMinimum, ElementType::kS32));
    Instruction* found = b_.Compare(first, b_.FullInt(first->shape(), none), ComparisonDirection::kLt);
    return b_.Select(found, first, b_.Broadcast(k_, batch_, {}));
  }

  // Rows k and `chosen` change places; each matrix has a chosen row of its own.
  Instruction* Exchange(Instruction* lu, Instruction* chosen) {
    Instruction* rows = Along(shape_, rank_ - 2);
    Instruction* is_chosen =
        b_.Compare(rows, b_.Broadcast(chosen, shape_.dimensions(), batch_dims_), ComparisonDirection::kEq);
    Instruction* is_k = b_.Compare(rows, b_.Broadcast(k_, shape_.dimensions(), {}), ComparisonDirection::kEq);
    // One row and zeros add up to the row.
    Instruction* chosen_row =
        b_.Reduce(b_.Select(is_chosen, lu, b_.Full(shape_, 0)), b_.Scalar(type_, 0), {rank_ - 2},
                  hlo::MakeScalarComputation(*b_.module(), Opcode::kAdd, type_));  // [.., n]
    std::vector<int64_t> line = batch_, line_dims = batch_dims_;
    line.push_back(shape_.dimension(rank_ - 1));
    line_dims.push_back(rank_ - 1);
    Instruction* k_row = b_.Reshape(TakeLine(b_, lu, rank_ - 2, k_), line);
    const auto everywhere = [&](Instruction* row) {
      return b_.Broadcast(row, shape_.dimensions(), line_dims);
    };
    return b_.Select(is_k, everywhere(chosen_row), b_.Select(is_chosen, everywhere(k_row), lu));
  }

  Builder& b_;
  Instruction* k_;
  const Shape& shape_;
  int64_t rank_;
  ElementType type_;
  std::vector<int64_t> batch_, batch_dims_;
};

}  // namespace

Result<Instruction*> MakeLu(Builder& b, Instruction* a) {
  const Shape shape = a->shape().WithoutLayout();
  const int64_t rank = shape.rank();
  const int64_t steps = std::min(shape.dimension(rank - 2), shape.dimension(rank - 1));
  std::vector<int64_t> batch(shape.dimensions().begin(), shape.dimensions().end() - 2);
  Instruction* info = b.FullInt(Shape::ArrayOf(ElementType::kS32, batch), 0);
  batch.push_back(steps);
  Instruction* pivots = b.FullInt(Shape::ArrayOf(ElementType::kS32, batch), 0);
  Instruction* const initial[] = {a, pivots, info};
  const auto step = [&](Builder& body, Instruction* k,
                        std::span<Instruction* const> state) -> Result<std::vector<Instruction*>> {
    return LuStep(body, k, shape).Next(state);
  };
  const std::vector<Instruction*> final = SF_TRY(MakeCountedLoop(b, steps, initial, "lu", step));
  return b.Tuple(final);
}

}  // namespace subfloor::passes
