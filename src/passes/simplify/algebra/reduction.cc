#include <algorithm>
#include <vector>

#include "passes/make.h"
#include "passes/simplify/algebra/rules.h"

namespace subfloor::passes {

using hlo::Instruction;
using hlo::Opcode;

std::optional<Opcode> ReducerOpcode(const hlo::Computation& reducer) {
  const Instruction* root = reducer.root();
  if (reducer.parameter_count() != 2 || reducer.instruction_count() != 3 || root->operand_count() != 2)
    return std::nullopt;
  switch (root->opcode()) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      break;
    default:
      return std::nullopt;
  }
  const Instruction *a = root->operand(0), *b = root->operand(1);
  return a->IsParameter() && b->IsParameter() && a != b ? std::optional<Opcode>(root->opcode())
                                                        : std::nullopt;
}

namespace {

// init combined once with each element of `x`, which has the result's sizes already.
Instruction* CombineWithInit(Opcode opcode, Instruction* init, Instruction* x) {
  return MakeBinary(opcode, MakeBroadcast(init, x->shape().dimensions(), {}), x);
}

Instruction* SimplifyReduce(Instruction* reduce) {
  if (reduce->operand_count() != 2) return nullptr;
  Instruction *x = reduce->operand(0), *init = reduce->operand(1);
  const auto dimensions = reduce->dimensions();
  if (x->shape().element_count() == 0) return MakeBroadcast(init, reduce->shape().dimensions(), {});
  const auto opcode = ReducerOpcode(*reduce->called());
  if (!opcode) return nullptr;
  const bool one_type = x->shape().element_type() == reduce->shape().element_type() &&
                        init->shape().element_type() == reduce->shape().element_type();
  const bool degenerate =
      std::ranges::all_of(dimensions, [&](int64_t d) { return x->shape().dimension(d) == 1; });
  if (degenerate)
    return one_type ? CombineWithInit(*opcode, init, MakeReshape(x, reduce->shape().dimensions())) : nullptr;

  // A recognised reducer takes elements in any order: a transpose below it only renames what is reduced.
  if (x->opcode() == Opcode::kTranspose) {
    std::vector<int64_t> renamed, kept;
    const auto permutation = x->dimensions();
    for (int64_t i = 0; i < x->shape().rank(); ++i) {
      (std::ranges::find(dimensions, i) != dimensions.end() ? renamed : kept)
          .push_back(permutation[static_cast<size_t>(i)]);
    }
    std::ranges::sort(renamed);
    if (!std::ranges::is_sorted(kept)) return nullptr;
    Instruction* source = x->operand(0);
    return reduce->parent()->Add(Opcode::kReduce, reduce->shape(), {source, init},
                                 hlo::DimensionsAttributes{renamed}, {reduce->called()});
  }
  // Dimensions of one element below it only stand in the way.
  if (x->opcode() == Opcode::kReshape &&
      WithoutOnes(x->shape().dimensions()) == WithoutOnes(x->operand(0)->shape().dimensions())) {
    Instruction* source = x->operand(0);
    std::vector<int64_t> places;  // of the dimensions above 1 in the source
    for (int64_t i = 0; i < source->shape().rank(); ++i) {
      if (source->shape().dimension(i) != 1) places.push_back(i);
    }
    std::vector<int64_t> reduced;
    size_t next = 0;
    for (int64_t i = 0; i < x->shape().rank(); ++i) {
      if (x->shape().dimension(i) == 1) continue;
      if (std::ranges::find(dimensions, i) != dimensions.end()) reduced.push_back(places[next]);
      ++next;
    }
    std::vector<int64_t> sizes;
    for (int64_t i = 0; i < source->shape().rank(); ++i) {
      if (std::ranges::find(reduced, i) == reduced.end()) sizes.push_back(source->shape().dimension(i));
    }
    Instruction* inner =
        reduce->parent()->Add(Opcode::kReduce, ArrayShape(reduce->shape().element_type(), sizes),
                              {source, init}, hlo::DimensionsAttributes{reduced}, {reduce->called()});
    return MakeReshape(inner, reduce->shape().dimensions());
  }
  return nullptr;
}

Instruction* SimplifyReduceWindow(Instruction* reduce) {
  if (reduce->operand_count() != 2) return nullptr;
  Instruction *x = reduce->operand(0), *init = reduce->operand(1);
  const auto& window = reduce->As<hlo::WindowAttributes>().window;
  const auto opcode = ReducerOpcode(*reduce->called());
  const bool single = std::ranges::all_of(window, [](const hlo::WindowDimension& d) {
    return d.size == 1 && d.padding_low == 0 && d.padding_high == 0 && d.base_dilation == 1;
  });
  if (!opcode || !single || x->shape().element_type() != reduce->shape().element_type()) return nullptr;
  hlo::SliceRanges ranges;
  for (size_t i = 0; i < window.size(); ++i)
    ranges.push_back({0, x->shape().dimension(static_cast<int64_t>(i)), window[i].stride});
  return CombineWithInit(*opcode, init, MakeSlice(x, std::move(ranges)));
}

}  // namespace

Instruction* SimplifyReduction(Instruction* instruction) {
  return instruction->opcode() == Opcode::kReduce ? SimplifyReduce(instruction)
                                                  : SimplifyReduceWindow(instruction);
}

}  // namespace subfloor::passes
