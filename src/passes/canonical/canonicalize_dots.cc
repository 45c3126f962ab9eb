#include "passes/canonical/canonicalize_dots.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "passes/make.h"

namespace subfloor::passes {
namespace {

using hlo::DotAttributes;
using hlo::Instruction;
using hlo::Opcode;

// One side of a dot: the array and the roles of its dimensions.
struct Side {
  Instruction* array;
  std::vector<int64_t> batch, contracting;

  std::vector<int64_t> Free() const {
    std::vector<int64_t> free;
    for (int64_t d = 0; d < array->shape().rank(); ++d) {
      if (std::ranges::find(batch, d) == batch.end() &&
          std::ranges::find(contracting, d) == contracting.end())
        free.push_back(d);
    }
    return free;
  }
  // Batch first and in order; contracted dimensions consecutive, at one end of the rest.
  bool IsMatrices() const {
    const auto first = static_cast<int64_t>(batch.size()), count = static_cast<int64_t>(contracting.size());
    for (int64_t i = 0; i < first; ++i) {
      if (batch[static_cast<size_t>(i)] != i) return false;
    }
    for (int64_t i = 1; i < count; ++i) {
      if (contracting[static_cast<size_t>(i)] != contracting[0] + i) return false;
    }
    return count == 0 || contracting[0] == first || contracting[0] + count == array->shape().rank();
  }
  // Dimensions as batch, free, contracted (or contracted before free).
  void Arrange(bool contracted_first) {
    const std::vector<int64_t> free = Free();
    std::vector<int64_t> order = batch;
    const auto append = [&](const std::vector<int64_t>& more) {
      order.insert(order.end(), more.begin(), more.end());
    };
    if (contracted_first)
      append(contracting), append(free);
    else
      append(free), append(contracting);
    array = MakeTranspose(array, order);
    const size_t start = batch.size() + (contracted_first ? 0 : free.size());
    std::iota(batch.begin(), batch.end(), int64_t{0});
    std::iota(contracting.begin(), contracting.end(), static_cast<int64_t>(start));
  }
  // Looks through a transpose if the form can say what it does: the free dimensions keep their order.
  bool AbsorbTranspose() {
    if (array->opcode() != Opcode::kTranspose) return false;
    const std::vector<int64_t> permutation(array->dimensions().begin(), array->dimensions().end());
    const std::vector<int64_t> free = Permute(permutation, Free());
    Side below = {array->operand(0), Permute(permutation, batch), Permute(permutation, contracting)};
    if (!std::ranges::is_sorted(free) || !below.IsMatrices()) return false;
    *this = std::move(below);
    return true;
  }
};

bool SmallFloat(ElementType type) { return IsFloat(type) && BitWidth(type) <= 8; }
bool OddInteger(ElementType type) { return IsIntegral(type) && BitWidth(type) < 64; }

// The type in which a library computes the dot, or the same type if none is better. `result` is the dot's
// own.
struct Types {
  ElementType operands, result;
  bool convert = false;
};
Types LibraryTypes(ElementType lhs, ElementType rhs, ElementType result) {
  if ((SmallFloat(lhs) || SmallFloat(rhs)) && IsFloat(lhs) && IsFloat(rhs) && IsFloat(result) &&
      result != ElementType::kF64) {
    return {ElementType::kF32, ElementType::kF32, true};
  }
  const bool bytes = lhs == rhs && (lhs == ElementType::kS8 || lhs == ElementType::kU8);
  const bool taken =
      result == ElementType::kS32 && (bytes || (lhs == ElementType::kS32 && rhs == ElementType::kS32));
  if (OddInteger(lhs) && OddInteger(rhs) && OddInteger(result) && !taken) {
    return bytes ? Types{lhs, ElementType::kS32, true} : Types{ElementType::kS32, ElementType::kS32, true};
  }
  return {lhs, result, false};
}

bool Canonicalize(Instruction* dot) {
  const DotAttributes& attributes = dot->As<DotAttributes>();
  Side lhs = {dot->operand(0), attributes.lhs_batch, attributes.lhs_contracting};
  Side rhs = {dot->operand(1), attributes.rhs_batch, attributes.rhs_contracting};
  bool changed = lhs.AbsorbTranspose();
  changed |= rhs.AbsorbTranspose();

  // Contracted pairs may stand in any order: take that of the side which it leaves as it is.
  const auto sort_pairs = [&](Side& by, Side& other) {
    std::vector<size_t> order(by.contracting.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::sort(order, {}, [&](size_t i) { return by.contracting[i]; });
    const auto apply = [&](std::vector<int64_t>& values) {
      std::vector<int64_t> sorted;
      for (const size_t i : order) sorted.push_back(values[i]);
      changed |= sorted != values;
      values = std::move(sorted);
    };
    apply(other.contracting);
    apply(by.contracting);
  };
  if (!lhs.IsMatrices() || !rhs.IsMatrices()) {
    sort_pairs(lhs, rhs);
    if (!lhs.IsMatrices() ||
        (!rhs.IsMatrices() && lhs.array->shape().byte_size() < rhs.array->shape().byte_size())) {
      sort_pairs(rhs, lhs);
    }
  }
  if (!lhs.IsMatrices()) lhs.Arrange(/*contracted_first=*/false), changed = true;
  if (!rhs.IsMatrices()) rhs.Arrange(/*contracted_first=*/true), changed = true;

  const Types types = LibraryTypes(lhs.array->shape().element_type(), rhs.array->shape().element_type(),
                                   dot->shape().element_type());
  const bool convert = types.convert && attributes.algorithm == hlo::DotAlgorithm::kUnset;
  if (!changed && !convert) return false;
  DotAttributes made = attributes;
  made.lhs_batch = lhs.batch;
  made.rhs_batch = rhs.batch;
  made.lhs_contracting = lhs.contracting;
  made.rhs_contracting = rhs.contracting;
  if (convert) {
    lhs.array = MakeConvert(lhs.array, types.operands);
    rhs.array = MakeConvert(rhs.array, types.operands);
  }
  const Shape shape = convert ? WithType(dot->shape(), types.result) : dot->shape();
  Instruction* operands[] = {lhs.array, rhs.array};
  Instruction* value = dot->parent()->Add(Opcode::kDot, shape, operands, std::move(made), {}, dot->name());
  if (dot->has_annotations()) value->mutable_annotations() = dot->annotations();
  dot->parent()->Replace(dot, MakeConvert(value, dot->shape().element_type()));
  return true;
}

}  // namespace

Result<bool> CanonicalizeDots(hlo::Module& module, PassContext&) {
  bool changed = false;
  for (hlo::Computation* computation : module.computations()) {
    for (Instruction* instruction : computation->MakePostOrder()) {
      if (instruction->opcode() != Opcode::kDot || instruction->operand_count() != 2 ||
          HasControlEdges(instruction))
        continue;
      if (instruction->shape().HasDynamicDimension() ||
          instruction->operand(0)->shape().HasDynamicDimension() ||
          instruction->operand(1)->shape().HasDynamicDimension()) {
        continue;
      }
      changed |= Canonicalize(instruction);
    }
  }
  return changed;
}

}  // namespace subfloor::passes
