#include "hlo/fingerprint.h"

#include <algorithm>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "hlo/fingerprint_fields.h"

/// How the canonical form comes about. The text order must not count, so nodes are numbered by a walk from
/// the root over operands in order. Where a walk has no order of its own (control predecessors, effects that
/// the root does not reach), nodes are sorted by a hash of what they compute, which needs no numbers. Numbers
/// then say which values are shared.
namespace subfloor::hlo {

std::string Fingerprint::ToString() const { return fmt::format("{:016x}{:016x}", high, low); }

namespace {

using fingerprint::Bytes;

class Fingerprints {
 public:
  Fingerprint Of(const Computation& computation) {
    // Callees first, without recursion.
    std::vector<std::pair<const Computation*, bool>> pending = {{&computation, false}};
    absl::flat_hash_set<const Computation*> open;
    while (!pending.empty()) {
      const auto [current, expanded] = pending.back();
      pending.pop_back();
      if (done_.contains(current)) continue;
      if (expanded) {
        done_[current] = Compute(*current);
        continue;
      }
      if (!open.insert(current).second) continue;
      pending.emplace_back(current, true);
      for (const Instruction* instruction : current->instructions()) {
        for (const Computation* callee : instruction->called_computations()) {
          if (!done_.contains(callee)) pending.emplace_back(callee, false);
        }
      }
    }
    return done_[&computation].fingerprint;
  }

 private:
  struct Entry {
    Fingerprint fingerprint;
    bool has_effect = false;
  };
  struct Node {
    Fingerprint content;  // the instruction without its operands
    Fingerprint value;    // with them, but without knowing which are shared
    int64_t number = -1;
    bool open = false;
  };
  using Nodes = absl::flat_hash_map<const Instruction*, Node>;

  Fingerprint Content(const Instruction& instruction) {
    Bytes bytes;
    fingerprint::AddInstruction(bytes, instruction);
    for (const Computation* callee : instruction.called_computations()) bytes.Add(done_[callee].fingerprint);
    return bytes.Hash();
  }

  bool HasEffect(const Instruction& instruction) {
    if (HasSideEffect(instruction.opcode())) return true;
    const auto* call = instruction.TryAs<CustomCallAttributes>();
    if (call != nullptr && call->has_side_effect) return true;
    return std::ranges::any_of(instruction.called_computations(),
                               [&](const Computation* callee) { return done_[callee].has_effect; });
  }

  // Control predecessors in an order that does not depend on the text.
  static std::vector<const Instruction*> SortedPredecessors(const Instruction& instruction,
                                                            const Nodes& nodes) {
    std::vector<const Instruction*> before(instruction.control_predecessors().begin(),
                                           instruction.control_predecessors().end());
    std::ranges::sort(before, {}, [&](const Instruction* i) { return ValueOf(nodes, i); });
    return before;
  }
  static Fingerprint ValueOf(const Nodes& nodes, const Instruction* instruction) {
    const auto it = nodes.find(instruction);
    return it == nodes.end() ? Fingerprint{} : it->second.value;
  }

  Entry Compute(const Computation& computation) {
    const std::vector<Instruction*> post_order = computation.MakePostOrder();
    Nodes nodes;
    nodes.reserve(post_order.size());
    Entry entry;
    std::vector<const Instruction*> effects;
    for (const Instruction* instruction : post_order) {
      Node node;
      node.content = Content(*instruction);
      Bytes bytes;
      bytes.Add(node.content);
      for (int64_t i = 0; i < instruction->operand_count(); ++i)
        bytes.Add(ValueOf(nodes, instruction->operand(i)));
      bytes.Add(int64_t{-1});
      for (const Instruction* before : SortedPredecessors(*instruction, nodes))
        bytes.Add(ValueOf(nodes, before));
      node.value = bytes.Hash();
      nodes[instruction] = node;
      if (HasEffect(*instruction)) effects.push_back(instruction);
    }
    entry.has_effect = !effects.empty();

    std::vector<const Instruction*> order;
    const bool scheduled = computation.parent()->header().is_scheduled;
    if (scheduled) {
      order.assign(post_order.begin(), post_order.end());
      for (size_t i = 0; i < order.size(); ++i) nodes[order[i]].number = static_cast<int64_t>(i);
    } else {
      for (const Instruction* parameter : computation.parameters()) Number(parameter, nodes, order);
      Number(computation.root(), nodes, order);
      std::ranges::sort(effects, {}, [&](const Instruction* i) { return nodes[i].value; });
      for (const Instruction* effect : effects) Number(effect, nodes, order);
    }

    Bytes bytes;
    bytes.Add(static_cast<int64_t>(scheduled));
    bytes.Add(computation.parameter_count());
    bytes.Add(std::string_view(computation.execution_thread()));
    bytes.Add(computation.root() ? nodes[computation.root()].number : int64_t{-1});
    for (const Instruction* instruction : order) {
      bytes.Add(nodes[instruction].content);
      for (int64_t i = 0; i < instruction->operand_count(); ++i)
        bytes.Add(nodes[instruction->operand(i)].number);
      bytes.Add(int64_t{-1});
      std::vector<int64_t> before;
      for (const Instruction* i : instruction->control_predecessors()) before.push_back(nodes[i].number);
      std::ranges::sort(before);
      for (int64_t number : before) bytes.Add(number);
      bytes.Add(int64_t{-1});
    }
    entry.fingerprint = bytes.Hash();
    return entry;
  }

