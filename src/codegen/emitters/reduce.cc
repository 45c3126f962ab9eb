#include <algorithm>

#include "codegen/emitters/fold.h"
#include "indexing/fold_index.h"

/// The folding ops as values: reduce, reduce-window, dot and convolution.
namespace subfloor::codegen::emitters {

using hlo::Instruction;
using hlo::Opcode;

namespace {

ElementType Wider(ElementType a, ElementType b) { return BitWidth(b) > BitWidth(a) ? b : a; }

}  // namespace

Result<Elements> Emission::Fold(Frame& frame, const Instruction& op, const Index& index) {
  // Terms that some lanes leave out and others do not: one lane after the other.
  if (const int64_t lanes = LanesOf(index); lanes > 0) {
    Index at;
    for (int64_t size : indexing::FoldSizes(op))
      at.push_back(exprs_.NewSymbol({0, std::max<int64_t>(size - 1, 0)}));
    symbols_.resize(static_cast<size_t>(exprs_.symbol_count()));
    for (const indexing::Bound& bound : indexing::FoldTermAt(exprs_, op, index, at).conditions) {
      if (bound.Known() == indexing::Bound::Truth::kUnknown && LanesOf(bound.value) > 0)
        return LaneByLane(frame, op, index, lanes);
    }
  }
  return op.opcode() == Opcode::kReduce || op.opcode() == Opcode::kReduceWindow ? Reduce(frame, op, index)
                                                                                : Product(frame, op, index);
}

Result<Elements> Emission::Reduce(Frame& frame, const Instruction& op, const Index& index) {
  const int64_t inputs = op.operand_count() / 2;
  FoldSpec spec;
  spec.op = &op;
  spec.computation = op.called();
  spec.ops = Recognise(*op.called()).ops;
  for (int64_t i = 0; i < inputs; ++i) {
    spec.results.push_back((op.shape().IsTuple() ? op.shape().tuple_shape(i) : op.shape()).element_type());
    const ElementType wider = Wider(op.operand(i)->shape().element_type(), spec.results.back());
    const bool free = !spec.ops.empty();
    spec.accumulators.push_back(free ? elemental::AccumulatorType(spec.ops[static_cast<size_t>(i)], wider)
                                     : spec.results.back());
  }
  spec.read = [&](const indexing::FoldTerm& term) -> Result<Elements> {
    Elements values;
    for (const auto& read : term.reads)
      values.push_back(SF_TRY(Value(frame, *op.operand(read.operand), read.index)));
    return values;
  };
  spec.initial = [&]() -> Result<Elements> {
    Elements values;
    for (int64_t i = 0; i < inputs; ++i) values.push_back(SF_TRY(Value(frame, *op.operand(inputs + i), {})));
    return values;
  };
  return EmitFold(*this, frame, spec, index);
}

// Sums of products. Operands take the wider of their own type and the result's before they are multiplied.
Result<Elements> Emission::Product(Frame& frame, const Instruction& op, const Index& index) {
  const ElementType result = op.shape().element_type();
  ElementType type = result;
  if (IsFloat(result)) {
    for (int i = 0; i < 2; ++i) {
      if (IsFloat(op.operand(i)->shape().element_type()))
        type = Wider(type, op.operand(i)->shape().element_type());
    }
  }
  FoldSpec spec;
  spec.op = &op;
  spec.ops = {Opcode::kAdd};
  spec.results = {result};
  spec.accumulators = {elemental::AccumulatorType(Opcode::kAdd, type)};
  const ElementType accumulator = spec.accumulators[0];
  spec.read = [&, accumulator](const indexing::FoldTerm& term) -> Result<Elements> {
    Element sides[2];
    for (int i = 0; i < 2; ++i) {
      Element value = SF_TRY(Value(frame, *op.operand(i), term.reads[static_cast<size_t>(i)].index));
      sides[i] = SF_TRY(elemental::EmitConvert(b_, value, accumulator));
    }
    const int64_t lanes = std::max(elemental::LanesOf(sides[0]), elemental::LanesOf(sides[1]));
    if (lanes > 0) {
      for (Element& side : sides) side = elemental::Splat(b_, side, lanes);
    }
    return Elements{SF_TRY(elemental::Combine(b_, Opcode::kMultiply, sides[0], sides[1]))};
  };
  spec.initial = [&, accumulator]() -> Result<Elements> {
    return Elements{elemental::EmitNumber(b_, accumulator, 0)};
  };
  return EmitFold(*this, frame, spec, index);
}

}  // namespace subfloor::codegen::emitters
