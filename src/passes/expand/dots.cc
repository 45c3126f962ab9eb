#include "passes/expand/dots.h"

#include <algorithm>

#include "passes/expand/matrix.h"
#include "passes/expand/replace.h"

namespace subfloor::passes {
namespace {

using hlo::Builder;
using hlo::ComparisonDirection;
using hlo::DotAttributes;
using hlo::Instruction;
using hlo::Opcode;

bool Contains(const hlo::IntList& list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

// What products of the operands are summed in before the one rounding to the result.
ElementType WideTypeOf(const Instruction& op) {
  const ElementType type = op.shape().element_type();
  return IsFloat(type) && BitWidth(type) < 32 ? ElementType::kF32 : type;
}

Instruction* Scaled(Builder& b, Instruction* x, Instruction* scale, ElementType type) {
  x = b.Convert(x, type);
  if (scale->shape().IsScalar()) return x;
  scale = b.Convert(scale, type);
  // Each dimension of the scale, then the block that one element of it stands for.
  std::vector<int64_t> blocked, mapping;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    const int64_t size = scale->shape().dimension(d);
    mapping.push_back(static_cast<int64_t>(blocked.size()));
    blocked.push_back(size);
    blocked.push_back(size == 0 ? 1 : x->shape().dimension(d) / size);
  }
  Instruction* spread = b.Reshape(b.Broadcast(scale, blocked, mapping), x->shape().dimensions());
  return b.Multiply(x, spread);
}

Result<Instruction*> ExpandScaledDot(Builder& b, Instruction& op) {
  const ElementType type = WideTypeOf(op);
  auto dims = op.As<DotAttributes>();
  Instruction* lhs = Scaled(b, op.operand(0), op.operand(2), type);
  Instruction* rhs = Scaled(b, op.operand(1), op.operand(3), type);
  return b.Convert(b.Dot(lhs, rhs, std::move(dims)), op.shape().element_type());
}

class RaggedDot {
 public:
  RaggedDot(Builder& b, Instruction& op)
      : b_(b),
        op_(op),
        dims_(op.As<DotAttributes>()),
        ragged_(dims_.lhs_ragged[0]),
        groups_(op.operand(2)->shape().dimension(op.operand(2)->shape().rank() - 1)),
        wide_(WideTypeOf(op)) {
    plain_ = dims_;
    plain_.lhs_ragged.clear();
    plain_.rhs_group.clear();
  }

  Result<Instruction*> Expand() {
    if (Contains(dims_.lhs_batch, ragged_))
      return b_.Dot(op_.operand(0), op_.operand(1), plain_, op_.shape().element_type());
    if (op_.operand(2)->shape().rank() != 1) {
      return NotSupported("ragged-dot with group sizes of shape {}; one size a group works",
                          op_.operand(2)->shape().ToString(false));
    }
    return Contains(dims_.lhs_contracting, ragged_) ? ByContracting() : ByRow();
  }

 private:
  // Where group g begins: a prefix sum of the sizes, by comparing every pair of groups.
  std::pair<Instruction*, Instruction*> BeginsAndEnds() {
    Instruction* sizes = b_.Convert(op_.operand(2), ElementType::kS64);
    const Shape square = Shape::ArrayOf(ElementType::kS64, {groups_, groups_});
    Instruction* before = b_.Compare(b_.Iota(square, 1), b_.Iota(square, 0), ComparisonDirection::kLt);
    Instruction* rows = b_.Broadcast(sizes, {groups_, groups_}, {1});
    Instruction* counted = b_.Select(before, rows, b_.FullInt(square, 0));
    hlo::Computation* add = hlo::MakeScalarComputation(*b_.module(), Opcode::kAdd, ElementType::kS64);
    Instruction* begins = b_.Reduce(counted, b_.ScalarInt(ElementType::kS64, 0), {1}, add);
    return {begins, b_.Add(begins, sizes)};
  }

  // pred over `shape`: true where the index along `along` lies in group g.
  Instruction* InGroup(Builder& b, const Shape& shape, int64_t along, Instruction* begin, Instruction* end) {
    Instruction* position = b.Iota(Shape::ArrayOf(ElementType::kS64, {shape.dimension(along)}), 0);
    Instruction* from =
        b.Compare(position, b.Broadcast(begin, position->shape().dimensions(), {}), ComparisonDirection::kGe);
    Instruction* to =
        b.Compare(position, b.Broadcast(end, position->shape().dimensions(), {}), ComparisonDirection::kLt);
    const int64_t mapping[] = {along};
    return b.Broadcast(b.And(from, to), shape.dimensions(), mapping);
  }

