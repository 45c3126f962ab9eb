#include "evaluator/sampled.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "evaluator/context.h"
#include "evaluator/flat_graph.h"
#include "evaluator/machine.h"
#include "evaluator/op_functions.h"
#include "evaluator/sample_recipe.h"
#include "types/narrow.h"

namespace subfloor {
namespace evaluator {
namespace {

using hlo::Instruction;
using hlo::Opcode;

/// What later nodes read of a node's value, and how it is had.
struct Demand {
  bool any = false, whole = false;
  std::vector<int64_t> elements;       // of an array; sorted and distinct once the node is planned
  std::optional<SampleRecipe> recipe;  // for elements; an iota needs none
};

/// The whole value, or its demanded elements in the order of Demand::elements.
struct Sample {
  Literal literal;
  bool whole = true;
};

/// Puts leaves together to a value of a (nested) tuple shape.
Literal Assemble(const Shape& shape, std::span<const Literal> leaves) {
  if (!shape.IsTuple()) return leaves[0];
  struct Frame {
    const Shape* shape;
    std::vector<Literal> done;
  };
  std::vector<Frame> stack;
  stack.push_back({&shape, {}});
  size_t next = 0;
  while (true) {
    Frame& top = stack.back();
    if (static_cast<int64_t>(top.done.size()) < top.shape->tuple_size()) {
      const Shape& child = top.shape->tuple_shape(static_cast<int64_t>(top.done.size()));
      if (child.IsTuple()) {
        stack.push_back({&child, {}});
      } else {
        top.done.push_back(leaves[next++]);
      }
      continue;
    }
    Literal finished = Literal::Tuple(std::move(top.done));
    stack.pop_back();
    if (stack.empty()) return finished;
    stack.back().done.push_back(std::move(finished));
  }
}

class Sampler {
 public:
  Sampler(const hlo::Module& module, std::span<const Literal> arguments, const EvaluateOptions& options)
      : arguments_(arguments),
        context_(options, options.replica, options.partition, module.header().replica_count,
                 module.header().num_partitions) {}

  Result<std::vector<Literal>> Run(const hlo::Computation& entry, std::span<const ResultElement> wanted) {
    graph_ = SF_TRY(Flatten(entry));
    demands_.resize(graph_.nodes.size());
    samples_.resize(graph_.nodes.size());
    const std::vector<const Shape*> leaves = Leaves(entry.root()->shape());
    for (const ResultElement& element : wanted) {
      if (element.leaf < 0 || static_cast<size_t>(element.leaf) >= leaves.size() || element.element < 0 ||
          !leaves[static_cast<size_t>(element.leaf)]->IsArray() ||
          element.element >= leaves[static_cast<size_t>(element.leaf)]->element_count()) {
        return BadInput("leaf {} of {} has no element {}", element.leaf, entry.root()->shape().ToString(),
                        element.element);
      }
      Want(graph_.results[static_cast<size_t>(element.leaf)], element.element);
    }
    for (size_t node = graph_.nodes.size(); node-- > 0;) PlanNode(node);
    for (size_t node = 0; node < graph_.nodes.size(); ++node) {
      if (Status status = EvaluateNode(node); !status) {
        Error error = std::move(status).error();
        if (error.instruction().empty()) error.In(graph_.nodes[node].instruction->name());
        return std::unexpected(std::move(error));
      }
    }
    std::vector<Literal> results;
    for (const ResultElement& element : wanted) {
      const ValueRef& ref = graph_.results[static_cast<size_t>(element.leaf)];
      const ElementType type = leaves[static_cast<size_t>(element.leaf)]->element_type();
      Literal scalar = SF_TRY(Literal::Zeros(Shape::Scalar(type)));
      CopyElement(ref, element.element, scalar.mutable_bytes().data());
      results.push_back(std::move(scalar));
    }
    return results;
  }

 private:
  static constexpr int64_t kSourceLimit = int64_t{1} << 25;

  void Want(ValueRef ref, int64_t element) {
    Demand& demand = demands_[static_cast<size_t>(ref.node)];
    demand.any = true;
    if (!demand.whole) demand.elements.push_back(element);
  }
  void WantWhole(ValueRef ref) {
    Demand& demand = demands_[static_cast<size_t>(ref.node)];
    demand.any = demand.whole = true;
  }