  // Numbers what `start` needs, then itself.
  static void Number(const Instruction* start, Nodes& nodes, std::vector<const Instruction*>& order) {
    struct Frame {
      const Instruction* instruction;
      std::vector<const Instruction*> before;
      size_t next = 0;
    };
    std::vector<Frame> stack;
    const auto open = [&](const Instruction* instruction) {
      const auto it = nodes.find(instruction);
      if (it == nodes.end() || it->second.open) return;
      it->second.open = true;
      stack.push_back({instruction, {}});
      const int64_t operands = instruction->operand_count();
      stack.back().before.reserve(static_cast<size_t>(operands));
      for (int64_t i = 0; i < operands; ++i) stack.back().before.push_back(instruction->operand(i));
      const auto control = SortedPredecessors(*instruction, nodes);
      stack.back().before.insert(stack.back().before.end(), control.begin(), control.end());
    };
    if (start != nullptr) open(start);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < top.before.size()) {
        open(top.before[top.next++]);
        continue;
      }
      nodes[top.instruction].number = static_cast<int64_t>(order.size());
      order.push_back(top.instruction);
      stack.pop_back();
    }
  }

  absl::flat_hash_map<const Computation*, Entry> done_;
};

}  // namespace

Fingerprint FingerprintOf(const Computation& computation) { return Fingerprints().Of(computation); }

Fingerprint FingerprintOf(const Module& module) {
  Bytes bytes;
  if (module.entry() != nullptr) {
    bytes.Add(FingerprintOf(*module.entry()));
    if (module.entry()->root() != nullptr) {
      const EntryLayout layout = module.entry_layout();
      bytes.Add(static_cast<int64_t>(layout.parameters.size()));
      for (const Shape& shape : layout.parameters) bytes.Add(shape);
      bytes.Add(layout.result);
    }
  }
  const ModuleHeader& header = module.header();
  bytes.Add(static_cast<int64_t>(header.is_scheduled));
  bytes.Add(header.replica_count);
  bytes.Add(header.num_partitions);
  // The tables are sets; the order of their entries says nothing.
  auto aliases = header.input_output_alias;
  std::ranges::sort(aliases, {}, [](const InputOutputAlias& a) {
    return std::tuple(a.output_index, a.parameter, a.parameter_index);
  });
  bytes.Add(static_cast<int64_t>(aliases.size()));
  for (const InputOutputAlias& alias : aliases) {
    bytes.Add(alias.output_index);
    bytes.Add(alias.parameter);
    bytes.Add(alias.parameter_index);
    bytes.Add(static_cast<int64_t>(alias.must_alias));
  }
  auto donors = header.buffer_donor;
  std::ranges::sort(donors, {},
                    [](const BufferDonor& d) { return std::tuple(d.parameter, d.parameter_index); });
  bytes.Add(static_cast<int64_t>(donors.size()));
  for (const BufferDonor& donor : donors) {
    bytes.Add(donor.parameter);
    bytes.Add(donor.parameter_index);
  }
  for (const auto& [name, value] : header.other) {
    bytes.Add(std::string_view(name));
    bytes.Add(std::string_view(value));
  }
  return bytes.Hash();
}

}  // namespace subfloor::hlo
