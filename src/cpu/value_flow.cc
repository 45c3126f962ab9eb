#include "cpu/value_flow.h"

#include <algorithm>
#include <deque>
#include <map>

#include "dispatch/cpu_dispatch.h"
#include "runtime/cpu/executable.h"

namespace subfloor::cpu {
namespace {

// Leaves of all instructions together: tuples in tuples, taken apart level by level, have as many as the
// square of their depth.
constexpr int64_t kMostLeaves = 1 << 26;

// The number of the leaf at `index`, which names one.
size_t LeafNumber(const Shape& shape, const ShapeIndex& index) {
  const Shape* at = &shape;
  int64_t number = 0;
  for (const int64_t step : index) {
    for (int64_t i = 0; i < step; ++i) number += LeafCount(at->tuple_shape(i));
    at = &at->tuple_shape(step);
  }
  return static_cast<size_t>(number);
}

// By parameter leaf: the output leaf that may take over its memory, or -1. The header's pairs first; donors
// without one go to outputs of their size, in order.
std::vector<int64_t> Donations(const hlo::Module& module) {
  const hlo::Computation& entry = *module.entry();
  std::vector<int64_t> input_bytes;
  std::vector<size_t> first_leaf;
  for (const hlo::Instruction* parameter : entry.parameters()) {
    first_leaf.push_back(input_bytes.size());
    for (const Shape* leaf : Leaves(parameter->shape())) input_bytes.push_back(leaf->byte_size());
  }
  const Shape& result = entry.root()->shape();
  const std::vector<const Shape*> outputs = Leaves(result);
  std::vector<int64_t> donations(input_bytes.size(), -1);
  std::vector<bool> taken(outputs.size(), false);
  const auto input_at = [&](int64_t parameter, const ShapeIndex& index) {
    return first_leaf[static_cast<size_t>(parameter)] +
           LeafNumber(entry.parameter(parameter)->shape(), index);
  };
  const auto give = [&](size_t input, size_t output) {
    donations[input] = static_cast<int64_t>(output);
    taken[output] = true;
  };
  for (const hlo::InputOutputAlias& alias : module.header().input_output_alias) {
    const size_t input = input_at(alias.parameter, alias.parameter_index);
    const size_t output = LeafNumber(result, alias.output_index);
    // Equal when the verifier looked; unpacking of narrow types may have parted them.
    if (input_bytes[input] == outputs[output]->byte_size()) give(input, output);
  }
  std::map<int64_t, std::deque<size_t>> free;  // by size
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!taken[i]) free[outputs[i]->byte_size()].push_back(i);
  }
  for (const hlo::BufferDonor& donor : module.header().buffer_donor) {
    const size_t input = input_at(donor.parameter, donor.parameter_index);
    std::deque<size_t>& fitting = free[input_bytes[input]];
    if (fitting.empty()) continue;
    give(input, fitting.front());
    fitting.pop_front();
  }
  return donations;
}

class Analysis {
 public:
  Analysis(const hlo::Module& module, const BufferRules& rules) : module_(module), rules_(rules) {}

  Result<ValueFlow> Run() {
    const hlo::Computation* entry = module_.entry();
    const std::vector<int64_t> donations = Donations(module_);
    for (const hlo::Instruction* parameter : entry->parameters()) {
      std::vector<ValueId> leaves;
      for (const Shape* leaf : Leaves(parameter->shape())) {
        leaves.push_back(
            NewValue(Value::Kind::kParameter, parameter, static_cast<int64_t>(leaves.size()), leaf));
        flow_.values.back().donated_to = donations[flow_.parameters.size() + leaves.size() - 1];
        Define(leaves.back(), 0);
      }
      flow_.parameters.insert(flow_.parameters.end(), leaves.begin(), leaves.end());
      flow_.leaves[parameter] = std::move(leaves);
    }
    SF_CHECK(Visit(*entry, 0));
    // Outputs are filled at the end, each from the value of its leaf.
    const hlo::Instruction* root = entry->root();
    for (const Shape* leaf : Leaves(root->shape())) {
      flow_.outputs.push_back(
          NewValue(Value::Kind::kState, root, static_cast<int64_t>(flow_.outputs.size()), leaf));
    }
    MoveAll(flow_.leaves[root], flow_.outputs, Transfer::Place::kEndOfProgram, root, *entry,
            [&](ValueId from, size_t output) {
              const int64_t donated_to = flow_.values[static_cast<size_t>(from)].donated_to;
              return donated_to >= 0 && donated_to != static_cast<int64_t>(output);
            });
    const int64_t end = NextStep();
    for (ValueId out : flow_.outputs) UseAt(out, end + 1);
    // What is not ours to write holds its bytes from before the program to after it.
    for (Value& value : flow_.values) {
      if (value.kind == Value::Kind::kConstant ||
          (value.kind == Value::Kind::kParameter && value.donated_to < 0))
        value.live = {{0, end + 1}};
    }
    flow_.ticks = end + 2;
    return std::move(flow_);
  }