  /// Backwards: all users of the node have said what they read.
  void PlanNode(size_t node) {
    Demand& demand = demands_[node];
    if (!demand.any) return;
    const Instruction& instruction = *graph_.nodes[node].instruction;
    const bool at_hand = instruction.IsParameter() || instruction.IsConstant();
    if (!demand.whole && !at_hand) {
      std::ranges::sort(demand.elements);
      demand.elements.erase(std::ranges::unique(demand.elements).begin(), demand.elements.end());
      const bool most =
          static_cast<int64_t>(demand.elements.size()) * 2 > instruction.shape().element_count();
      if (!most && instruction.opcode() == Opcode::kIota) return;  // needs nothing
      if (!most) demand.recipe = MakeSampleRecipe(instruction, demand.elements, kSourceLimit);
    }
    demand.whole = !demand.recipe.has_value();
    if (demand.whole) {
      demand.elements.clear();
      for (const std::vector<ValueRef>& operand : graph_.nodes[node].operands) {
        for (ValueRef ref : operand) WantWhole(ref);
      }
      return;
    }
    for (const SampleRecipe::Part& part : demand.recipe->parts) {
      for (const SampleRecipe::Source& source : part.sources) {
        if (source.operand < 0) continue;
        Want(graph_.nodes[node].operands[static_cast<size_t>(source.operand)][0], source.element);
      }
    }
    ShrinkDemands(node);
  }

  /// Operands of which as many elements are asked for as they have are wanted whole; that keeps the lists
  /// short.
  void ShrinkDemands(size_t node) {
    for (const std::vector<ValueRef>& operand : graph_.nodes[node].operands) {
      for (ValueRef ref : operand) {
        Demand& demand = demands_[static_cast<size_t>(ref.node)];
        const Shape& shape = graph_.nodes[static_cast<size_t>(ref.node)].instruction->shape();
        if (shape.IsArray() && static_cast<int64_t>(demand.elements.size()) >= shape.element_count()) {
          std::ranges::sort(demand.elements);
          demand.elements.erase(std::ranges::unique(demand.elements).begin(), demand.elements.end());
          if (static_cast<int64_t>(demand.elements.size()) * 2 > shape.element_count()) {
            demand.whole = true;
            demand.elements.clear();
          }
        }
      }
    }
  }

  Status EvaluateNode(size_t node) {
    const Demand& demand = demands_[node];
    if (!demand.any) return {};
    const Instruction& instruction = *graph_.nodes[node].instruction;
    Sample& sample = samples_[node];
    if (instruction.IsParameter()) {
      sample.literal = arguments_[static_cast<size_t>(instruction.parameter_number())];
    } else if (demand.whole) {
      sample.literal = SF_TRY(EvaluateWhole(node));
    } else {
      sample.literal = SF_TRY(EvaluateSome(node));
      sample.whole = false;
    }
    return {};
  }

  Result<Literal> EvaluateWhole(size_t node) {
    const FlatGraph::Node& flat = graph_.nodes[node];
    std::vector<Literal> operands;
    for (size_t i = 0; i < flat.operands.size(); ++i) {
      std::vector<Literal> leaves;
      for (ValueRef ref : flat.operands[i]) leaves.push_back(Leaf(ref));
      operands.push_back(Assemble(flat.instruction->operand(static_cast<int64_t>(i))->shape(), leaves));
    }
    const Opcode opcode = flat.instruction->opcode();
    const bool for_machine = opcode == Opcode::kWhile || opcode == Opcode::kConditional ||
                             opcode == Opcode::kAsyncStart || IsCollective(opcode);
    if (!for_machine) {
      std::vector<const Literal*> pointers;
      for (const Literal& operand : operands) pointers.push_back(&operand);
      return EvaluateInstruction(context_, *flat.instruction, pointers);
    }
    return EvaluateAlone(opcode, flat.instruction->shape(), operands, flat.instruction->attributes(),
                         flat.instruction->called_computations());
  }

