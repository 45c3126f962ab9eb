#include <algorithm>
#include <bit>

#include "codegen/emitters/kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

/// Sort: a stable merge sort of each row in scratch memory, bottom up. The comparator is asked for pairs of
/// elements and nothing else: whatever it answers, the result is a permutation and nothing out of bounds is
/// touched.
namespace subfloor::codegen::emitters {
namespace {

namespace arith = mlir::arith;
using hlo::Instruction;

int64_t RowLength(const Instruction& sort) {
  return sort.operand(0)->shape().dimension(sort.As<hlo::SortAttributes>().dimensions[0]);
}

int64_t RowBytes(const Instruction& operand, int64_t length) {
  return (length * ByteWidth(operand.shape().element_type()) + 63) / 64 * 64;
}

class SortEmitter {
 public:
  explicit SortEmitter(Kernel& kernel)
      : kernel_(kernel),
        e_(kernel.emission),
        op_(*kernel.outputs[0].instruction),
        dimension_(op_.As<hlo::SortAttributes>().dimensions[0]),
        length_(RowLength(op_)) {}

  Status Run() {
    const Shape& shape = op_.operand(0)->shape();
    if (shape.element_count() == 0) return {};
    int64_t offset = 0;
    for (const Instruction* operand : op_.operands()) {
      for (auto& half : halves_) {
        auto type = sf::BufferType::get(e_.b().getContext(), {length_}, operand->shape().element_type());
        half.push_back(sf::ViewOp::create(e_.b(), type, kernel_.scratch, offset));
        offset += RowBytes(*operand, length_);
      }
    }
    const int64_t rows = shape.element_count() / length_;
    kernel_.workgroups = ChooseWorkgroups(kernel_, rows, BytesTouched(kernel_));
    std::vector<int64_t> outer;
    for (int64_t d = 0; d < shape.rank(); ++d) outer.push_back(d == dimension_ ? 1 : shape.dimension(d));
    return ForShare(kernel_, rows,
                    [&](Expr row) -> Status { return SortRow(e_.exprs().Delinearize(row, outer)); });
  }

 private:
  Index At(Index row, Expr position) const {
    row[static_cast<size_t>(dimension_)] = position;
    return row;
  }

  Status SortRow(const Index& row) {
    SF_CHECK(e_.Loop(0, length_, {}, [&](Expr t, mlir::ValueRange) -> Result<Values> {
      for (int64_t i = 0; i < op_.operand_count(); ++i) {
        e_.Store(SF_TRY(e_.Value(kernel_.frame, *op_.operand(i), At(row, t))),
                 halves_[0][static_cast<size_t>(i)], t);
      }
      return Values{};
    }));
    const auto passes = static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(length_ - 1)));
    // Two passes a round, so that which half is which is known when the code is written.
    const int64_t rounds = (passes + 1) / 2;
    SF_CHECK(e_.Loop(0, rounds, {}, [&](Expr round, mlir::ValueRange) -> Result<Values> {
      mlir::Value twice = e_.Materialize(e_.exprs().Mul(round, 2));
      mlir::Value width = arith::ShLIOp::create(e_.b(), e_.Constant(1), twice);
      SF_CHECK(MergePass(width, halves_[0], halves_[1]));
      mlir::Value wider = arith::ShLIOp::create(e_.b(), width, e_.Constant(1));
      SF_CHECK(MergePass(wider, halves_[1], halves_[0]));
      return Values{};
    }));
    SF_CHECK(e_.Loop(0, length_, {}, [&](Expr t, mlir::ValueRange) -> Result<Values> {
      for (size_t i = 0; i < kernel_.outputs.size(); ++i) {
        Expr offset = e_.exprs().Linearize(At(row, t), kernel_.outputs[i].shape->dimensions());
        e_.Store(e_.Load(halves_[0][i], t), kernel_.outputs[i].buffer, offset);
      }
      return Values{};
    }));
    return {};
  }

  using Buffers = std::vector<mlir::Value>;

  // Merges runs of `width` elements of `from`, two by two, into `to`.
  Status MergePass(mlir::Value width, const Buffers& from, const Buffers& to) {
    mlir::ImplicitLocOpBuilder& b = e_.b();
    mlir::Value length = e_.Constant(length_);
    mlir::Value pair = arith::ShLIOp::create(b, width, e_.Constant(1));
    mlir::Value pairs = arith::CeilDivUIOp::create(b, length, pair);
    SF_CHECK(
        e_.Loop(e_.Constant(0), pairs, {0, length_ - 1}, {}, [&](Expr p, mlir::ValueRange) -> Result<Values> {
          mlir::Value low = arith::MulIOp::create(b, e_.Materialize(p), pair);
          mlir::Value middle = arith::MinUIOp::create(b, arith::AddIOp::create(b, low, width), length);
          mlir::Value high = arith::MinUIOp::create(b, arith::AddIOp::create(b, low, pair), length);
          SF_CHECK(Merge(low, middle, high, from, to));
          return Values{};
        }));
    return {};
  }

  Status Merge(mlir::Value low, mlir::Value middle, mlir::Value high, const Buffers& from,
               const Buffers& to) {
    mlir::ImplicitLocOpBuilder& b = e_.b();
    mlir::Value one = e_.Constant(1);
    const indexing::Range range{0, length_ - 1};
    mlir::Value last_left = arith::SubIOp::create(b, middle, one);
    mlir::Value last_right = arith::SubIOp::create(b, high, one);
    SF_CHECK(
        e_.Loop(low, high, range, {low, middle}, [&](Expr k, mlir::ValueRange carried) -> Result<Values> {
          mlir::Value left = carried[0], right = carried[1];
          // A side that is used up is read at its last element, and not taken.
          Expr left_at = e_.Bind(arith::MinUIOp::create(b, left, last_left), range);
          Expr right_at = e_.Bind(arith::MinUIOp::create(b, right, last_right), range);
          std::vector<Element> lefts, rights, arguments;
          for (size_t i = 0; i < from.size(); ++i) {
            lefts.push_back(e_.Load(from[i], left_at));
            rights.push_back(e_.Load(from[i], right_at));
            // Equal elements keep their order: the right one goes first only if it is less.
            arguments.push_back(rights.back());
            arguments.push_back(lefts.back());
          }
          Elements less = SF_TRY(e_.Call(*op_.called(), arguments));
          mlir::Value left_done = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, left, middle);
          mlir::Value right_open = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, right, high);
          mlir::Value wanted = arith::OrIOp::create(b, left_done, less[0].value);
          mlir::Value take_right = arith::AndIOp::create(b, right_open, wanted);
          for (size_t i = 0; i < from.size(); ++i)
            e_.Store(elemental::Select(b, take_right, rights[i], lefts[i]), to[i], k);
          mlir::Value step_right = arith::ExtUIOp::create(b, b.getI64Type(), take_right);
          mlir::Value step_left = arith::SubIOp::create(b, one, step_right);
          return Values{arith::AddIOp::create(b, left, step_left),
                        arith::AddIOp::create(b, right, step_right)};
        }));
    return {};
  }

  Kernel& kernel_;
  Emission& e_;
  const Instruction& op_;
  int64_t dimension_, length_;
  Buffers halves_[2];  // of scratch, for each operand
};

}  // namespace

int64_t SortScratchBytes(const Instruction& sort) {
  int64_t bytes = 0;
  for (const Instruction* operand : sort.operands()) bytes += 2 * RowBytes(*operand, RowLength(sort));
  return bytes;
}

Status EmitSort(Kernel& kernel) { return SortEmitter(kernel).Run(); }

}  // namespace subfloor::codegen::emitters
