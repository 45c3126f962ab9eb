#include <algorithm>
#include <vector>

#include "passes/make.h"
#include "passes/simplify/algebra/rules.h"

namespace subfloor::passes {
namespace {

using hlo::Instruction;
using hlo::Opcode;
using hlo::SliceDimension;
using hlo::SliceRanges;

// The slice of a concatenation as slices of the parts that it touches.
Instruction* SliceOfConcatenate(Instruction* concatenate, const SliceRanges& ranges) {
  const int64_t along = concatenate->dimensions()[0];
  const SliceDimension& range = ranges[static_cast<size_t>(along)];
  if (range.stride != 1) return nullptr;
  std::vector<Instruction*> parts;
  int64_t begin = 0;
  for (int64_t i = 0; i < concatenate->operand_count(); ++i) {
    Instruction* part = concatenate->operand(i);
    const int64_t end = begin + part->shape().dimension(along);
    const int64_t low = std::max(range.start, begin), high = std::min(range.limit, end);
    if (low < high) parts.push_back(part);
    if (parts.size() > 1) return nullptr;  // a slice across parts stays what it is
    if (low < high) {
      SliceRanges inner = ranges;
      inner[static_cast<size_t>(along)] = {range.start - begin, range.limit - begin, 1};
      if (range.start < begin || range.limit > end) return nullptr;
      return MakeSlice(part, std::move(inner));
    }
    begin = end;
  }
  return nullptr;
}

Instruction* SimplifySlice(Instruction* slice) {
  Instruction* x = slice->operand(0);
  const SliceRanges& ranges = slice->As<hlo::SliceAttributes>().slice;
  if (x->shape().SameDimensions(slice->shape())) return x;
  if (IsScalarBroadcast(x)) return MakeBroadcast(x->operand(0), slice->shape().dimensions(), {});
  switch (x->opcode()) {
    case Opcode::kSlice: {
      SliceRanges composed;
      const SliceRanges& inner = x->As<hlo::SliceAttributes>().slice;
      for (size_t i = 0; i < ranges.size(); ++i) {
        const int64_t size = slice->shape().dimension(static_cast<int64_t>(i));
        const int64_t start = inner[i].start + ranges[i].start * inner[i].stride;
        const int64_t stride = ranges[i].stride * inner[i].stride;
        composed.push_back({start, size == 0 ? start : start + (size - 1) * stride + 1, stride});
      }
      return MakeSlice(x->operand(0), std::move(composed));
    }
    case Opcode::kBroadcast: {
      Instruction* source = x->operand(0);
      SliceRanges inner;
      for (int64_t i = 0; i < source->shape().rank(); ++i)
        inner.push_back(ranges[static_cast<size_t>(x->dimensions()[static_cast<size_t>(i)])]);
      return MakeBroadcast(MakeSlice(source, std::move(inner)), slice->shape().dimensions(), x->dimensions());
    }
    case Opcode::kConcatenate:
      return SliceOfConcatenate(x, ranges);
    case Opcode::kPad: {
      // Wholly inside of what was padded, and no interior padding in the way.
      SliceRanges inner;
      const hlo::Padding& padding = x->As<hlo::PadAttributes>().padding;
      for (size_t i = 0; i < ranges.size(); ++i) {
        const int64_t size = x->operand(0)->shape().dimension(static_cast<int64_t>(i));
        const SliceDimension moved = {ranges[i].start - padding[i].low, ranges[i].limit - padding[i].low,
                                      ranges[i].stride};
        if (padding[i].interior != 0 || moved.start < 0 || moved.limit > size) return nullptr;
        inner.push_back(moved);
      }
      return MakeSlice(x->operand(0), std::move(inner));
    }
    default:
      return nullptr;
  }
}

// Constant start indices, clamped as dynamic-slice clamps them; nullopt if one is not constant.
std::optional<std::vector<int64_t>> ConstantStarts(const Instruction* instruction, int64_t first,
                                                   std::span<const int64_t> sizes) {
  const Shape& shape = instruction->operand(0)->shape();
  if (instruction->operand_count() != first + shape.rank())
    return std::nullopt;  // the old form with one vector
  std::vector<int64_t> starts;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const int64_t room = shape.dimension(i) - sizes[static_cast<size_t>(i)];
    if (room == 0) {
      starts.push_back(0);  // whatever the index says
      continue;
    }
    const Instruction* index = instruction->operand(first + i);
    const auto value = IntegerSplatOf(index);
    if (!value) return std::nullopt;
    const bool huge = index->shape().element_type() == ElementType::kU64 && *value < 0;
    starts.push_back(huge ? room : std::clamp<int64_t>(*value, 0, room));
  }
  return starts;
}

Instruction* SimplifyDynamicSlice(Instruction* instruction) {
  Instruction* x = instruction->operand(0);
  const auto sizes = instruction->shape().dimensions();
  if (x->shape().SameDimensions(instruction->shape())) return x;
  if (IsScalarBroadcast(x)) return MakeBroadcast(x->operand(0), sizes, {});
  const auto starts = ConstantStarts(instruction, 1, sizes);
  if (!starts) return nullptr;
  SliceRanges ranges;
  for (size_t i = 0; i < sizes.size(); ++i) ranges.push_back({(*starts)[i], (*starts)[i] + sizes[i], 1});
  return MakeSlice(x, std::move(ranges));
}

Instruction* SimplifyUpdate(Instruction* instruction) {
  Instruction *x = instruction->operand(0), *update = instruction->operand(1);
  if (update->shape().SameDimensions(x->shape())) return update;
  if (update->shape().element_count() == 0) return x;
  return nullptr;
}

Instruction* SimplifyPad(Instruction* pad) {
  Instruction *x = pad->operand(0), *value = pad->operand(1);
  const hlo::Padding& padding = pad->As<hlo::PadAttributes>().padding;
  const bool nothing = std::ranges::all_of(
      padding, [](const auto& d) { return d.low == 0 && d.high == 0 && d.interior == 0; });
  if (nothing) return x;
  if (x->shape().element_count() == 0) return MakeBroadcast(value, pad->shape().dimensions(), {});
  const auto a = SplatOf(x), b = SplatOf(value);
  if (a && b && a->Identical(*b)) return MakeBroadcast(value, pad->shape().dimensions(), {});
  const bool cuts = std::ranges::all_of(
      padding, [](const auto& d) { return d.low <= 0 && d.high <= 0 && d.interior == 0; });
  if (cuts) {
    SliceRanges ranges;
    for (size_t i = 0; i < padding.size(); ++i) {
      ranges.push_back({-padding[i].low, x->shape().dimension(static_cast<int64_t>(i)) + padding[i].high, 1});
      if (ranges.back().limit < ranges.back().start) return nullptr;
    }
    return MakeSlice(x, std::move(ranges));
  }
  return nullptr;
}

Instruction* SimplifyConcatenate(Instruction* concatenate) {
  const int64_t along = concatenate->dimensions()[0];
  std::vector<Instruction*> parts;
  bool changed = false;
  for (int64_t i = 0; i < concatenate->operand_count(); ++i) {
    Instruction* part = concatenate->operand(i);
    if (part->shape().element_count() == 0 && concatenate->operand_count() > 1) {
      changed = true;
      continue;
    }
    if (part->opcode() == Opcode::kConcatenate && part->dimensions()[0] == along && part->use_count() == 1) {
      for (Instruction* inner : part->operands()) parts.push_back(inner);
      changed = true;
      continue;
    }
    // Neighbouring slices of one array that meet are one slice.
    if (part->opcode() == Opcode::kSlice && !parts.empty() && parts.back()->opcode() == Opcode::kSlice &&
        parts.back()->operand(0) == part->operand(0)) {
      SliceRanges joined = parts.back()->As<hlo::SliceAttributes>().slice;
      const SliceRanges& next = part->As<hlo::SliceAttributes>().slice;
      const auto k = static_cast<size_t>(along);
      bool meet = joined[k].stride == 1 && next[k].stride == 1 && joined[k].limit == next[k].start;
      for (size_t d = 0; d < joined.size(); ++d) meet &= d == k || joined[d] == next[d];
      if (meet) {
        joined[k].limit = next[k].limit;
        parts.back() = MakeSlice(part->operand(0), std::move(joined));
        changed = true;
        continue;
      }
    }
    parts.push_back(part);
  }
  if (parts.empty()) return nullptr;
  const bool all_scalar_broadcasts = std::ranges::all_of(parts, [&](const Instruction* part) {
    return IsScalarBroadcast(part) && part->operand(0) == parts[0]->operand(0);
  });
  if (all_scalar_broadcasts)
    return MakeBroadcast(parts[0]->operand(0), concatenate->shape().dimensions(), {});
  return changed || parts.size() == 1 ? MakeConcatenate(parts, along) : nullptr;
}

}  // namespace

Instruction* SimplifySlicing(Instruction* instruction) {
  switch (instruction->opcode()) {
    case Opcode::kSlice:
      return SimplifySlice(instruction);
    case Opcode::kDynamicSlice:
      return SimplifyDynamicSlice(instruction);
    case Opcode::kDynamicUpdateSlice:
      return SimplifyUpdate(instruction);
    case Opcode::kPad:
      return SimplifyPad(instruction);
    case Opcode::kConcatenate:
      return SimplifyConcatenate(instruction);
    default:
      return nullptr;
  }
}

}  // namespace subfloor::passes