 private:
  int64_t NextStep() {
    step_ += 2;
    return step_;
  }

  ValueId NewValue(Value::Kind kind, const hlo::Instruction* instruction, int64_t leaf, const Shape* shape) {
    flow_.values.push_back({kind, instruction, leaf, shape, shape->byte_size(), {}, 0});
    return static_cast<ValueId>(flow_.values.size()) - 1;
  }

  void Define(ValueId id, int64_t tick) {
    flow_.values[static_cast<size_t>(id)].live.push_back({tick, tick});
  }

  // The value is read at `tick`: its latest definition lives until then.
  void UseAt(ValueId id, int64_t tick) {
    Interval& last = flow_.values[static_cast<size_t>(id)].live.back();
    last.end = std::max(last.end, tick);
  }

  // The source is read at the transfer's tick; the target is written one tick later, so that the two touch
  // but do not overlap and may become one.
  void AddTransfer(Transfer transfer) {
    UseAt(transfer.from, transfer.tick);
    flow_.transfers.push_back(transfer);
  }

  // At the end of `computation`, to[i] takes what from[i] holds. `moves(from, i)`: the source lies in a place
  // that another of these moves may fill.
  template <typename Moves>
  void MoveAll(std::span<const ValueId> from, std::span<const ValueId> to, Transfer::Place place,
               const hlo::Instruction* instruction, const hlo::Computation& computation, Moves&& moves) {
    const int64_t close = NextStep();
    std::vector<std::pair<ValueId, size_t>> settle;
    for (size_t i = 0; i < to.size(); ++i) {
      if (from[i] == to[i]) {
        UseAt(to[i], close + 1);
        continue;
      }
      ValueId source = from[i];
      if (moves(source, i)) {
        // It moves from one place to another (a swap, say): through a value of its own, filled before any
        // place is overwritten.
        const Shape* shape = flow_.values[static_cast<size_t>(to[i])].shape;
        const ValueId passing = NewValue(Value::Kind::kOp, instruction, static_cast<int64_t>(i), shape);
        AddTransfer({place, instruction, &computation, source, passing, close, false});
        // Whole until all of them are filled: no passing value may take the place of a state that another
        // still reads.
        UseAt(source, close + 1);
        Define(passing, close + 1);
        source = passing;
      }
      settle.emplace_back(source, i);
    }
    // One after the other: a value that is still to be moved must not lie where an earlier one goes.
    for (const auto& [source, i] : settle) {
      const int64_t settled = NextStep();
      AddTransfer({place, instruction, &computation, source, to[i], settled, false});
      Define(to[i], settled + 1);
    }
  }

  Status Visit(const hlo::Computation& computation, int depth) {
    if (depth > runtime::Executable::kMaxNesting) {
      return NotSupported("control flow nested more than {} deep in computation {}",
                          runtime::Executable::kMaxNesting, computation.name());
    }
    std::vector<hlo::Instruction*> order = computation.MakePostOrder();
    for (hlo::Instruction* instruction : order) {
      SF_CHECK(VisitInstruction(instruction, depth));
      leaf_count_ += static_cast<int64_t>(flow_.leaves[instruction].size());
      if (leaf_count_ > kMostLeaves) {
        return OutOfResources(
            "the program's tuples have more than {} elements in all; %{} is the first too many", kMostLeaves,
            instruction->name());
      }
    }
    flow_.schedule[&computation] = std::move(order);
    return {};
  }

