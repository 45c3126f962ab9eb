#include <pthread.h>

#include "evaluator/evaluate_op.h"

namespace subfloor::evaluator_testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
const Shape kS32Scalar = Shape::Scalar(kS32);

/// while (i < limit) { i = i + 1, sum = sum + i } on a pair (i, sum).
std::unique_ptr<Module> CountingLoop(double limit) {
  auto module = std::make_unique<Module>("loop");
  Computation* entry = module->AddComputation("main");
  const Shape pair = Shape::Tuple({kS32Scalar, kS32Scalar});
  auto element = [](Computation* c, Instruction* tuple, int64_t i) {
    return c->Add(Opcode::kGetTupleElement, kS32Scalar, {tuple}, hlo::GetTupleElementAttributes{i});
  };
  Computation* condition = module->AddComputation("condition");
  Instruction* p = condition->AddParameter(0, pair);
  condition->set_root(condition->Add(Opcode::kCompare, Shape::Scalar(kPred),
                                     {element(condition, p, 0), condition->AddConstant(Scalar(kS32, limit))},
                                     hlo::CompareAttributes{hlo::ComparisonDirection::kLt}));
  Computation* body = module->AddComputation("body");
  p = body->AddParameter(0, pair);
  Instruction* i =
      body->Add(Opcode::kAdd, kS32Scalar, {element(body, p, 0), body->AddConstant(Scalar(kS32, 1))});
  Instruction* sum = body->Add(Opcode::kAdd, kS32Scalar, {element(body, p, 1), i});
  body->set_root(body->Add(Opcode::kTuple, pair, {i, sum}));
  Instruction* init = entry->Add(Opcode::kTuple, pair,
                                 {entry->AddConstant(Scalar(kS32, 0)), entry->AddConstant(Scalar(kS32, 0))});
  Instruction* loop = entry->Add(Opcode::kWhile, pair, {init}, std::nullopt, {condition, body});
  entry->set_root(element(entry, loop, 1));
  return module;
}

TEST(While, IteratesUntilTheConditionFails) {
  EXPECT_THAT(Values(*Evaluate(*CountingLoop(10), {})), ElementsAre(55));
  EXPECT_THAT(Values(*Evaluate(*CountingLoop(0), {})), ElementsAre(0));
  EXPECT_THAT(Values(*Evaluate(*CountingLoop(2000), {})), ElementsAre(2001000));
}

TEST(While, StopsAtTheStepLimit) {
  EvaluateOptions options;
  options.step_limit = 1000;
  Result<Literal> result = Evaluate(*CountingLoop(1e9), {}, options);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind(), ErrorKind::kOutOfResources);
}

TEST(Conditional, IndexOutOfRangeTakesTheLastBranch) {
  auto run = [](const Literal& selector, size_t branch_count) {
    auto branches = [&](Module& module) {
      std::vector<Computation*> computations;
      for (size_t b = 0; b < branch_count; ++b) {
        Computation* c = module.AddComputation("branch");
        Instruction* x = c->AddParameter(0, kS32Scalar);
        Instruction* number = c->AddConstant(Scalar(kS32, static_cast<double>(b)));
        c->set_root(c->Add(Opcode::kAdd, kS32Scalar, {x, number}));
        computations.push_back(c);
      }
      return computations;
    };
    std::vector<Literal> operands = {selector};
    for (size_t b = 0; b < branch_count; ++b) operands.push_back(Scalar(kS32, 10.0 * static_cast<double>(b)));
    return Values(Op(Opcode::kConditional, kS32Scalar, operands, std::nullopt, branches))[0];
  };
  EXPECT_EQ(run(Scalar(kS32, -7), 3), 22);
  EXPECT_EQ(run(Scalar(kS32, 3), 3), 22);
  EXPECT_EQ(run(Scalar(kS32, 1), 3), 11);
  EXPECT_EQ(run(Scalar(kPred, 1), 2), 0);  // true is the first branch
  EXPECT_EQ(run(Scalar(kPred, 0), 2), 11);
}

TEST(Call, ArgumentsStayWhatTheyAre) {
  // The callee overwrites its parameter in place; the caller still reads the old value afterwards.
  Module module("call");
  Computation* entry = module.AddComputation("main");
  const Shape shape = Shape::ArrayOf(kS32, {3});
  Computation* callee = module.AddComputation("callee");
  Instruction* p = callee->AddParameter(0, shape);
  Instruction* update = callee->AddConstant(Vec(kS32, {9}));
  Instruction* at = callee->AddConstant(Scalar(kS32, 1));
  callee->set_root(callee->Add(Opcode::kDynamicUpdateSlice, shape, {p, update, at}));
  Instruction* x = entry->AddParameter(0, shape);
  Instruction* call = entry->Add(Opcode::kCall, shape, {x}, std::nullopt, {callee});
  entry->set_root(entry->Add(Opcode::kAdd, shape, {call, x}));
  const Literal argument = Vec(kS32, {1, 2, 3});
  EXPECT_THAT(Values(*Evaluate(module, std::vector<Literal>{argument})), ElementsAre(2, 11, 6));
  EXPECT_THAT(Values(argument), ElementsAre(1, 2, 3));
}

