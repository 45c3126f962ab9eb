#include "cpu/native_regions.h"

#include <algorithm>
#include <compare>
#include <map>

#include "cpu/kernel_work.h"
#include "dispatch/cpu_dispatch.h"
#include "passes/loops/loop_analysis.h"

namespace subfloor::cpu {
namespace {

using codegen::NativeBuffer;
using codegen::NativeProgram;
using codegen::NativeStep;
using decision::Fact;
using decision::Question;
using hlo::Instruction;
using hlo::Opcode;

// A kernel of more element operations than this takes longer than the thunk that calls it, and may be worth
// sharing out over threads.
constexpr int64_t kMostWork = 16'384;
constexpr int64_t kMostCopyBytes = 16'384;
// LLVM's time grows faster than a function: larger loops stay thunks around several functions.
constexpr int64_t kMostInstructions = 2'000;
constexpr size_t kMostArguments = 200;
// Locals: what fits into the first-level cache beside the arguments; and what is worth copying in and out.
constexpr int64_t kMostLocalBytes = 4'096, kMostLocalsBytes = 32'768, kMostHomeBytes = 64;

struct PlaceKey {
  Place::Kind kind;
  int64_t index, offset, bytes;
  auto operator<=>(const PlaceKey&) const = default;

  bool Overlaps(const PlaceKey& other) const {
    return kind == other.kind && index == other.index && offset < other.offset + other.bytes &&
           other.offset < offset + bytes;
  }
};

// The values that a step names, and whether it writes them. A loop names its predicate, a conditional its
// selector.
template <typename F>
void ForEachValue(const ValueFlow& flow, const OrderedStep& step, F&& f) {
  if (step.transfer != nullptr) {
    f(step.transfer->from, false);
    f(step.transfer->to, true);
    return;
  }
  const Instruction& op = *step.instruction;
  if (op.opcode() == Opcode::kWhile) {
    f(flow.LeavesOf(op.called(0)->root())[0], false);
    return;
  }
  if (op.opcode() == Opcode::kConditional) {
    f(flow.LeavesOf(op.operand(0))[0], false);
    return;
  }
  const std::vector<std::pair<int64_t, int64_t>> in_place = InPlaceOperands(op);
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    if (std::ranges::find(in_place, i, &std::pair<int64_t, int64_t>::first) != in_place.end()) continue;
    for (ValueId id : flow.LeavesOf(op.operand(i))) f(id, false);
  }
  for (ValueId id : flow.LeavesOf(&op)) f(id, true);
}

class Finder {
 public:
  Finder(const ValueFlow& flow, const StepOrder& order, const BufferAssignment& assignment,
         decision::Log* log)
      : flow_(flow), order_(order), assignment_(assignment), log_(log) {}

  NativeRegions Run(const hlo::Computation& entry) {
    CountUses(entry, uses_);
    Plan(entry, /*in_loop=*/false);
    return std::move(regions_);
  }

 private:
  // What a step, or several, would add to a function.
  struct Cost {
    bool native = true;
    int64_t instructions = 0;
    Cost& operator+=(const Cost& other) {
      native &= other.native;
      instructions += other.instructions;
      return *this;
    }
  };

  // How often each value is named.
  using Uses = absl::flat_hash_map<ValueId, int32_t>;
  void CountUses(const hlo::Computation& computation, Uses& uses) const {
    for (const OrderedStep& step : order_.Of(computation)) CountUses(step, uses);
  }
  void CountUses(const OrderedStep& step, Uses& uses) const {
    ForEachValue(flow_, step, [&](ValueId id, bool) { ++uses[id]; });
    if (step.instruction == nullptr || !IsControl(*step.instruction)) return;
    for (const hlo::Computation* nested : step.instruction->called_computations()) CountUses(*nested, uses);
  }

  static bool IsControl(const Instruction& op) {
    return op.opcode() == Opcode::kWhile || op.opcode() == Opcode::kConditional;
  }

