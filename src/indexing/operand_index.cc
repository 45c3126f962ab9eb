#include "indexing/operand_index.h"

#include <algorithm>

namespace subfloor::indexing {
namespace {

using hlo::Instruction;
using hlo::Opcode;

Reads One(Index index) { return {OperandRead{0, std::move(index), {}}}; }

Reads Broadcast(Context& c, const Instruction& op, const Index& index) {
  Index read;
  for (int64_t i = 0; i < op.operand(0)->shape().rank(); ++i) {
    const auto d = static_cast<size_t>(op.dimensions()[static_cast<size_t>(i)]);
    read.push_back(op.operand(0)->shape().dimension(i) == 1 ? c.Constant(0) : index[d]);
  }
  return One(std::move(read));
}

Reads Transpose(Context&, const Instruction& op, const Index& index) {
  Index read(index.size());
  const auto permutation = op.dimensions();
  for (size_t i = 0; i < index.size(); ++i) read[static_cast<size_t>(permutation[i])] = index[i];
  return One(std::move(read));
}

Reads Reshape(Context& c, const Instruction& op, const Index& index) {
  return One(c.Delinearize(c.Linearize(index, op.shape().dimensions()), op.operand(0)->shape().dimensions()));
}

Reads Slice(Context& c, const Instruction& op, const Index& index) {
  const auto& ranges = op.As<hlo::SliceAttributes>().slice;
  Index read(index.size());
  for (size_t i = 0; i < index.size(); ++i)
    read[i] = c.Add(c.Mul(index[i], ranges[i].stride), ranges[i].start);
  return One(std::move(read));
}

Reads Reverse(Context& c, const Instruction& op, const Index& index) {
  Index read = index;
  for (int64_t d : op.dimensions()) {
    Expr& e = read[static_cast<size_t>(d)];
    e = c.Sub(c.Constant(op.shape().dimension(d) - 1), e);
  }
  return One(std::move(read));
}

Reads Concatenate(Context& c, const Instruction& op, const Index& index) {
  const auto d = static_cast<size_t>(op.dimensions()[0]);
  Reads reads;
  int64_t offset = 0;
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    const int64_t size = op.operand(i)->shape().dimension(static_cast<int64_t>(d));
    if (size == 0) continue;
    OperandRead read{i, index, {{index[d], offset, offset + size - 1}}};
    read.index[d] = c.Add(index[d], -offset);
    offset += size;
    reads.push_back(std::move(read));
  }
  return reads;
}

Reads Pad(Context& c, const Instruction& op, const Index& index) {
  const auto& padding = op.As<hlo::PadAttributes>().padding;
  OperandRead inside{0, index, {}};
  for (size_t i = 0; i < index.size(); ++i) {
    const int64_t step = padding[i].interior + 1;
    const int64_t size = op.operand(0)->shape().dimension(static_cast<int64_t>(i));
    Expr shifted = c.Add(index[i], -padding[i].low);
    inside.conditions.push_back({shifted, 0, (size - 1) * step});
    if (step > 1) inside.conditions.push_back({c.Mod(shifted, step), 0, 0});
    inside.index[i] = c.FloorDiv(shifted, step);
  }
  return {std::move(inside), OperandRead{1, {}, {}}};
}

Result<Reads> DynamicSlice(Context& c, const Instruction& op, const Index& index,
                           const StartFunction& starts) {
  Index read(index.size());
  for (size_t i = 0; i < index.size(); ++i) {
    Expr start = SF_TRY(starts(static_cast<int64_t>(i), {}));
    read[i] = c.Add(index[i], start);
  }
  return One(std::move(read));
}

Result<Reads> DynamicUpdateSlice(Context& c, const Instruction& op, const Index& index,
                                 const StartFunction& starts) {
  OperandRead update{1, index, {}};
  for (size_t i = 0; i < index.size(); ++i) {
    Expr start = SF_TRY(starts(static_cast<int64_t>(i), {}));
    update.index[i] = c.Sub(index[i], start);
    const int64_t size = op.operand(1)->shape().dimension(static_cast<int64_t>(i));
    update.conditions.push_back({update.index[i], 0, size - 1});
  }
  return Reads{std::move(update), OperandRead{0, index, {}}};
}

Result<Reads> Gather(Context& c, const Instruction& op, const Index& index, const StartFunction& starts) {
  const auto& a = op.As<hlo::GatherAttributes>();
  auto in = [](const hlo::IntList& list, int64_t v) {
    return std::find(list.begin(), list.end(), v) - list.begin();
  };
  auto has = [&](const hlo::IntList& list, int64_t v) {
    return in(list, v) < static_cast<int64_t>(list.size());
  };
  Index batch;  // coordinates among the start indices
  Index window;
  for (int64_t d = 0; d < op.shape().rank(); ++d)
    (has(a.offset_dims, d) ? window : batch).push_back(index[static_cast<size_t>(d)]);
  Index read;
  size_t next_window = 0;
  for (int64_t d = 0; d < op.operand(0)->shape().rank(); ++d) {
    if (has(a.operand_batching_dims, d)) {
      // The coordinate of the start indices' dimension that this one goes with, counted without the index
      // vector's.
      int64_t position = a.start_indices_batching_dims[static_cast<size_t>(in(a.operand_batching_dims, d))];
      if (position > a.index_vector_dim) --position;
      read.push_back(batch[static_cast<size_t>(position)]);
      continue;
    }
    Expr at = has(a.collapsed_slice_dims, d) ? c.Constant(0) : window[next_window++];
    if (has(a.start_index_map, d)) {
      Expr start = SF_TRY(starts(d, batch));
      at = c.Add(at, start);
    }
    read.push_back(at);
  }
  return One(std::move(read));
}

}  // namespace

