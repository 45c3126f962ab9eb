#include "hlo/verifier.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "hlo/shape_inference.h"
#include "hlo/verify_parts.h"

namespace subfloor::hlo {

std::unexpected<Error> verify::At(const Instruction& instruction, Error error) {
  error.In(instruction.name()).At({.file = {}, .line = instruction.line(), .column = instruction.column()});
  return std::unexpected(std::move(error));
}

namespace {

template <typename... Args>
std::unexpected<Error> Bad(const Instruction& instruction, fmt::format_string<Args...> format,
                           Args&&... args) {
  return verify::At(instruction,
                    Error(ErrorKind::kBadInput, fmt::format(format, std::forward<Args>(args)...)));
}

class Verifier {
 public:
  Verifier(const Module& module, const VerifyOptions& options) : module_(module), options_(options) {}

  Status Run() {
    if (module_.entry() == nullptr) return BadInput("the module has no entry computation");
    if (module_.header().replica_count < 1) {
      return BadInput("replica_count is {}; it wants 1 or more", module_.header().replica_count);
    }
    if (module_.header().num_partitions < 1) {
      return BadInput("num_partitions is {}; it wants 1 or more", module_.header().num_partitions);
    }
    SF_CHECK(CheckCalls());
    for (const Computation* computation : module_.computations()) SF_CHECK(CheckComputation(*computation));
    for (const Computation* computation : module_.computations()) {
      for (const Instruction* instruction : computation->instructions())
        SF_CHECK(CheckInstruction(*instruction));
    }
    return verify::CheckHeader(module_);
  }