  Cost CostOf(const OrderedStep& step) {
    if (step.transfer != nullptr) {
      const int64_t bytes = flow_.values[static_cast<size_t>(step.transfer->to)].bytes;
      return {step.transfer->elided || bytes <= kMostCopyBytes, 1};
    }
    const Instruction& op = *step.instruction;
    if (auto it = costs_.find(&op); it != costs_.end()) return it->second;
    Cost cost{false, 0};
    if (op.opcode() == Opcode::kFusion) {
      cost = {ElementOperations(op, kMostWork) <= kMostWork, op.called()->instruction_count()};
    } else if (op.opcode() == Opcode::kCopy) {
      cost = {op.shape().byte_size() <= kMostCopyBytes, 1};
    } else if (IsControl(op)) {
      cost = {true, 1};
      for (const hlo::Computation* nested : op.called_computations()) {
        for (const OrderedStep& inner : order_.Of(*nested)) cost += CostOf(inner);
      }
      const bool fits = cost.instructions <= kMostInstructions;
      const Fact fact = cost.native ? Fact::kFusionTooLarge : Fact::kBodyNotNative;
      cost.native &= fits;
      // A yes is said where the function is made.
      if (!cost.native) Record(op, false, cost.instructions, fact, kMostInstructions);
    }
    costs_[&op] = cost;
    return cost;
  }

  void Plan(const hlo::Computation& computation, bool in_loop) {
    const std::vector<OrderedStep>& steps = order_.Of(computation);
    size_t first = 0;
    int64_t instructions = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
      const Cost cost = CostOf(steps[i]);
      if (cost.native && instructions + cost.instructions <= kMostInstructions) {
        instructions += cost.instructions;
        continue;
      }
      TakeRun(computation, first, i, in_loop);
      first = i;
      instructions = cost.instructions;
      if (cost.native) continue;
      first = i + 1;
      instructions = 0;
      PlanInside(steps[i], in_loop);
    }
    TakeRun(computation, first, steps.size(), in_loop);
  }

  void PlanInside(const OrderedStep& step, bool in_loop) {
    if (step.instruction == nullptr || !IsControl(*step.instruction)) return;
    const bool loop = step.instruction->opcode() == Opcode::kWhile;
    for (const hlo::Computation* nested : step.instruction->called_computations())
      Plan(*nested, in_loop || loop);
  }

  // Makes a region of steps [first, end) if one call is better than several.
  void TakeRun(const hlo::Computation& computation, size_t first, size_t end, bool in_loop) {
    const std::vector<OrderedStep>& steps = order_.Of(computation);
    auto idle = [&](size_t i) { return steps[i].transfer != nullptr && steps[i].transfer->elided; };
    while (first < end && idle(first)) ++first;
    while (first < end && idle(end - 1)) --end;
    int64_t working = 0;
    bool control = false;
    for (size_t i = first; i < end; ++i) {
      working += idle(i) ? 0 : 1;
      control |= steps[i].instruction != nullptr && IsControl(*steps[i].instruction);
    }
    if (!control && (!in_loop || working < 2)) return;
    if (std::unique_ptr<NativeRegion> region = Make(steps, first, end, control)) {
      regions_[&computation].push_back(std::move(region));
      for (size_t i = first; i < end; ++i) {
        const Instruction* op = steps[i].instruction;
        if (op != nullptr && IsControl(*op))
          Record(*op, true, CostOf(steps[i]).instructions, Fact::kBodySmall);
      }
    } else if (end - first > 1) {
      const size_t middle = first + (end - first) / 2;
      TakeRun(computation, first, middle, in_loop);
      TakeRun(computation, middle, end, in_loop);
    } else {
      if (control) Record(*steps[first].instruction, false, kMostArguments, Fact::kTooManyBuffers);
      PlanInside(steps[first], in_loop);
    }
  }

  void Record(const Instruction& op, bool native, int64_t a, Fact fact, int64_t b = 0) {
    decision::Decide(log_, Question::kNativeLoop, native, fact, a, b, op.id());
  }

  // What is known of the bytes that steps of a region name.
  struct Bytes {
    bool written = false;
    bool used_outside = false;
    ValueId value = -1;  // one that lies there
  };

  PlaceKey KeyOf(ValueId id) const {
    const Place& place = assignment_.places[static_cast<size_t>(id)];
    return {place.kind, place.index, place.offset, place.bytes};
  }

  // Null if it would take too many arguments.
  std::unique_ptr<NativeRegion> Make(const std::vector<OrderedStep>& order, size_t first, size_t end,
                                     bool control) {
    auto region = std::make_unique<NativeRegion>();
    region->first = first;
    region->count = end - first;
    Uses inside;
    std::map<PlaceKey, Bytes> places;
    for (size_t i = first; i < end; ++i) {
      CountUses(order[i], inside);
      Survey(order[i], places);
      const Instruction* op = order[i].instruction;
      const bool better = op != nullptr && (region->instruction == nullptr ||
                                            (IsControl(*op) && !IsControl(*region->instruction)));
      if (better) region->instruction = op;
    }
    if (region->instruction == nullptr) {
      region->instruction = flow_.values[static_cast<size_t>(order[first].transfer->to)].instruction;
    }
    for (const auto& [id, count] : inside) {
      if (count != uses_.at(id)) places[KeyOf(id)].used_outside = true;
    }
    numbers_.clear();
    AllotBuffers(places, control, *region);
    if (region->arguments.size() > kMostArguments) return nullptr;
    for (size_t i = first; i < end; ++i) AddStep(order[i], region->program.steps, *region);
    return region;
  }