  Status VisitInstruction(const hlo::Instruction* instruction, int depth) {
    using hlo::Opcode;
    if (instruction->IsParameter()) return {};  // set by the caller
    switch (instruction->opcode()) {
      case Opcode::kTuple: {
        std::vector<ValueId> leaves;
        for (const hlo::Instruction* operand : instruction->operands()) {
          const auto& more = flow_.leaves[operand];
          leaves.insert(leaves.end(), more.begin(), more.end());
        }
        flow_.leaves[instruction] = std::move(leaves);
        return {};
      }
      case Opcode::kGetTupleElement: {
        const hlo::Instruction* operand = instruction->operand(0);
        const int64_t index = instruction->As<hlo::GetTupleElementAttributes>().index;
        int64_t first = 0;
        for (int64_t i = 0; i < index; ++i) first += LeafCount(operand->shape().tuple_shape(i));
        const auto& all = flow_.leaves[operand];
        const auto begin = all.begin() + first;
        flow_.leaves[instruction] = std::vector<ValueId>(begin, begin + LeafCount(instruction->shape()));
        return {};
      }
      case Opcode::kBitcast:
      case Opcode::kReshape:
      case Opcode::kOptBarrier:
      case Opcode::kDomain:
      case Opcode::kAddDependency:
        flow_.leaves[instruction] = std::vector<ValueId>(flow_.leaves[instruction->operand(0)]);
        return {};
      case Opcode::kConstant: {
        std::vector<ValueId> leaves;
        for (const Shape* leaf : Leaves(instruction->shape())) {
          leaves.push_back(
              NewValue(Value::Kind::kConstant, instruction, static_cast<int64_t>(leaves.size()), leaf));
          Define(leaves.back(), 0);
        }
        flow_.leaves[instruction] = std::move(leaves);
        return {};
      }
      case Opcode::kWhile:
        return VisitWhile(instruction, depth);
      case Opcode::kConditional:
        return VisitConditional(instruction, depth);
      case Opcode::kCall: {
        const hlo::Computation* callee = instruction->called();
        BindParameters(*callee, instruction->operands());
        SF_CHECK(Visit(*callee, depth + 1));
        flow_.leaves[instruction] = std::vector<ValueId>(flow_.leaves[callee->root()]);
        return {};
      }
      default:
        VisitOp(instruction);
        return {};
    }
  }

  void BindParameters(const hlo::Computation& callee, const std::vector<hlo::Instruction*>& operands) {
    for (size_t i = 0; i < operands.size(); ++i) {
      if (const hlo::Instruction* parameter = callee.parameters()[i]) {
        flow_.leaves[parameter] = std::vector<ValueId>(flow_.leaves[operands[i]]);
      }
    }
  }

  void VisitOp(const hlo::Instruction* instruction) {
    const BufferRules::Pairs in_place = rules_.in_place(*instruction);
    std::vector<ValueId> leaves;
    int64_t count = 0;
    for (const Shape* leaf : Leaves(instruction->shape())) {
      leaves.push_back(NewValue(Value::Kind::kOp, instruction, count++, leaf));
    }
    // Operands updated in place are handed over first, at steps of their own.
    for (const auto& [operand, leaf] : in_place) {
      const int64_t handover = NextStep();
      const ValueId from = flow_.leaves[instruction->operand(operand)][0];
      AddTransfer({Transfer::Place::kBefore, instruction, nullptr, from, leaves[static_cast<size_t>(leaf)],
                   handover, false});
      Define(leaves[static_cast<size_t>(leaf)], handover + 1);
    }
    // An operand that is read element by element, each just before its place is written, ends a tick before
    // the results begin: it may share bytes with one of them.
    BufferRules::Pairs overlaps;
    if (in_place.empty()) overlaps = rules_.may_overlap(*instruction);
    const int64_t step = NextStep();
    const auto among = [](const std::vector<std::pair<int64_t, int64_t>>& pairs, int64_t operand) {
      return std::ranges::find(pairs, operand, &std::pair<int64_t, int64_t>::first) != pairs.end();
    };
    for (int64_t i = 0; i < instruction->operand_count(); ++i) {
      if (among(in_place, i)) continue;
      const int64_t until = among(overlaps, i) ? step - 1 : step + 1;
      for (ValueId id : flow_.leaves[instruction->operand(i)]) {
        UseAt(id, until);
        int64_t& busy_until = flow_.values[static_cast<size_t>(id)].busy_until;
        busy_until = std::max(busy_until, step + 1);
      }
    }
    for (ValueId id : leaves) {
      if (flow_.values[static_cast<size_t>(id)].live.empty()) Define(id, step);
      UseAt(id, step + 1);  // written even if nobody reads it
    }
    flow_.leaves[instruction] = std::move(leaves);
  }