/// Runs f on a thread with a small stack.
void OnSmallStack(const std::function<void()>& f) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 512 * 1024);
  pthread_t thread;
  auto start = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, start, const_cast<std::function<void()>*>(&f)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(Machine, LongChainsAndDeepCallsNeedNoStack) {
  OnSmallStack([] {
    Module module("deep");
    Computation* entry = module.AddComputation("main");
    Computation* inner = module.AddComputation("leaf");
    Instruction* p = inner->AddParameter(0, kS32Scalar);
    inner->set_root(inner->Add(Opcode::kAdd, kS32Scalar, {p, p}));
    constexpr int kDepth = 5000;
    for (int i = 0; i < kDepth; ++i) {
      Computation* outer = module.AddComputation("level");
      Instruction* q = outer->AddParameter(0, kS32Scalar);
      outer->set_root(outer->Add(Opcode::kCall, kS32Scalar, {q}, std::nullopt, {inner}));
      inner = outer;
    }
    Instruction* x = entry->AddParameter(0, kS32Scalar);
    for (int i = 0; i < 100000; ++i) x = entry->Add(Opcode::kNegate, kS32Scalar, {x});
    entry->set_root(entry->Add(Opcode::kCall, kS32Scalar, {x}, std::nullopt, {inner}));
    EXPECT_THAT(Values(*Evaluate(module, std::vector<Literal>{Scalar(kS32, 21)})), ElementsAre(42));
  });
}

TEST(Machine, MemoryLimit) {
  Module module("big");
  Computation* entry = module.AddComputation("main");
  Instruction* one = entry->AddConstant(Scalar(kF32, 1));
  const Shape big = Shape::ArrayOf(kF32, {1000});
  Instruction* x = entry->Add(Opcode::kBroadcast, big, {one}, hlo::DimensionsAttributes{});
  for (int i = 0; i < 10; ++i) x = entry->Add(Opcode::kNegate, big, {x}, std::nullopt, {}, "negated");
  entry->set_root(x);
  EvaluateOptions options;
  options.memory_limit_bytes = 8004;  // operand and result of one op at a time
  EXPECT_TRUE(Evaluate(module, {}, options).has_value());
  options.memory_limit_bytes = 7999;
  Result<Literal> result = Evaluate(module, {}, options);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind(), ErrorKind::kOutOfResources);
  EXPECT_EQ(result.error().instruction(), "negated");
}

TEST(Arguments, AreChecked) {
  Module module("m");
  Computation* entry = module.AddComputation("main");
  entry->set_root(entry->AddParameter(0, kS32Scalar, "x"));
  Result<Literal> none = Evaluate(module, {});
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().message(), "0 arguments for computation main, which has 1 parameters");
  Result<Literal> wrong = Evaluate(module, std::vector<Literal>{Scalar(kF32, 1)});
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().message(), "argument 0 is f32[], but parameter %x is s32[]");
}

TEST(CustomCall, GoesToTheHandler) {
  Module module("m");
  Computation* entry = module.AddComputation("main");
  hlo::CustomCallAttributes attributes;
  attributes.target.text = "double_it";
  entry->set_root(
      entry->Add(Opcode::kCustomCall, kS32Scalar, {entry->AddParameter(0, kS32Scalar)}, attributes));
  const std::vector<Literal> arguments = {Scalar(kS32, 4)};
  Result<Literal> unknown = Evaluate(module, arguments);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_THAT(unknown.error().message(), HasSubstr("custom call double_it"));
  EvaluateOptions options;
  options.custom_call = [](const Instruction&, std::span<const Literal* const> operands) -> Result<Literal> {
    return Scalar(kS32, 2 * GetAsDouble(*operands[0], 0));
  };
  EXPECT_THAT(Values(*Evaluate(module, arguments, options)), ElementsAre(8));
}

TEST(CustomCall, MarkersAreIdentities) {
  hlo::CustomCallAttributes attributes;
  attributes.target.text = "Sharding";
  EXPECT_THAT(Values(Same(Opcode::kCustomCall, {Vec(kF32, {1, 2})}, attributes)), ElementsAre(1, 2));
}

TEST(Async, StartHoldsOperandsAndResult) {
  Module module("async");
  Computation* entry = module.AddComputation("main");
  Computation* wrapped = module.AddComputation("wrapped");
  Instruction* p = wrapped->AddParameter(0, kS32Scalar);
  wrapped->set_root(wrapped->Add(Opcode::kNegate, kS32Scalar, {p}));
  const Shape state = Shape::Tuple({Shape::Tuple({kS32Scalar}), kS32Scalar, Shape::Scalar(kU32)});
  Instruction* x = entry->AddParameter(0, kS32Scalar);
  Instruction* start = entry->Add(Opcode::kAsyncStart, state, {x}, std::nullopt, {wrapped});
  Instruction* update = entry->Add(Opcode::kAsyncUpdate, state, {start}, std::nullopt, {});
  Instruction* done = entry->Add(Opcode::kAsyncDone, kS32Scalar, {update}, std::nullopt, {});
  entry->set_root(entry->Add(Opcode::kSubtract, kS32Scalar, {done, x}));
  EXPECT_THAT(Values(*Evaluate(module, std::vector<Literal>{Scalar(kS32, 5)})), ElementsAre(-10));
}

}  // namespace
}  // namespace subfloor::evaluator_testing