  void Survey(const OrderedStep& step, std::map<PlaceKey, Bytes>& places) const {
    ForEachValue(flow_, step, [&](ValueId id, bool writes) {
      Bytes& bytes = places[KeyOf(id)];
      // An elided transfer moves nothing.
      bytes.written |= writes && !(step.transfer != nullptr && step.transfer->elided);
      if (bytes.value < 0) bytes.value = id;
    });
    if (step.instruction == nullptr || !IsControl(*step.instruction)) return;
    for (const hlo::Computation* nested : step.instruction->called_computations()) {
      for (const OrderedStep& inner : order_.Of(*nested)) Survey(inner, places);
    }
  }

  // Decides what is an argument and what is local, and numbers all of it.
  void AllotBuffers(const std::map<PlaceKey, Bytes>& places, bool control, NativeRegion& region) {
    NativeProgram& program = region.program;
    std::vector<const std::pair<const PlaceKey, Bytes>*> read, written, local;
    int64_t local_bytes = 0;
    for (const auto& entry : places) {
      const auto& [key, bytes] = entry;
      const bool own = key.kind == Place::Kind::kTemp && !bytes.used_outside;
      if (key.bytes == 0 ||
          (own && key.bytes <= kMostLocalBytes && local_bytes + key.bytes <= kMostLocalsBytes)) {
        local.push_back(&entry);
        local_bytes += key.bytes;
      } else {
        (bytes.written ? written : read).push_back(&entry);
      }
    }
    auto add = [&](const std::pair<const PlaceKey, Bytes>& entry, NativeBuffer::Kind kind) {
      const auto number = static_cast<int32_t>(program.buffers.size());
      numbers_[entry.first] = number;
      program.buffers.push_back(
          {kind, entry.first.bytes, -1, false, flow_.values[static_cast<size_t>(entry.second.value)].shape});
      if (kind != NativeBuffer::Kind::kLocal) region.arguments.push_back(entry.second.value);
      return number;
    };
    std::vector<PlaceKey> keys;
    for (const auto* entry : read) add(*entry, NativeBuffer::Kind::kRead), keys.push_back(entry->first);
    for (const auto* entry : written) add(*entry, NativeBuffer::Kind::kWritten), keys.push_back(entry->first);
    std::vector<bool> shared(keys.size(), false);
    for (size_t i = 0; i < keys.size(); ++i) {
      for (size_t j = i + 1; j < keys.size(); ++j) {
        if (!keys[i].Overlaps(keys[j])) continue;
        program.may_alias.emplace_back(static_cast<int32_t>(i), static_cast<int32_t>(j));
        shared[i] = shared[j] = true;
      }
    }
    for (const auto* entry : local) add(*entry, NativeBuffer::Kind::kLocal);
    if (!control) return;
    // Small state of loops works in registers, and goes home at the end.
    for (size_t i = read.size(); i < keys.size(); ++i) {
      const auto& [key, bytes] = *written[i - read.size()];
      if (key.bytes > kMostHomeBytes || shared[i]) continue;
      const int32_t number = add(*written[i - read.size()], NativeBuffer::Kind::kLocal);
      program.buffers[static_cast<size_t>(number)].home = static_cast<int32_t>(i);
      program.buffers[static_cast<size_t>(number)].leaves = true;
    }
  }

  NativeStep::Use UseOf(ValueId id, const Shape& shape) const { return {numbers_.at(KeyOf(id)), &shape}; }

