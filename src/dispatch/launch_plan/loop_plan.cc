#include "dispatch/launch_plan/loop_plan.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "dispatch/element_bits.h"
#include "dispatch/transpose_shape.h"

namespace subfloor::dispatch {
namespace {

using decision::Fact;
using decision::Question;
using hlo::Instruction;
using hlo::Opcode;

constexpr int64_t kUsualVector = 4;

// More elements a thread would make it slower: much code for each, or few threads with much work.
bool UnrollHurts(const Instruction* instruction) {
  switch (instruction->opcode()) {
    case Opcode::kReduceWindow: {
      int64_t points = 1;
      for (const hlo::WindowDimension& dimension : instruction->As<hlo::WindowAttributes>().window) {
        points = SaturatingProduct(points, dimension.size);
      }
      return points > 8;
    }
    case Opcode::kSort:
    case Opcode::kDot:
      return true;
    case Opcode::kConcatenate:
      return instruction->operand_count() > 10;
    case Opcode::kReduce:
      return instruction->shape().tuple_size() > 1;
    default:
      return false;
  }
}

// Devices whose threads load 256 bits at once want more of narrow types, as long as one output is made,
// nothing is reduced and no transpose has rows that short.
int64_t MostVector(const FusionView& fusion, GpuKind kind, const device::DeviceDescription& device) {
  if (device.vector_access_bits <= 128) return kUsualVector;
  const bool kind_fits =
      kind == GpuKind::kLoop || kind == GpuKind::kTranspose || kind == GpuKind::kConcatenate;
  const int64_t narrow = device.vector_access_bits / kUsualVector;
  if (!kind_fits || fusion.roots().size() > 1 || NarrowestBits(fusion.roots()) >= narrow) return kUsualVector;
  if (fusion.AnyOf([](const Instruction* op) { return op->opcode() == Opcode::kReduce; }))
    return kUsualVector;
  const int64_t widest = std::max(WidestStoredBits(fusion.parameters()), WidestStoredBits(fusion.roots()));
  constexpr int64_t kMost = 32;
  auto vector = static_cast<int64_t>(std::bit_floor(
      static_cast<uint64_t>(std::clamp<int64_t>(device.vector_access_bits / widest, 1, kMost))));
  // Loads behind a pad are seldom whole vectors.
  if (fusion.AnyOf([](const Instruction* op) { return op->opcode() == Opcode::kPad; })) {
    vector = std::min<int64_t>(vector, 8);
  }
  const auto short_rows = [&](const Instruction* op) {
    const std::optional<TransposeShape> shape = NormalizedTranspose(*op);
    return shape && shape->output.back() < vector;
  };
  while (vector > kUsualVector && fusion.AnyOf(short_rows)) vector /= 2;
  return std::max<int64_t>(vector, 8);
}

}  // namespace

int64_t LoopVector(const FusionView& fusion, GpuKind kind, int64_t elements,
                   const device::DeviceDescription& device, const Asker& ask) {
  const int64_t occupied = device.threads_per_core_limit * device.core_count;
  int64_t vector = 1;
  Fact fact = Fact::kVectorOf;
  if (elements < occupied) {
    fact = Fact::kSmallOutput;
  } else if (fusion.AnyOf(UnrollHurts)) {
    fact = Fact::kUnrollHurts;
  } else {
    vector = std::gcd(elements, MostVector(fusion, kind, device));
    if (vector == 1) fact = Fact::kOddElements;
  }
  // One thread writes all elements of a byte. Where that does not divide the elements the last thread has
  // fewer.
  const int64_t bits = NarrowestBits(fusion.roots());
  const int64_t of_a_byte = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(CeilDiv(8, bits))));
  if (of_a_byte > vector) vector = of_a_byte, fact = Fact::kVectorOf;
  if (fact == Fact::kVectorOf) {
    ask(Question::kGpuVector, true, fact, vector, bits);
  } else {
    ask(Question::kGpuVector, false, fact, elements, occupied);
  }
  return vector;
}

std::optional<LoopPlan> PlanLoop(const FusionView& fusion, const device::DeviceDescription& device,
                                 const Asker& ask) {
  LoopPlan plan;
  for (size_t i = 0; i < fusion.roots().size(); ++i) {
    int64_t elements = 0;
    for (const Shape* leaf : Leaves(fusion.roots()[i]->shape())) {
      if (leaf->IsArray()) elements = std::max(elements, leaf->element_count());
    }
    if (elements > plan.elements) {
      plan.elements = elements;
      plan.index_root = static_cast<int64_t>(i);
    }
  }
  plan.vector = LoopVector(fusion, GpuKind::kLoop, plan.elements, device, ask);
  const auto launch = LaunchOverElements(plan.elements, plan.vector, device);
  if (!Fits(launch, plan.elements / plan.vector, 1, device, ask)) return std::nullopt;
  plan.launch = *launch;
  return plan;
}

std::optional<ConcatenatePlan> PlanConcatenate(const FusionView& fusion, const Instruction& concatenate,
                                               const device::DeviceDescription& device, const Asker& ask) {
  ConcatenatePlan plan;
  plan.concatenate = &concatenate;
  const int64_t dimension = concatenate.dimensions()[0];
  const auto size = [&](int64_t i) { return concatenate.operand(i)->shape().dimension(dimension); };
  for (int64_t i = 1; i < concatenate.operand_count(); ++i) {
    if (size(i) > size(plan.largest_operand)) plan.largest_operand = i;
  }
  plan.elements = concatenate.operand(plan.largest_operand)->shape().element_count();
  plan.vector = LoopVector(fusion, GpuKind::kConcatenate, plan.elements, device, ask);
  for (int64_t i = 0; i < concatenate.operand_count(); ++i) plan.vector = std::gcd(plan.vector, size(i));
  const auto launch = LaunchOverElements(plan.elements, plan.vector, device);
  if (!Fits(launch, plan.elements / plan.vector, 1, device, ask)) return std::nullopt;
  plan.launch = *launch;
  return plan;
}

std::optional<InPlaceUpdatePlan> PlanInPlaceUpdate(const FusionView& fusion,
                                                   std::vector<const Instruction*> updates,
                                                   const device::DeviceDescription& device,
                                                   const Asker& ask) {
  InPlaceUpdatePlan plan;
  plan.elements = updates[0]->operand(1)->shape().element_count();
  plan.updates = std::move(updates);
  plan.vector = LoopVector(fusion, GpuKind::kLoop, plan.elements, device, ask);
  const auto launch = LaunchOverElements(plan.elements, plan.vector, device);
  if (!Fits(launch, plan.elements / plan.vector, 1, device, ask)) return std::nullopt;
  plan.launch = *launch;
  return plan;
}

}  // namespace subfloor::dispatch
