#include "cpu/buffer_assignment.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "device/description/cgroup.h"
#include "device/description/kernel_abi.h"

namespace subfloor::cpu {
namespace {

// Values that share bytes. A class may hold one output at most, and neither constants nor parameters that
// nobody donated take part: their bytes are not ours to write.
class Sharing {
 public:
  explicit Sharing(const ValueFlow& flow) : parent_(flow.values.size()), live_(flow.values.size()) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (size_t i = 0; i < flow.values.size(); ++i) {
      live_[i] = flow.values[i].live;
      std::ranges::sort(live_[i], {}, &Interval::begin);
    }
    output_.assign(flow.values.size(), false);
    for (ValueId id : flow.outputs) output_[static_cast<size_t>(id)] = true;
  }

  ValueId Find(ValueId id) {
    auto i = static_cast<size_t>(id);
    while (static_cast<size_t>(parent_[i]) != i) {
      parent_[i] = parent_[static_cast<size_t>(parent_[i])];
      i = static_cast<size_t>(parent_[i]);
    }
    return static_cast<ValueId>(i);
  }

  // Joins the two classes unless their lifetimes overlap.
  bool Join(ValueId a, ValueId b) {
    a = Find(a), b = Find(b);
    if (a == b) return true;
    auto& live_a = live_[static_cast<size_t>(a)];
    auto& live_b = live_[static_cast<size_t>(b)];
    if (output_[static_cast<size_t>(a)] && output_[static_cast<size_t>(b)]) return false;
    for (size_t i = 0, j = 0; i < live_a.size() && j < live_b.size();) {
      if (live_a[i].Overlaps(live_b[j])) return false;
      live_a[i].end < live_b[j].end ? ++i : ++j;
    }
    std::vector<Interval> merged;
    merged.reserve(live_a.size() + live_b.size());
    std::ranges::merge(live_a, live_b, std::back_inserter(merged), {}, &Interval::begin, &Interval::begin);
    live_a = std::move(merged);
    live_b.clear();
    parent_[static_cast<size_t>(b)] = a;
    if (output_[static_cast<size_t>(b)]) output_[static_cast<size_t>(a)] = true;
    return true;
  }

  const std::vector<Interval>& live(ValueId representative) const {
    return live_[static_cast<size_t>(representative)];
  }

 private:
  std::vector<ValueId> parent_;
  std::vector<std::vector<Interval>> live_;
  std::vector<bool> output_;
};

int64_t Aligned(int64_t bytes) {
  constexpr int64_t kAlignment = SUBFLOOR_BUFFER_ALIGNMENT;
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

bool Writable(const Value& value) {
  return value.kind == Value::Kind::kOp || value.kind == Value::Kind::kState || value.donated_to >= 0;
}

struct Block {
  ValueId representative;
  int64_t bytes;
  Interval span;
  int64_t offset = 0;
};

// Offsets in one arena: blocks by falling size, each at the lowest gap that no placed block alive at the same
// time covers.
int64_t Pack(std::vector<Block>& blocks) {
  std::ranges::sort(blocks, [](const Block& a, const Block& b) {
    return std::tuple(-a.bytes, a.span.begin, a.representative) <
           std::tuple(-b.bytes, b.span.begin, b.representative);
  });
  std::vector<const Block*> by_offset;  // placed ones, ascending
  int64_t arena = 0;
  for (Block& block : blocks) {
    int64_t offset = 0;
    for (const Block* placed : by_offset) {
      if (!placed->span.Overlaps(block.span)) continue;
      if (placed->offset >= offset + block.bytes) break;
      offset = std::max(offset, placed->offset + placed->bytes);
    }
    block.offset = offset;
    arena = std::max(arena, offset + block.bytes);
    by_offset.insert(
        std::ranges::upper_bound(by_offset, offset, {}, [](const Block* b) { return b->offset; }), &block);
  }
  return arena;
}

std::string LargestBuffers(const ValueFlow& flow, std::vector<Block> blocks) {
  std::ranges::sort(blocks, [](const Block& a, const Block& b) {
    return std::pair(-a.bytes, a.representative) < std::pair(-b.bytes, b.representative);
  });
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(10, blocks.size()); ++i) {
    const Value& value = flow.values[static_cast<size_t>(blocks[i].representative)];
    text += fmt::format("{}{} bytes for %{} {}", i == 0 ? "" : ", ", blocks[i].bytes,
                        value.instruction->name(), value.shape->ToString(false));
  }
  return text;
}

}  // namespace

