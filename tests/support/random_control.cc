// Loops, branches and calls, each around small random computations.

#include "support/random_generator.h"

namespace subfloor::testing_support {

using enum ElementType;
using hlo::Instruction;
using hlo::Opcode;

namespace {

std::vector<int64_t> SizesOf(const Shape& shape) {
  return {shape.dimensions().begin(), shape.dimensions().end()};
}

}  // namespace

void RandomGenerator::AddControl() {
  if (depth_ >= 2 || pool_.empty()) return;
  switch (random_.Below(3)) {
    case 0:
      return AddWhile();
    case 1:
      return AddConditional();
    default:
      return AddCall();
  }
}

// A counted loop over a tuple of a counter and one or two arrays.
void RandomGenerator::AddWhile() {
  std::vector<RandomValue> state = {Any()};
  if (random_.OneIn(2)) state.push_back(Any());
  std::vector<Instruction*> elements = {b_.ScalarInt(kS32, 0)};
  for (const RandomValue& value : state) elements.push_back(value.value);
  Instruction* init = b_.Tuple(elements);
  const Shape shape = init->shape();

  hlo::Builder condition(NewComputation("condition"));
  Instruction* counter = condition.GetTupleElement(condition.Parameter(0, shape), 0);
  (void)condition.Finish(
      condition.Compare(counter, condition.ScalarInt(kS32, random_.Below(4)), hlo::ComparisonDirection::kLt));

  RandomGenerator body(NewComputation("body"), random_, options_, depth_ + 1, std::nullopt);
  hlo::Builder& c = body.builder();
  Instruction* parameter = c.Parameter(0, shape);
  std::vector<Instruction*> next = {c.Add(c.GetTupleElement(parameter, 0), c.ScalarInt(kS32, 1))};
  // What a trip computes inexactly is inexact at the start of the next, so all of the state counts as inexact
  // in floats.
  for (size_t i = 0; i < state.size(); ++i) {
    const bool whole = IsIntegral(state[i].type()) || IsPred(state[i].type());
    body.Keep(c.GetTupleElement(parameter, static_cast<int64_t>(i) + 1), state[i].exact && whole);
  }
  body.AddOperations(static_cast<int>(random_.Between(1, 4)));
  for (const RandomValue& value : state) {
    const bool whole = IsIntegral(value.type()) || IsPred(value.type());
    const RandomValue result = body.Of(value.type(), SizesOf(value.shape()), /*exact=*/whole && value.exact);
    Instruction* out = result.value;
    // Trips must not let floats grow without bound.
    if (options_.tame && IsFloat(value.type()) && value.type() != kF8E8M0FNU) out = body.Bounded(out, -2, 2);
    if (options_.tame && IsComplex(value.type())) out = body.BoundedComplex(out, 2);
    next.push_back(out);
  }
  if (!c.Finish(c.Tuple(next)) || !condition.ok()) return;
  Instruction* loop = b_.While(init, condition.computation(), c.computation());
  for (size_t i = 0; i < state.size(); ++i) {
    const bool whole = IsIntegral(state[i].type()) || IsPred(state[i].type());
    Keep(b_.GetTupleElement(loop, static_cast<int64_t>(i) + 1), whole && state[i].exact);
  }
}

void RandomGenerator::AddConditional() {
  const RandomValue argument = Any();
  const bool by_pred = random_.OneIn(2);
  Instruction* selector = nullptr;
  if (by_pred) {
    selector = Of(kPred, {}, /*exact=*/true).value;
  } else {
    selector =
        random_.OneIn(2) ? Of(kS32, {}, /*exact=*/true).value : b_.ScalarInt(kS32, random_.Between(-1, 4));
  }
  const ElementType type = argument.type();
  const std::vector<int64_t> sizes = random_.OneIn(2) ? SizesOf(argument.shape()) : Sizes(0, 2);
  std::vector<hlo::Computation*> branches;
  std::vector<Instruction*> arguments;
  bool exact = true;
  for (int64_t i = by_pred ? 2 : random_.Between(1, 3); i > 0; --i) {
    RandomGenerator branch(NewComputation("branch"), random_, options_, depth_ + 1, std::nullopt);
    branch.Keep(branch.builder().Parameter(0, argument.shape()), argument.exact);
    branch.AddOperations(static_cast<int>(random_.Between(0, 3)));
    const RandomValue result = branch.Of(type, sizes);
    if (!branch.builder().Finish(result.value)) return;
    exact = exact && result.exact;
    branches.push_back(branch.builder().computation());
    arguments.push_back(argument.value);
  }
  Keep(b_.Conditional(selector, arguments, branches), exact);
}

void RandomGenerator::AddCall() {
  const RandomValue first = Any(), second = Any();
  RandomGenerator callee(NewComputation("callee"), random_, options_, depth_ + 1, std::nullopt);
  callee.Keep(callee.builder().Parameter(0, first.shape()), first.exact);
  callee.Keep(callee.builder().Parameter(1, second.shape()), second.exact);
  callee.AddOperations(static_cast<int>(random_.Between(1, 4)));
  const RandomValue result = callee.pool().back();
  if (!callee.builder().Finish(result.value)) return;
  const std::vector<Instruction*> arguments = {first.value, second.value};
  Keep(b_.Call(arguments, callee.builder().computation()), result.exact);
}

}  // namespace subfloor::testing_support
