#include "passes/expand/replace.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace subfloor::passes {

using hlo::Builder;
using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

namespace {

// `value` with the layouts of `wanted`, whose sizes and types it has.
Instruction* WithLayouts(Instruction* value, const Shape& wanted) {
  if (value->shape() == wanted.WithDefaultLayout() || value->shape() == wanted) return value;
  Computation* computation = value->parent();
  if (!wanted.IsTuple()) return computation->Add(Opcode::kCopy, wanted, {value});
  std::vector<Instruction*> elements;
  for (int64_t i = 0; i < wanted.tuple_size(); ++i) {
    Instruction* element = value->opcode() == Opcode::kTuple
                               ? value->operand(i)
                               : computation->Add(Opcode::kGetTupleElement, value->shape().tuple_shape(i),
                                                  {value}, hlo::GetTupleElementAttributes{i});
    const bool nested = wanted.tuple_shape(i).IsTuple();  // rare; its leaves keep the layouts they have
    const bool same = nested || element->shape() == wanted.tuple_shape(i).WithDefaultLayout();
    elements.push_back(same ? element : computation->Add(Opcode::kCopy, wanted.tuple_shape(i), {element}));
  }
  std::vector<Shape> shapes;
  for (const Instruction* element : elements) shapes.push_back(element->shape());
  return computation->Add(Opcode::kTuple, Shape::Tuple(std::move(shapes)), elements, hlo::NoAttributes{});
}

void MoveControlEdges(Instruction* from, Instruction*& to) {
  if (from->control_predecessors().empty() && from->control_successors().empty()) return;
  // An operand of `from` may not wait for what `from` waited for; a copy of it may.
  const std::vector<Instruction*> operands = from->operands();
  if (std::ranges::find(operands, to) != operands.end() && to->shape().IsArray()) {
    to = to->parent()->Add(Opcode::kCopy, to->shape(), {to});
  }
  for (Instruction* before :
       std::vector(from->control_predecessors().begin(), from->control_predecessors().end())) {
    before->AddControlSuccessor(to);
  }
  for (Instruction* after :
       std::vector(from->control_successors().begin(), from->control_successors().end())) {
    to->AddControlSuccessor(after);
  }
  from->RemoveControlEdges();
}

}  // namespace

Result<bool> ReplaceEach(hlo::Module& module, const std::function<bool(const Instruction&)>& wanted,
                         const std::function<Result<Instruction*>(Builder&, Instruction&)>& expand) {
  // Listed first, since expanding adds computations and instructions; called ones before callers, whose
  // expansion may look into them.
  std::vector<Instruction*> found;
  for (const Computation* computation : module.MakePostOrder()) {
    if (computation->IsFusionBody()) continue;
    for (Instruction* instruction : computation->instructions()) {
      if (wanted(*instruction)) found.push_back(instruction);
    }
  }
  std::vector<Instruction*> replaced;
  for (Instruction* instruction : found) {
    Builder builder(instruction->parent());
    builder.DescribeAs(instruction);
    Result<Instruction*> made = expand(builder, *instruction);
    if (made && !builder.ok()) made = std::unexpected(builder.status().error());
    if (!made) {
      Error error = std::move(made).error();
      error.In(instruction->name())
          .At({.file = {}, .line = instruction->line(), .column = instruction->column()});
      return std::unexpected(std::move(error));
    }
    if (*made == nullptr) continue;
    if (!(*made)->shape().Compatible(instruction->shape())) {
      return InternalError("%{}, a {} of shape {}, was expanded to a value of shape {}", instruction->name(),
                           hlo::ToString(instruction->opcode()), instruction->shape().ToString(false),
                           (*made)->shape().ToString(false));
    }
    Instruction* value = WithLayouts(*made, instruction->shape());
    MoveControlEdges(instruction, value);
    instruction->ReplaceAllUsesWith(value);
    replaced.push_back(instruction);
  }
  // Removed last, and one by one: none has a use left, but one may be an operand of another.
  for (Instruction* instruction : replaced) instruction->parent()->Remove(instruction);
  // New instructions stand at the end of their computations, which is no schedule.
  if (!replaced.empty()) module.header().is_scheduled = false;
  return !replaced.empty();
}

Result<std::vector<Instruction*>> MakeCountedLoop(
    Builder& builder, int64_t trips, std::span<Instruction* const> initial, std::string_view name,
    const std::function<Result<std::vector<Instruction*>>(Builder&, Instruction* i,
                                                          std::span<Instruction* const> state)>& step) {
  SF_CHECK(builder.status());
  hlo::Module& module = *builder.module();
  std::vector<Instruction*> start = {builder.ScalarInt(ElementType::kS32, 0)};
  if (trips > std::numeric_limits<int32_t>::max())
    return NotSupported("a loop of {} steps; up to 2^31 - 1 work", trips);
  start.insert(start.end(), initial.begin(), initial.end());
  Instruction* init = builder.Tuple(start);
  SF_CHECK(builder.status());
  const Shape state_shape = init->shape();

  Builder condition(module.AddComputation(fmt::format("{}_condition", name)));
  Instruction* condition_state = condition.Parameter(0, state_shape);
  SF_CHECK(condition.Finish(condition.Compare(condition.GetTupleElement(condition_state, 0),
                                              condition.ScalarInt(ElementType::kS32, trips),
                                              hlo::ComparisonDirection::kLt)));

  Builder body(module.AddComputation(fmt::format("{}_body", name)));
  Instruction* body_state = body.Parameter(0, state_shape);
  Instruction* i = body.GetTupleElement(body_state, 0);
  std::vector<Instruction*> state;
  for (size_t k = 0; k < initial.size(); ++k) {
    state.push_back(body.GetTupleElement(body_state, static_cast<int64_t>(k) + 1));
  }
  const std::vector<Instruction*> stepped = SF_TRY(step(body, i, state));
  SF_CHECK(body.status());
  std::vector<Instruction*> next = {body.Add(i, body.ScalarInt(ElementType::kS32, 1))};
  next.insert(next.end(), stepped.begin(), stepped.end());
  SF_CHECK(body.Finish(body.Tuple(next)));

  Instruction* loop = builder.While(init, condition.computation(), body.computation());
  std::vector<Instruction*> results;
  for (size_t k = 0; k < initial.size(); ++k) {
    results.push_back(builder.GetTupleElement(loop, static_cast<int64_t>(k) + 1));
  }
  SF_CHECK(builder.status());
  return results;
}

}  // namespace subfloor::passes