  Status VisitWhile(const hlo::Instruction* loop, int depth) {
    const hlo::Computation* condition = loop->called(0);
    const hlo::Computation* body = loop->called(1);
    const std::vector<ValueId> init = flow_.leaves[loop->operand(0)];
    const std::vector<const Shape*> shapes = Leaves(loop->shape());

    std::vector<ValueId> state;
    for (size_t i = 0; i < init.size(); ++i) {
      // The state is live through the condition; whether it stays so through the body follows from its uses
      // there.
      const int64_t enter = NextStep();
      state.push_back(NewValue(Value::Kind::kState, loop, static_cast<int64_t>(i), shapes[i]));
      AddTransfer({Transfer::Place::kBefore, loop, nullptr, init[i], state[i], enter, false});
      Define(state[i], enter + 1);
    }
    flow_.leaves[condition->parameter(0)] = state;
    SF_CHECK(Visit(*condition, depth + 1));
    const int64_t decided = NextStep();
    UseAt(flow_.leaves[condition->root()][0], decided);
    // The body starts with all of the state; the condition's last reading of it is past.
    for (ValueId id : state) UseAt(id, decided);

    flow_.leaves[body->parameter(0)] = state;
    SF_CHECK(Visit(*body, depth + 1));
    const std::vector<ValueId> next = flow_.leaves[body->root()];
    MoveAll(next, state, Transfer::Place::kEndOfBody, loop, *body,
            [&](ValueId from, size_t) { return std::ranges::find(state, from) != state.end(); });
    flow_.leaves[loop] = state;
    return {};
  }

  Status VisitConditional(const hlo::Instruction* conditional, int depth) {
    const int64_t enter = NextStep();
    UseAt(flow_.leaves[conditional->operand(0)][0], enter + 1);
    const std::vector<const Shape*> shapes = Leaves(conditional->shape());
    std::vector<ValueId> result;
    for (size_t i = 0; i < shapes.size(); ++i) {
      result.push_back(NewValue(Value::Kind::kState, conditional, static_cast<int64_t>(i), shapes[i]));
    }
    for (int64_t branch = 0; branch < static_cast<int64_t>(conditional->called_computations().size());
         ++branch) {
      const hlo::Computation* computation = conditional->called(branch);
      BindParameters(*computation, {conditional->operand(branch + 1)});
      SF_CHECK(Visit(*computation, depth + 1));
      const std::vector<ValueId>& root = flow_.leaves[computation->root()];
      for (size_t i = 0; i < result.size(); ++i) {
        const int64_t close = NextStep();
        AddTransfer(
            {Transfer::Place::kEndOfBody, conditional, computation, root[i], result[i], close, false});
        Define(result[i], close + 1);
      }
    }
    // What one branch leaves in the result must outlive the branches that stand after it in the flattened
    // program, for values of the enclosing computation that those branches read keep their own bytes until
    // then.
    const int64_t done = NextStep();
    for (ValueId id : result) {
      for (Interval& interval : flow_.values[static_cast<size_t>(id)].live) interval.end = interval.begin;
      if (!flow_.values[static_cast<size_t>(id)].live.empty()) UseAt(id, done + 1);
    }
    // Operands of every branch stay whole until the branch that reads them is past; the intervals say so
    // already.
    flow_.leaves[conditional] = std::move(result);
    return {};
  }

  const hlo::Module& module_;
  const BufferRules& rules_;
  ValueFlow flow_;
  int64_t step_ = 0;
  int64_t leaf_count_ = 0;
};

}  // namespace

std::vector<std::pair<int64_t, int64_t>> InPlaceOperands(const hlo::Instruction& instruction) {
  if (instruction.opcode() != hlo::Opcode::kFusion) return {};
  return dispatch::InPlaceUpdates(*instruction.called());
}

BufferRules CpuBufferRules() {
  BufferRules rules;
  rules.in_place = InPlaceOperands;
  rules.may_overlap = [](const hlo::Instruction& instruction) -> BufferRules::Pairs {
    if (instruction.opcode() != hlo::Opcode::kFusion) return {};
    return dispatch::ElementwiseOverlaps(*instruction.called());
  };
  return rules;
}

Result<ValueFlow> AnalyzeValueFlow(const hlo::Module& module, const BufferRules& rules) {
  return Analysis(module, rules).Run();
}

}  // namespace subfloor::cpu