 private:
  Status CheckCalls() {
    absl::flat_hash_set<const Computation*> own;
    for (const Computation* computation : module_.computations()) own.insert(computation);
    if (!own.contains(module_.entry())) return BadInput("the entry is none of the module's computations");
    for (const Computation* computation : module_.computations()) {
      for (const Instruction* instruction : computation->instructions()) {
        for (const Computation* callee : instruction->called_computations()) {
          if (!own.contains(callee)) return Bad(*instruction, "calls a computation of another module");
          if (callee == module_.entry()) return Bad(*instruction, "calls the entry, %{}", callee->name());
        }
      }
    }
    // Callees come before callers unless they are on a cycle.
    absl::flat_hash_map<const Computation*, size_t> place;
    const std::vector<Computation*> order = module_.MakePostOrder();
    for (size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    for (const Computation* computation : order) {
      for (const Instruction* instruction : computation->instructions()) {
        for (const Computation* callee : instruction->called_computations()) {
          if (place[callee] >= place[computation]) {
            return Bad(*instruction, "%{} calls %{}, which calls it in turn", computation->name(),
                       callee->name());
          }
        }
      }
    }
    return {};
  }

  Status CheckComputation(const Computation& computation) {
    if (computation.root() == nullptr) return BadInput("computation %{} has no root", computation.name());
    if (computation.root()->parent() != &computation) {
      return BadInput("the root of %{} is %{}, an instruction of another computation", computation.name(),
                      computation.root()->name());
    }
    for (int64_t i = 0; i < computation.parameter_count(); ++i) {
      if (computation.parameter(i) == nullptr) {
        return BadInput("computation %{} has {} parameters but no parameter {}", computation.name(),
                        computation.parameter_count(), i);
      }
    }
    for (const Instruction* instruction : computation.instructions()) {
      SF_CHECK(CheckEdges(computation, *instruction));
      if (!instruction->IsParameter()) continue;
      const auto* attributes = instruction->TryAs<ParameterAttributes>();
      const int64_t number = attributes ? attributes->number : -1;
      if (number < 0 || number >= computation.parameter_count() ||
          computation.parameter(number) != instruction) {
        return Bad(*instruction, "%{} has another parameter {}", computation.name(), number);
      }
    }
    return CheckOrder(computation);
  }

  Status CheckEdges(const Computation& computation, const Instruction& instruction) {
    for (int64_t i = 0; i < instruction.operand_count(); ++i) {
      const Instruction* operand = instruction.operand(i);
      if (operand == nullptr) return Bad(instruction, "operand {} is missing", i);
      if (operand->parent() != &computation) {
        return Bad(instruction, "operand {}, %{}, is in another computation", i, operand->name());
      }
    }
    for (const Instruction* before : instruction.control_predecessors()) {
      if (before->parent() != &computation) {
        return Bad(instruction, "the control predecessor %{} is in another computation", before->name());
      }
    }
    for (const Instruction* after : instruction.control_successors()) {
      if (after->parent() != &computation) {
        return Bad(instruction, "the control successor %{} is in another computation", after->name());
      }
    }
    return {};
  }

  // In the order that MakePostOrder gives (the schedule, if there is one), everything comes after what it
  // waits for, unless there is a cycle.
  Status CheckOrder(const Computation& computation) {
    absl::flat_hash_map<const Instruction*, int64_t> place;
    const std::vector<Instruction*> order = computation.MakePostOrder();
    place.reserve(order.size());
    for (size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int64_t>(i);
    const bool scheduled = module_.header().is_scheduled;
    for (const Instruction* instruction : order) {
      const int64_t here = place[instruction];
      const auto comes_before = [&](const Instruction* before) { return place[before] < here; };
      for (int64_t i = 0; i < instruction->operand_count(); ++i) {
        if (comes_before(instruction->operand(i))) continue;
        return scheduled
                   ? Bad(*instruction, "is scheduled before its operand %{}", instruction->operand(i)->name())
                   : Bad(*instruction, "is on a cycle, with its operand %{}",
                         instruction->operand(i)->name());
      }
      for (const Instruction* before : instruction->control_predecessors()) {
        if (comes_before(before)) continue;
        return scheduled
                   ? Bad(*instruction, "is scheduled before its control predecessor %{}", before->name())
                   : Bad(*instruction, "is on a cycle, with its control predecessor %{}", before->name());
      }
    }
    return {};
  }

  Status CheckInstruction(const Instruction& instruction) {
    const Opcode opcode = instruction.opcode();
    if (const auto arity = ArityOf(opcode); arity && instruction.operand_count() != *arity) {
      return Bad(instruction, "{} has {} operands; it wants {}", ToString(opcode),
                 instruction.operand_count(), *arity);
    }
    if (!instruction.called_computations().empty() && CalledComputationNames(instruction).empty()) {
      return Bad(instruction, "{} calls computations; it has no attribute for them", ToString(opcode));
    }
    SF_CHECK(CheckLeaves(instruction));
    SF_CHECK(CheckShape(instruction));
    SF_CHECK(CheckPair(instruction));
    return verify::CheckCommunication(module_, instruction, channels_);
  }

  // Sizes and layouts of every array in the instruction's shape.
  Status CheckLeaves(const Instruction& instruction) {
    absl::InlinedVector<const Shape*, 8> pending = {&instruction.shape()};
    while (!pending.empty()) {
      const Shape& shape = *pending.back();
      pending.pop_back();
      for (const Shape& child : shape.tuple_shapes()) pending.push_back(&child);
      if (!shape.IsArray()) continue;
      if (shape.IsOversized())
        return Bad(instruction, "{} has more than 2^63 - 1 bytes", shape.ToString(false));
      if (shape.layout() == nullptr) continue;
      SF_CHECK(CheckLayout(instruction, shape, *shape.layout()));
    }
    return {};
  }

  Status CheckLayout(const Instruction& instruction, const Shape& shape, const Layout& layout) {
    const auto rank = static_cast<size_t>(shape.rank());
    absl::InlinedVector<bool, 8> seen(rank, false);
    bool permutation = layout.minor_to_major.size() == rank;
    for (int64_t d : layout.minor_to_major) {
      if (d < 0 || d >= shape.rank() || seen[static_cast<size_t>(d)]) {
        permutation = false;
        break;
      }
      seen[static_cast<size_t>(d)] = true;
    }
    if (!permutation) {
      return Bad(instruction, "the layout {} does not list each of the {} dimensions of {} once",
                 layout.ToString(), rank, shape.ToString(false));
    }
    if (layout.element_bits < 0 || layout.element_bits > 128) {
      return Bad(instruction, "E({}) in the layout of {}; element sizes are 0 to 128 bits",
                 layout.element_bits, shape.ToString(false));
    }
    if (!options_.normal_form) return {};
    if (!layout.IsRowMajor()) {
      return Bad(instruction, "{} is not row-major; layouts must be in normal form here", shape.ToString());
    }
    if (layout.extras && *layout.extras != LayoutExtras{}) {
      return Bad(instruction, "{} has tiles, padding or a memory space; layouts must be in normal form here",
                 shape.ToString());
    }
    if (layout.element_bits != 0 && layout.element_bits != BitWidth(shape.element_type())) {
      return Bad(instruction, "{} has elements of {} bits; in normal form they have {}", shape.ToString(),
                 layout.element_bits, BitWidth(shape.element_type()));
    }
    return {};
  }

  // The second half of an asynchronous operation takes what the first half makes.
  Status CheckPair(const Instruction& instruction) {
    const auto wants = [&](std::initializer_list<Opcode> firsts) -> Status {
      const Instruction* first = instruction.operand(0);
      if (std::ranges::find(firsts, first->opcode()) != firsts.end()) return {};
      return Bad(instruction, "operand 0, %{}, is a {}; {} wants a {}", first->name(),
                 ToString(first->opcode()), ToString(instruction.opcode()), ToString(*firsts.begin()));
    };
    switch (instruction.opcode()) {
      case Opcode::kAllGatherDone:
        return wants({Opcode::kAllGatherStart});
      case Opcode::kAllReduceDone:
        return wants({Opcode::kAllReduceStart});
      case Opcode::kCollectivePermuteDone:
        return wants({Opcode::kCollectivePermuteStart});
      case Opcode::kCopyDone:
        return wants({Opcode::kCopyStart});
      case Opcode::kAsyncUpdate:
      case Opcode::kAsyncDone:
        return wants({Opcode::kAsyncStart, Opcode::kAsyncUpdate});
      default:
        return {};  // send-done and recv-done may take a loop's state
    }
  }

  const Module& module_;
  const VerifyOptions& options_;
  verify::ChannelUses channels_;
};

}  // namespace

Status Verify(const Module& module, const VerifyOptions& options) { return Verifier(module, options).Run(); }

}  // namespace subfloor::hlo