  Result<Literal> EvaluateSome(size_t node) {
    const FlatGraph::Node& flat = graph_.nodes[node];
    const Demand& demand = demands_[node];
    if (!demand.recipe) return SomeOfIota(*flat.instruction, demand.elements);
    std::vector<Literal> operands;
    for (const SampleRecipe::Part& part : demand.recipe->parts) {
      Literal operand = SF_TRY(Literal::Zeros(Shape::ArrayOf(part.type, part.dimensions)));
      std::byte* to = operand.mutable_bytes().data();
      const int size = ByteWidth(part.type);
      for (const SampleRecipe::Source& source : part.sources) {
        if (source.operand >= 0)
          CopyElement(flat.operands[static_cast<size_t>(source.operand)][0], source.element, to);
        to += size;
      }
      operands.push_back(std::move(operand));
    }
    const Shape shape = Shape::ArrayOf(flat.instruction->shape().element_type(),
                                       {static_cast<int64_t>(demand.elements.size())});
    return EvaluateAlone(demand.recipe->opcode, shape, operands, demand.recipe->attributes,
                         flat.instruction->called_computations());
  }

  static Result<Literal> SomeOfIota(const Instruction& iota, std::span<const int64_t> elements) {
    const Shape& shape = iota.shape();
    const int64_t dimension = iota.As<hlo::IotaAttributes>().iota_dimension;
    const int64_t stride = RowMajorStrides(shape.dimensions())[static_cast<size_t>(dimension)];
    Literal some =
        SF_TRY(Literal::Zeros(Shape::ArrayOf(shape.element_type(), {static_cast<int64_t>(elements.size())})));
    for (size_t i = 0; i < elements.size(); ++i) {
      SetFromInt(some, static_cast<int64_t>(i), elements[i] / stride % shape.dimension(dimension));
    }
    return some;
  }

  /// One instruction in a computation of its own.
  Result<Literal> EvaluateAlone(Opcode opcode, const Shape& shape, const std::vector<Literal>& operands,
                                const hlo::Attributes& attributes,
                                std::span<hlo::Computation* const> called) {
    // Evaluation reads the called computations and changes nothing of theirs; the instruction goes before
    // they do.
    hlo::Module scratch("sample");
    hlo::Computation* computation = scratch.AddComputation("sample");
    std::vector<Instruction*> parameters;
    for (size_t i = 0; i < operands.size(); ++i) {
      parameters.push_back(computation->AddParameter(static_cast<int64_t>(i), operands[i].shape()));
    }
    Instruction* instruction = computation->Add(opcode, shape, parameters, attributes, called);
    computation->set_root(instruction);
    // The context outlives the scratch module, so it must not remember its plan.
    Context context(context_.options(), context_.replica(), context_.partition(), context_.replica_count(),
                    context_.partition_count());
    Machine machine(context, *computation, operands);
    SF_CHECK(machine.Run());
    if (!machine.done()) return NotSupported("a collective among several participants cannot be sampled");
    return machine.TakeResult();
  }

  /// A whole leaf of a node that was evaluated whole.
  const Literal& Leaf(ValueRef ref) const {
    const Sample& sample = samples_[static_cast<size_t>(ref.node)];
    const Shape& shape = graph_.nodes[static_cast<size_t>(ref.node)].instruction->shape();
    return shape.IsTuple() ? *Leaves(sample.literal)[static_cast<size_t>(ref.leaf)] : sample.literal;
  }

  void CopyElement(ValueRef ref, int64_t element, std::byte* to) const {
    const Sample& sample = samples_[static_cast<size_t>(ref.node)];
    const Literal& literal = sample.whole ? Leaf(ref) : sample.literal;
    if (!sample.whole) {
      const std::vector<int64_t>& elements = demands_[static_cast<size_t>(ref.node)].elements;
      element = std::ranges::lower_bound(elements, element) - elements.begin();
    }
    const auto size = static_cast<size_t>(ByteWidth(literal.element_type()));
    std::memcpy(to, literal.bytes().data() + static_cast<size_t>(element) * size, size);
  }

  std::span<const Literal> arguments_;
  Context context_;
  FlatGraph graph_;
  std::vector<Demand> demands_;
  std::vector<Sample> samples_;
};

}  // namespace
}  // namespace evaluator

Result<std::vector<Literal>> EvaluateSampled(const hlo::Module& module, std::span<const Literal> arguments,
                                             std::span<const ResultElement> wanted,
                                             const EvaluateOptions& options) {
  SF_CHECK(evaluator::CheckArguments(*module.entry(), arguments));
  return evaluator::Sampler(module, arguments, options).Run(*module.entry(), wanted);
}

}  // namespace subfloor