Bound::Truth Bound::Known() const {
  if (value->range.Within(low, high)) return Truth::kTrue;
  if (value->range.high < low || value->range.low > high) return Truth::kFalse;
  return Truth::kUnknown;
}

bool IsMover(const Instruction& op) {
  switch (op.opcode()) {
    case Opcode::kBitcast:
      return op.shape().element_type() == op.operand(0)->shape().element_type() &&
             op.shape().element_count() == op.operand(0)->shape().element_count();
    case Opcode::kBroadcast:
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kSlice:
    case Opcode::kReverse:
    case Opcode::kConcatenate:
    case Opcode::kPad:
    case Opcode::kCopy:
    case Opcode::kOptBarrier:
    case Opcode::kDomain:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
      return true;
    default:
      return false;
  }
}

Result<Reads> ReadsOf(Context& context, const Instruction& op, const Index& index,
                      const StartFunction& starts) {
  switch (op.opcode()) {
    case Opcode::kBroadcast:
      return Broadcast(context, op, index);
    case Opcode::kBitcast:
    case Opcode::kReshape:
      return Reshape(context, op, index);
    case Opcode::kTranspose:
      return Transpose(context, op, index);
    case Opcode::kSlice:
      return Slice(context, op, index);
    case Opcode::kReverse:
      return Reverse(context, op, index);
    case Opcode::kConcatenate:
      return Concatenate(context, op, index);
    case Opcode::kPad:
      return Pad(context, op, index);
    case Opcode::kCopy:
    case Opcode::kOptBarrier:
    case Opcode::kDomain:
      return One(index);
    case Opcode::kDynamicSlice:
      return DynamicSlice(context, op, index, starts);
    case Opcode::kDynamicUpdateSlice:
      return DynamicUpdateSlice(context, op, index, starts);
    case Opcode::kGather:
      return Gather(context, op, index, starts);
    default:
      return NotSupported("{} does not only move elements", hlo::ToString(op.opcode()));
  }
}

int64_t LastStart(const Instruction& op, int64_t dimension) {
  int64_t window = 1;
  const auto d = static_cast<size_t>(dimension);
  if (op.opcode() == Opcode::kGather) window = op.As<hlo::GatherAttributes>().slice_sizes[d];
  if (op.opcode() == Opcode::kDynamicSlice) window = op.shape().dimension(dimension);
  if (op.opcode() == Opcode::kDynamicUpdateSlice) window = op.operand(1)->shape().dimension(dimension);
  return std::max<int64_t>(0, op.operand(0)->shape().dimension(dimension) - window);
}

}  // namespace subfloor::indexing