  void AddStep(const OrderedStep& step, std::vector<NativeStep>& steps, NativeRegion& region) {
    if (step.transfer != nullptr) {
      if (step.transfer->elided) return;
      const Shape& shape = *flow_.values[static_cast<size_t>(step.transfer->to)].shape;
      AddCopy(step.transfer->from, step.transfer->to, shape, steps);
      return;
    }
    const Instruction& op = *step.instruction;
    if (op.opcode() == Opcode::kCopy) {
      AddCopy(flow_.LeavesOf(op.operand(0))[0], flow_.LeavesOf(&op)[0], op.shape(), steps);
      return;
    }
    NativeStep native;
    native.instruction = op.id();
    if (op.opcode() == Opcode::kFusion) {
      AddKernel(op, native);
      region.fusions.push_back({&op, native.emitter});
    } else {
      const bool loop = op.opcode() == Opcode::kWhile;
      native.kind = loop ? NativeStep::Kind::kWhile : NativeStep::Kind::kConditional;
      const Instruction* decides = loop ? op.called(0)->root() : op.operand(0);
      native.buffers.push_back(UseOf(flow_.LeavesOf(decides)[0], decides->shape()));
      if (loop) native.trip_count = passes::KnownTripCount(op).value_or(-1);
      for (const hlo::Computation* nested : op.called_computations()) {
        std::vector<NativeStep> inner;
        for (const OrderedStep& nested_step : order_.Of(*nested)) AddStep(nested_step, inner, region);
        native.nested.push_back(std::move(inner));
      }
    }
    steps.push_back(std::move(native));
  }

  void AddCopy(ValueId from, ValueId to, const Shape& shape, std::vector<NativeStep>& steps) const {
    if (shape.byte_size() == 0) return;
    NativeStep copy;
    copy.kind = NativeStep::Kind::kCopy;
    copy.buffers = {UseOf(from, shape), UseOf(to, shape)};
    if (copy.buffers[0].buffer != copy.buffers[1].buffer) steps.push_back(std::move(copy));
  }

  void AddKernel(const Instruction& fusion, NativeStep& native) {
    native.body = fusion.called();
    native.emitter = dispatch::ChooseCpuEmitter(*native.body, fusion.id(), log_).emitter;
    native.in_place = SharedBuffers(fusion, flow_, assignment_);
    const std::span<const ValueId> results = flow_.LeavesOf(&fusion);
    const std::vector<std::pair<int64_t, int64_t>> in_place = InPlaceOperands(fusion);
    for (int64_t i = 0; i < fusion.operand_count(); ++i) {
      ValueId id = flow_.LeavesOf(fusion.operand(i))[0];
      // An operand updated in place has moved into the output's buffer by now.
      for (const auto& [operand, leaf] : in_place) {
        if (operand == i) id = results[static_cast<size_t>(leaf)];
      }
      native.buffers.push_back(UseOf(id, native.body->parameters()[static_cast<size_t>(i)]->shape()));
    }
    for (size_t i = 0; i < results.size(); ++i) {
      native.buffers.push_back(UseOf(results[i], *flow_.values[static_cast<size_t>(results[i])].shape));
    }
  }

  const ValueFlow& flow_;
  const StepOrder& order_;
  const BufferAssignment& assignment_;
  decision::Log* log_;
  Uses uses_;  // in the whole program
  absl::flat_hash_map<const Instruction*, Cost> costs_;
  std::map<PlaceKey, int32_t> numbers_;  // of the region being made
  NativeRegions regions_;
};

}  // namespace

std::vector<std::pair<int64_t, int64_t>> SharedBuffers(const Instruction& fusion, const ValueFlow& flow,
                                                       const BufferAssignment& assignment) {
  std::vector<std::pair<int64_t, int64_t>> shared;
  for (const auto& [operand, leaf] : InPlaceOperands(fusion)) shared.emplace_back(leaf, operand);
  return shared.empty() ? OverlappingBuffers(fusion, flow, assignment) : shared;
}

std::vector<std::pair<int64_t, int64_t>> OverlappingBuffers(const Instruction& fusion, const ValueFlow& flow,
                                                            const BufferAssignment& assignment) {
  std::vector<std::pair<int64_t, int64_t>> shared;
  const auto place = [&](ValueId id) -> const Place& { return assignment.places[static_cast<size_t>(id)]; };
  const std::span<const ValueId> results = flow.LeavesOf(&fusion);
  for (int64_t i = 0; i < fusion.operand_count(); ++i) {
    const Place& operand = place(flow.LeavesOf(fusion.operand(i))[0]);
    for (size_t leaf = 0; leaf < results.size(); ++leaf) {
      const Place& result = place(results[leaf]);
      if (operand.kind == result.kind && operand.index == result.index && operand.offset == result.offset &&
          operand.bytes > 0 && operand.bytes == result.bytes) {
        shared.emplace_back(static_cast<int64_t>(leaf), i);
      }
    }
  }
  return shared;
}

NativeRegions FindNativeRegions(const hlo::Module& module, const ValueFlow& flow, const StepOrder& order,
                                const BufferAssignment& assignment, decision::Log* log) {
  return Finder(flow, order, assignment, log).Run(*module.entry());
}

}  // namespace subfloor::cpu
