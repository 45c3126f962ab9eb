#include "passes/fuse/group.h"

#include <algorithm>

#include "passes/make.h"

namespace subfloor::passes {
namespace {

using decision::Fact;
using hlo::Instruction;
using hlo::Opcode;

constexpr uint64_t kIdentityMap = 1;
/// A transposed read below this size stays in the first-level cache and costs nothing to speak of.
constexpr double kSmallBytes = 32 << 10;
constexpr int64_t kMaxConcatenatedInside = 8;

double Count(const Instruction* instruction) {
  return static_cast<double>(instruction->shape().element_count());
}

uint64_t Mix(uint64_t hash, uint64_t value) { return (hash ^ value) * 0x9E3779B97F4A7C15 + (hash >> 29); }

// How an operand is read by a user that is itself read as `reading` says.
Reading Through(const Instruction* user, int64_t operand_index, const Reading& reading) {
  const Instruction* operand = user->operand(operand_index);
  const bool same_sizes = operand->shape().SameDimensions(user->shape());
  if (user->IsElementwise() && same_sizes) return reading;
  if ((user->opcode() == Opcode::kReshape || user->opcode() == Opcode::kBitcast) && reading.linear)
    return reading;
  Reading through = {
      Mix(Mix(reading.map, static_cast<uint64_t>(user->id())), static_cast<uint64_t>(operand_index)),
      reading.evals, false};
  const double size_ratio = Count(operand) / std::max(1.0, Count(user));
  switch (user->opcode()) {
    case Opcode::kConcatenate:
      through.evals *= size_ratio;
      break;
    case Opcode::kPad:
      through.evals = operand_index == 0 ? reading.evals * std::min(1.0, size_ratio) : 1;
      break;
    case Opcode::kDynamicSlice:
      through.evals = operand_index == 0 ? reading.evals : 1;
      break;
    case Opcode::kDynamicUpdateSlice:
      through.evals = operand_index < 2 ? Count(operand) : 1;
      break;
    case Opcode::kBitcastConvert:
      through.evals *= std::max(1.0, size_ratio);
      break;
    case Opcode::kReduce: {
      const Shape& out = user->shape().IsTuple() ? user->shape().tuple_shape(0) : user->shape();
      const double outputs = std::max<double>(1, static_cast<double>(out.element_count()));
      through.evals = operand->shape().rank() > 0 ? reading.evals * Count(operand) / outputs : 1;
      break;
    }
    case Opcode::kReduceWindow:
      if (operand->shape().rank() == 0)
        through.evals = 1;
      else
        for (const auto& d : user->As<hlo::WindowAttributes>().window)
          through.evals *= static_cast<double>(d.size);
      break;
    default:
      if (operand->shape().IsScalar() && !user->shape().IsScalar() && user->opcode() != Opcode::kBroadcast)
        through.evals = 1;
  }
  return through;
}

bool MovesMinorDimension(const Instruction* instruction) {
  if (instruction->opcode() != Opcode::kTranspose) return false;
  const auto sizes = instruction->operand(0)->shape().dimensions();
  int64_t minor = static_cast<int64_t>(sizes.size()) - 1;
  while (minor > 0 && sizes[static_cast<size_t>(minor)] == 1) --minor;
  const auto permutation = instruction->dimensions();
  for (size_t i = permutation.size(); i-- > 0;) {
    if (sizes[static_cast<size_t>(permutation[i])] != 1) return permutation[i] != minor;
  }
  return false;
}

const Instruction* BehindReshapes(const Instruction* instruction) {
  while (instruction->opcode() == Opcode::kReshape || instruction->opcode() == Opcode::kBitcast) {
    instruction = instruction->operand(0);
  }
  return instruction;
}

double Total(const Readings& readings) {
  double evals = 0;
  for (const Reading& reading : readings) evals += reading.evals;
  return evals;
}

}  // namespace

Group::Group(Instruction* root) : root_(root) {
  const Shape& shape = root->shape().IsTuple() ? root->shape().tuple_shape(0) : root->shape();
  work_ = static_cast<double>(shape.element_count());
  if (root->opcode() == Opcode::kDynamicUpdateSlice) work_ = Count(root->operand(1));
  const double evals = work_;
  Join(root, {{kIdentityMap, evals, true}}, 0);
}

Readings Group::ReadingsOf(const Instruction* producer) const {
  Readings result;
  for (const hlo::Use& use : producer->uses()) {
    const auto it = readings_.find(use.user);
    if (it == readings_.end()) continue;
    for (const Reading& reading : it->second) {
      const Reading through = Through(use.user, use.operand_index, reading);
      const auto same = std::ranges::find(result, through.map, &Reading::map);
      if (same == result.end())
        result.push_back(through);
      else
        same->evals = std::max(same->evals, through.evals);
    }
  }
  return result;
}

std::optional<Group::Refusal> Group::Refuses(const Instruction* producer, const Readings& readings,
                                             const Limits& limits) const {
  if (size() + 1 > limits.instructions)
    return Refusal{Fact::kFusionTooLarge, size() + 1, limits.instructions};
  const auto count = static_cast<int64_t>(readings.size());
  if (readings.size() > limits.readings || emissions_ + count > 2 * limits.instructions) {
    return Refusal{Fact::kFusionTooLarge, emissions_ + count, 2 * limits.instructions};
  }
  if (root_->opcode() == Opcode::kDynamicUpdateSlice) {
    // What is updated in place must be read by nothing else in the kernel.
    const Instruction* updated = BehindReshapes(root_->operand(0));
    if (BehindReshapes(producer) == updated) return Refusal{Fact::kUpdatedInPlace};
    for (int64_t i = 0; i < producer->operand_count(); ++i) {
      if (BehindReshapes(producer->operand(i)) == updated) return Refusal{Fact::kUpdatedInPlace};
    }
  }
  switch (producer->opcode()) {
    case Opcode::kReduce: {
      const bool whole = hero_ == nullptr && readings.size() == 1 && readings[0].linear &&
                         readings[0].evals == work_ && Count(producer) == work_;
      const bool alike =
          std::ranges::all_of(readings_, [&](const auto& entry) { return Total(entry.second) <= work_; });
      if (!whole || !alike) return Refusal{Fact::kOneReductionOnly};
      break;
    }
    case Opcode::kConcatenate:
      if (producer->operand_count() > kMaxConcatenatedInside) return Refusal{Fact::kNotElementwiseUse};
      break;
    case Opcode::kTranspose: {
      const double bytes = Total(readings) * ByteWidth(producer->shape().element_type());
      if (!MovesMinorDimension(producer) || bytes <= kSmallBytes) break;
      const bool other = !permutation_.empty() && !std::ranges::equal(permutation_, producer->dimensions());
      const bool composed =
          std::ranges::any_of(readings, [](const Reading& reading) { return !reading.linear; });
      if (hero_ != nullptr || other || composed)
        return Refusal{Fact::kReadAcross, static_cast<int64_t>(bytes)};
      break;
    }
    default:
      break;
  }
  return std::nullopt;
}

void Group::Join(Instruction* producer, Readings readings, double redundant_flops) {
  emissions_ += static_cast<int64_t>(readings.size());
  redundant_flops_ += redundant_flops;
  if (producer->opcode() == Opcode::kReduce) {
    hero_ = producer;
    work_ = std::max(work_, Count(producer->operand(0)));
  }
  if (MovesMinorDimension(producer) &&
      Total(readings) * ByteWidth(producer->shape().element_type()) > kSmallBytes) {
    permutation_.assign(producer->dimensions().begin(), producer->dimensions().end());
  }
  members_.push_back(producer);
  readings_.emplace(producer, std::move(readings));
}

}  // namespace subfloor::passes