Result<BufferAssignment> AssignBuffers(ValueFlow& flow, int64_t memory_limit, decision::Log* log) {
  // No sum of sizes below overflows.
  int64_t total = 0;
  for (const Value& value : flow.values) {
    if (__builtin_add_overflow(total, value.bytes, &total) || total > (int64_t{1} << 61)) {
      return OutOfResources("the program needs more than 2^61 bytes; one of its values is %{} {}",
                            value.instruction->name(), value.shape->ToString(false));
    }
  }
  Sharing sharing(flow);
  // A donated parameter begins the life of its output's memory; the flow ends it before the output begins.
  for (const ValueId parameter : flow.parameters) {
    const Value& value = flow.values[static_cast<size_t>(parameter)];
    if (value.donated_to < 0) continue;
    if (!sharing.Join(flow.outputs[static_cast<size_t>(value.donated_to)], parameter))
      return InternalError("%{}, leaf {}: donated but still read where its output begins",
                           value.instruction->name(), value.leaf);
    decision::Decide(log, decision::Question::kDonation, true, decision::Fact::kDonated, value.bytes,
                     value.donated_to, value.instruction->id());
  }
  for (Transfer& transfer : flow.transfers) {
    const Value& from = flow.values[static_cast<size_t>(transfer.from)];
    const Value& to = flow.values[static_cast<size_t>(transfer.to)];
    transfer.elided =
        Writable(from) && Writable(to) && from.bytes == to.bytes && sharing.Join(transfer.to, transfer.from);
    decision::Decide(log, decision::Question::kAlias, transfer.elided, decision::Fact::kLifetimesApart,
                     to.bytes, 0, to.instruction->id());
  }

  BufferAssignment assignment;
  assignment.places.resize(flow.values.size());
  // Classes that hold an output live in its buffer.
  std::map<ValueId, int64_t> output_of;
  for (size_t i = 0; i < flow.outputs.size(); ++i) {
    output_of[sharing.Find(flow.outputs[i])] = static_cast<int64_t>(i);
    assignment.output_bytes += flow.values[static_cast<size_t>(flow.outputs[i])].bytes;
  }
  std::map<ValueId, Block> blocks;
  int64_t parameter = 0;
  for (size_t i = 0; i < flow.values.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    const Value& value = flow.values[i];
    Place& place = assignment.places[i];
    place.bytes = value.bytes;
    if (value.kind == Value::Kind::kParameter) {
      place.kind = value.donated_to < 0 ? Place::Kind::kParameter : Place::Kind::kOutput;
      place.index = value.donated_to < 0 ? parameter : value.donated_to;
      ++parameter;
      assignment.parameter_bytes += value.bytes;
      if (value.donated_to >= 0) assignment.donated_bytes += value.bytes;
    } else if (value.kind == Value::Kind::kConstant) {
      place.kind = Place::Kind::kConstant;
      place.index = static_cast<int64_t>(assignment.constants.size());
      assignment.constants.push_back(value.instruction);
      assignment.constant_leaves.push_back(value.leaf);
      assignment.constant_bytes += value.bytes;
    } else if (auto it = output_of.find(sharing.Find(id)); it != output_of.end()) {
      place.kind = Place::Kind::kOutput;
      place.index = it->second;
    } else {
      const ValueId representative = sharing.Find(id);
      Block& block =
          blocks.try_emplace(representative, Block{representative, 0, {INT64_MAX, 0}}).first->second;
      block.bytes = std::max(block.bytes, Aligned(value.bytes));
      for (const Interval& interval : value.live) {
        block.span.begin = std::min(block.span.begin, interval.begin);
        block.span.end = std::max(block.span.end, interval.end);
      }
      block.span.end = std::max(block.span.end, value.busy_until);
    }
  }
  std::vector<Block> packed;
  for (auto& [id, block] : blocks) packed.push_back(block);
  assignment.temp_bytes = Pack(packed);
  std::map<ValueId, int64_t> offset_of;
  for (const Block& block : packed) {
    offset_of[block.representative] = block.offset;
    decision::Decide(log, decision::Question::kBufferReuse, true, decision::Fact::kLifetimesApart,
                     block.bytes, block.offset,
                     flow.values[static_cast<size_t>(block.representative)].instruction->id());
  }
  for (size_t i = 0; i < flow.values.size(); ++i) {
    Place& place = assignment.places[i];
    if (place.kind == Place::Kind::kTemp) place.offset = offset_of[sharing.Find(static_cast<ValueId>(i))];
  }
  if (memory_limit > 0 && assignment.peak_bytes() > memory_limit) {
    const std::string largest =
        packed.empty() ? "" : "; largest temporaries: " + LargestBuffers(flow, packed);
    return OutOfResources(
        "the program needs {} bytes at its peak ({} for parameters, {} for outputs, {} for "
        "constants), the limit is {}{}",
        assignment.peak_bytes(), assignment.parameter_bytes, assignment.output_bytes,
        assignment.constant_bytes, memory_limit, largest);
  }
  return assignment;
}

Status CountScratch(const hlo::Instruction& kernel, int64_t scratch_bytes, int64_t memory_limit,
                    BufferAssignment& assignment) {
  assignment.scratch_bytes = std::max(assignment.scratch_bytes, scratch_bytes);
  if (memory_limit <= 0 || assignment.peak_bytes() <= memory_limit) return {};
  return OutOfResources(
      "the program needs {} bytes at its peak, {} of them for %{} to work in; the limit is {}",
      assignment.peak_bytes(), scratch_bytes, kernel.name(), memory_limit);
}

}  // namespace subfloor::cpu
