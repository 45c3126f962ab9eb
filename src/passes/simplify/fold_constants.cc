#include "passes/simplify/fold_constants.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "passes/make.h"

namespace subfloor::passes {
namespace {

using decision::Fact;
using decision::Question;
using hlo::Instruction;
using hlo::Opcode;

// For each element of the result in order, the linear index of the operand's element that it is; -1 for none
// (padding). A mover is an affine walk: result index i reads operand offset + sum of i[d] * stride[d] where
// that lies inside.
struct Walk {
  int64_t offset = 0;
  std::vector<int64_t> strides;
};

std::optional<Walk> WalkOf(const Instruction& mover) {
  const auto operand_strides = RowMajorStrides(mover.operand(0)->shape().dimensions());
  const int64_t rank = mover.shape().rank();
  Walk walk;
  walk.strides.assign(static_cast<size_t>(rank), 0);
  switch (mover.opcode()) {
    case Opcode::kTranspose:
      walk.strides = Permute(operand_strides, mover.dimensions());
      return walk;
    case Opcode::kSlice: {
      const auto& ranges = mover.As<hlo::SliceAttributes>().slice;
      for (size_t d = 0; d < ranges.size(); ++d) {
        walk.offset += ranges[d].start * operand_strides[d];
        walk.strides[d] = ranges[d].stride * operand_strides[d];
      }
      return walk;
    }
    case Opcode::kReverse:
      walk.strides = operand_strides;
      for (const int64_t d : mover.dimensions()) {
        const auto k = static_cast<size_t>(d);
        walk.offset += (mover.shape().dimension(d) - 1) * operand_strides[k];
        walk.strides[k] = -operand_strides[k];
      }
      return walk;
    default:
      return std::nullopt;
  }
}

// Copies elements along a walk, index by index.
std::optional<Literal> FoldMover(const Instruction& mover) {
  if (mover.opcode() == Opcode::kReshape || mover.opcode() == Opcode::kCopy)
    return mover.operand(0)->literal().Reshaped(mover.shape());
  auto result = Literal::Zeros(mover.shape());
  if (!result) return std::nullopt;
  const auto width = static_cast<size_t>(ByteWidth(mover.shape().element_type()));
  std::byte* out = result->mutable_bytes().data();
  const auto dimensions = mover.shape().dimensions();
  if (mover.opcode() == Opcode::kConcatenate) {
    // Blocks of each operand in turn, once for each index of the dimensions above the one that grows.
    const int64_t along = mover.dimensions()[0];
    int64_t outer = 1;
    for (int64_t d = 0; d < along; ++d) outer *= dimensions[static_cast<size_t>(d)];
    for (int64_t i = 0; i < outer; ++i) {
      for (const Instruction* part : mover.operands()) {
        const size_t block =
            part->literal().bytes().size() / static_cast<size_t>(std::max<int64_t>(1, outer));
        std::memcpy(out, part->literal().bytes().data() + static_cast<size_t>(i) * block, block);
        out += block;
      }
    }
    return *std::move(result);
  }
  const auto walk = WalkOf(mover);
  if (!walk) return std::nullopt;
  const std::byte* in = mover.operand(0)->literal().bytes().data();
  std::vector<int64_t> index(dimensions.size(), 0);
  int64_t at = walk->offset;
  for (int64_t n = mover.shape().element_count(); n > 0; --n, out += width) {
    std::memcpy(out, in + static_cast<size_t>(at) * width, width);
    for (size_t d = dimensions.size(); d-- > 0;) {
      at += walk->strides[d];
      if (++index[d] < dimensions[d]) break;
      at -= walk->strides[d] * dimensions[d];
      index[d] = 0;
    }
  }
  return *std::move(result);
}

std::optional<Literal> FoldElementwise(const Instruction& instruction) {
  for (const Instruction* operand : instruction.operands()) {
    if (IsComplex(operand->shape().element_type())) return std::nullopt;
  }
  auto result = Literal::Zeros(instruction.shape());
  if (!result) return std::nullopt;
  std::vector<uint64_t> bits(static_cast<size_t>(instruction.operand_count()));
  for (int64_t i = 0; i < instruction.shape().element_count(); ++i) {
    for (size_t k = 0; k < bits.size(); ++k) {
      const Literal& operand = instruction.operand(static_cast<int64_t>(k))->literal();
      bits[k] = BitsAt(operand, operand.shape().IsScalar() ? 0 : i);
    }
    const auto value = FoldElement(instruction, bits);
    if (!value) return std::nullopt;
    SetBitsAt(*result, i, *value);
  }
  return *std::move(result);
}

bool IsFoldableMover(Opcode opcode) {
  switch (opcode) {
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kSlice:
    case Opcode::kReverse:
    case Opcode::kConcatenate:
    case Opcode::kCopy:
      return true;
    default:
      return false;
  }
}

std::optional<Literal> Folded(const Instruction& instruction, PassContext& context) {
  if (instruction.operand_count() == 0 || !instruction.shape().IsArray() || HasControlEdges(&instruction))
    return std::nullopt;
  if (!instruction.IsElementwise() && !IsFoldableMover(instruction.opcode())) return std::nullopt;
  int64_t operand_bytes = 0;
  for (int64_t i = 0; i < instruction.operand_count(); ++i) {
    const Instruction* operand = instruction.operand(i);
    // Elided values are made up: text that prints as {...} must read back as the same program.
    if (!operand->IsConstant() || operand->As<hlo::ConstantAttributes>().elided ||
        !operand->shape().IsArray())
      return std::nullopt;
    if (instruction.IsElementwise() && !operand->shape().IsScalar() &&
        !operand->shape().SameDimensions(instruction.shape())) {
      return std::nullopt;
    }
    operand_bytes += operand->shape().byte_size();
  }
  if (instruction.shape().HasDynamicDimension()) return std::nullopt;
  const int64_t bytes = instruction.shape().byte_size(), budget = context.options.max_folded_bytes;
  if (bytes > budget && (bytes > operand_bytes || instruction.IsElementwise())) {
    decision::Decide(context.log, Question::kFold, false, Fact::kOverBudget, bytes, budget, instruction.id());
    return std::nullopt;
  }
  return instruction.IsElementwise() && instruction.opcode() != Opcode::kCopy ? FoldElementwise(instruction)
                                                                              : FoldMover(instruction);
}

}  // namespace

Result<bool> FoldConstants(hlo::Module& module, PassContext& context) {
  bool changed = false;
  for (hlo::Computation* computation : module.computations()) {
    // Operands first, so that one walk folds whole expressions.
    for (Instruction* instruction : computation->MakePostOrder()) {
      auto literal = Folded(*instruction, context);
      if (!literal) continue;
      literal->set_shape_layout(instruction->shape());
      computation->Replace(instruction, computation->AddConstant(*std::move(literal)));
      changed = true;
    }
  }
  return changed;
}

}  // namespace subfloor::passes