  // The right side of group g alone, without the group dimension.
  Instruction* Group(Builder& b, Instruction* rhs, Instruction* g) {
    const int64_t group = dims_.rhs_group[0];
    std::vector<int64_t> sizes(rhs->shape().dimensions().begin(), rhs->shape().dimensions().end());
    sizes.erase(sizes.begin() + group);
    return b.Reshape(TakeLine(b, rhs, group, g), sizes);
  }

  // [b, m, k] . [g, b, k, n] -> [b, m, n]: row m belongs to one group, or to none and is 0.
  Result<Instruction*> ByRow() {
    const auto [begins, ends] = BeginsAndEnds();
    // Where the ragged dimension stands in the result, and the right side's dimensions once the group's is
    // gone.
    int64_t row = static_cast<int64_t>(dims_.lhs_batch.size());
    for (int64_t d = 0; d < ragged_; ++d)
      row += !Contains(dims_.lhs_batch, d) && !Contains(dims_.lhs_contracting, d);
    DotAttributes dims = plain_;
    for (auto* list : {&dims.rhs_batch, &dims.rhs_contracting}) {
      for (int64_t& d : *list) d -= d > dims_.rhs_group[0] ? 1 : 0;
    }
    Instruction* initial[] = {op_.operand(0), op_.operand(1), begins, ends,
                              b_.Full(op_.shape().WithElementType(wide_), 0)};
    const auto state = SF_TRY(MakeCountedLoop(
        b_, groups_, initial, "ragged_dot",
        [&](Builder& b, Instruction* g,
            std::span<Instruction* const> s) -> Result<std::vector<Instruction*>> {
          Instruction* dot = b.Dot(s[0], Group(b, s[1], g), dims, wide_);
          Instruction* mine = InGroup(b, dot->shape(), row, Scalar(b, s[2], g), Scalar(b, s[3], g));
          return std::vector<Instruction*>{s[0], s[1], s[2], s[3], b.Select(mine, dot, s[4])};
        }));
    return b_.Convert(state[4], op_.shape().element_type());
  }

  // [b, m, k] . [b, k, n] -> [g, b, m, n]: each group sums over its own part of k.
  Result<Instruction*> ByContracting() {
    const auto [begins, ends] = BeginsAndEnds();
    const auto at = static_cast<size_t>(std::ranges::find(dims_.lhs_contracting, ragged_) -
                                        dims_.lhs_contracting.begin());
    const int64_t rhs_ragged = dims_.rhs_contracting[at];
    Instruction* initial[] = {op_.operand(0), op_.operand(1), begins, ends,
                              b_.Full(op_.shape().WithElementType(wide_), 0)};
    const auto state = SF_TRY(MakeCountedLoop(
        b_, groups_, initial, "ragged_dot",
        [&](Builder& b, Instruction* g,
            std::span<Instruction* const> s) -> Result<std::vector<Instruction*>> {
          Instruction *begin = Scalar(b, s[2], g), *end = Scalar(b, s[3], g);
          const auto masked = [&](Instruction* x, int64_t along) {
            return b.Select(InGroup(b, x->shape(), along, begin, end), x, b.Full(x->shape(), 0));
          };
          Instruction* dot = b.Dot(masked(s[0], ragged_), masked(s[1], rhs_ragged), plain_, wide_);
          std::vector<int64_t> line = {1};
          line.insert(line.end(), dot->shape().dimensions().begin(), dot->shape().dimensions().end());
          return std::vector<Instruction*>{s[0], s[1], s[2], s[3],
                                           PutLine(b, s[4], b.Reshape(dot, line), 0, g)};
        }));
    return b_.Convert(state[4], op_.shape().element_type());
  }

  static Instruction* Scalar(Builder& b, Instruction* values, Instruction* i) {
    return b.Reshape(TakeLine(b, values, 0, i), {});
  }

  Builder& b_;
  Instruction& op_;
  const DotAttributes dims_;
  DotAttributes plain_;
  const int64_t ragged_, groups_;
  const ElementType wide_;
};

}  // namespace

Result<bool> ExpandDots(hlo::Module& module, PassContext& context) {
  const auto wanted = [](const Instruction& op) {
    return op.opcode() == Opcode::kRaggedDot || op.opcode() == Opcode::kScaledDot;
  };
  return ReplaceEach(module, wanted, [](Builder& b, Instruction& op) -> Result<Instruction*> {
    if (op.opcode() == Opcode::kScaledDot) return ExpandScaledDot(b, op);
    return RaggedDot(b, op).Expand();
  });
}

}  // namespace subfloor::passes
