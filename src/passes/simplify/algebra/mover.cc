#include <algorithm>
#include <vector>

#include "passes/make.h"
#include "passes/simplify/algebra/rules.h"

namespace subfloor::passes {
namespace {

using hlo::Instruction;
using hlo::Opcode;

Instruction* SimplifyReshape(Instruction* reshape) {
  Instruction* x = reshape->operand(0);
  const auto dimensions = reshape->shape().dimensions();
  if (x->shape().SameDimensions(reshape->shape())) return x;
  if (x->opcode() == Opcode::kReshape) return MakeReshape(x->operand(0), dimensions);
  if (IsScalarBroadcast(x)) return MakeBroadcast(x->operand(0), dimensions, {});
  if (x->IsConstant() && !x->As<hlo::ConstantAttributes>().elided && x->shape().byte_size() <= 4096) {
    return x->parent()->AddConstant(x->literal().Reshaped(ArrayShape(x->shape().element_type(), dimensions)));
  }
  // A broadcast whose sizes the reshape only pads with ones, or strips of them, takes the new sizes itself.
  if (x->opcode() == Opcode::kBroadcast && WithoutOnes(x->shape().dimensions()) == WithoutOnes(dimensions)) {
    const Instruction* source = x->operand(0);
    if (WithoutOnes(source->shape().dimensions()).size() != static_cast<size_t>(source->shape().rank()))
      return nullptr;
    // Where the k-th dimension above 1 of the old sizes went.
    std::vector<int64_t> new_place;
    for (size_t i = 0; i < dimensions.size(); ++i) {
      if (dimensions[i] != 1) new_place.push_back(static_cast<int64_t>(i));
    }
    std::vector<int64_t> mapping;
    for (const int64_t d : x->dimensions()) {
      const auto before = x->shape().dimensions().first(static_cast<size_t>(d));
      const auto large =
          static_cast<size_t>(std::ranges::count_if(before, [](int64_t size) { return size != 1; }));
      mapping.push_back(new_place[large]);
    }
    return MakeBroadcast(x->operand(0), dimensions, mapping);
  }
  return nullptr;
}

Instruction* SimplifyTranspose(Instruction* transpose) {
  Instruction* x = transpose->operand(0);
  const auto permutation = transpose->dimensions();
  if (IsIdentityPermutation(permutation)) return x;
  if (x->opcode() == Opcode::kTranspose)
    return MakeTranspose(x->operand(0), Permute(x->dimensions(), permutation));
  if (IsScalarBroadcast(x)) return MakeBroadcast(x->operand(0), transpose->shape().dimensions(), {});
  if (TransposeIsReshape(x->shape().dimensions(), permutation))
    return MakeReshape(x, transpose->shape().dimensions());
  if (x->opcode() == Opcode::kBroadcast) {
    // The operand's dimensions land elsewhere; where they keep their order this is one broadcast.
    const std::vector<int64_t> inverse = InversePermutation(permutation);
    const std::vector<int64_t> mapping = Permute(inverse, x->dimensions());
    std::vector<int64_t> order(mapping.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
    std::ranges::sort(order, {}, [&](int64_t i) { return mapping[static_cast<size_t>(i)]; });
    Instruction* source = MakeTranspose(x->operand(0), order);
    return MakeBroadcast(source, transpose->shape().dimensions(), Permute(mapping, order));
  }
  if (x->opcode() == Opcode::kIota) {
    const int64_t along =
        InversePermutation(permutation)[static_cast<size_t>(x->As<hlo::IotaAttributes>().iota_dimension)];
    return x->parent()->Add(Opcode::kIota,
                            ArrayShape(x->shape().element_type(), transpose->shape().dimensions()), {},
                            hlo::IotaAttributes{along});
  }
  return nullptr;
}

Instruction* SimplifyBroadcast(Instruction* broadcast) {
  Instruction* x = broadcast->operand(0);
  const auto dimensions = broadcast->shape().dimensions();
  const auto mapping = broadcast->dimensions();
  // Only ones are added, or nothing: the elements and their order stay.
  if (x->shape().element_count() == broadcast->shape().element_count() &&
      WithoutOnes(x->shape().dimensions()) == WithoutOnes(dimensions)) {
    return MakeReshape(x, dimensions);
  }
  if (x->opcode() == Opcode::kBroadcast)
    return MakeBroadcast(x->operand(0), dimensions, Permute(mapping, x->dimensions()));
  if (x->opcode() == Opcode::kReshape &&
      WithoutOnes(x->shape().dimensions()) == WithoutOnes(x->operand(0)->shape().dimensions())) {
    // Ones that the reshape put in or took out do not matter to what is repeated.
    Instruction* source = x->operand(0);
    if (WithoutOnes(source->shape().dimensions()).size() != static_cast<size_t>(source->shape().rank()))
      return nullptr;
    std::vector<int64_t> kept;
    for (int64_t i = 0; i < x->shape().rank(); ++i) {
      if (x->shape().dimension(i) != 1) kept.push_back(mapping[static_cast<size_t>(i)]);
    }
    return MakeBroadcast(source, dimensions, kept);
  }
  return nullptr;
}

Instruction* SimplifyReverse(Instruction* reverse) {
  Instruction* x = reverse->operand(0);
  std::vector<int64_t> kept;
  for (const int64_t d : reverse->dimensions()) {
    if (x->shape().dimension(d) > 1) kept.push_back(d);
  }
  if (kept.empty() || IsScalarBroadcast(x)) return x;
  if (x->opcode() == Opcode::kReverse && std::ranges::is_permutation(kept, x->dimensions()))
    return x->operand(0);
  if (kept.size() == reverse->dimensions().size()) return nullptr;
  return x->parent()->Add(Opcode::kReverse, ArrayShape(x->shape().element_type(), x->shape().dimensions()),
                          {x}, hlo::DimensionsAttributes{kept});
}

}  // namespace

Instruction* SimplifyMover(Instruction* instruction) {
  switch (instruction->opcode()) {
    case Opcode::kReshape:
      return SimplifyReshape(instruction);
    case Opcode::kTranspose:
      return SimplifyTranspose(instruction);
    case Opcode::kBroadcast:
      return SimplifyBroadcast(instruction);
    case Opcode::kReverse:
      return SimplifyReverse(instruction);
    case Opcode::kCopy:
      return instruction->operand(0);  // the driver has seen that both lie alike
    case Opcode::kIota: {
      const int64_t size =
          instruction->shape().dimension(instruction->As<hlo::IotaAttributes>().iota_dimension);
      const bool has_zero = instruction->shape().element_type() != ElementType::kF8E8M0FNU;
      return size == 1 && has_zero ? MakeZeros(instruction->parent(), instruction->shape()) : nullptr;
    }
    default:
      return nullptr;
  }
}

Instruction* SinkBroadcast(Instruction* instruction) {
  // All operands repeat arrays of one size along the same dimensions (a scalar fits any) into the result's
  // sizes.
  const Instruction* pattern = nullptr;
  if (instruction->shape().rank() == 0 || instruction->operand_count() == 0) return nullptr;
  for (int64_t i = 0; i < instruction->operand_count(); ++i) {
    const Instruction* operand = instruction->operand(i);
    if (operand->shape().IsScalar()) continue;  // the scalar forms of select and clamp
    if (operand->opcode() != Opcode::kBroadcast || !operand->shape().SameDimensions(instruction->shape()))
      return nullptr;
    if (operand->operand(0)->shape().IsScalar()) continue;
    if (pattern == nullptr)
      pattern = operand;
    else if (!operand->operand(0)->shape().SameDimensions(pattern->operand(0)->shape()) ||
             !std::ranges::equal(operand->dimensions(), pattern->dimensions()))
      return nullptr;
  }
  const std::span<const int64_t> small =
      pattern ? pattern->operand(0)->shape().dimensions() : std::span<const int64_t>();
  const std::span<const int64_t> mapping = pattern ? pattern->dimensions() : std::span<const int64_t>();
  const int64_t small_count = pattern ? pattern->operand(0)->shape().element_count() : 1;
  if (small_count >= instruction->shape().element_count()) return nullptr;
  std::vector<Instruction*> operands;
  for (int64_t i = 0; i < instruction->operand_count(); ++i) {
    Instruction* operand = instruction->operand(i);
    if (!operand->shape().IsScalar()) operand = operand->operand(0);
    operands.push_back(operand->shape().IsScalar() ? MakeBroadcast(operand, small, {}) : operand);
  }
  Instruction* computed = instruction->parent()->AddClone(
      *instruction, ArrayShape(instruction->shape().element_type(), small), operands);
  return MakeBroadcast(computed, instruction->shape().dimensions(), mapping);
}

Instruction* SimplifyEmpty(Instruction* instruction) {
  if (!instruction->shape().IsArray() || instruction->shape().element_count() != 0 ||
      instruction->IsConstant() || instruction->HasSideEffect() ||
      instruction->opcode() == Opcode::kGetTupleElement) {
    return nullptr;
  }
  auto literal =
      Literal::Zeros(ArrayShape(instruction->shape().element_type(), instruction->shape().dimensions()));
  return literal ? instruction->parent()->AddConstant(*std::move(literal)) : nullptr;
}

}  // namespace subfloor::passes
