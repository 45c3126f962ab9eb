#include "passes/pass_test_util.h"

#include <fmt/format.h>

#include "hlo/module.h"
#include "passes/pipeline.h"
#include "passes/registry.h"

namespace subfloor::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Module;
using hlo::Opcode;

const Shape kVector = Shape::ArrayOf(ElementType::kF32, {8});

bool RunOne(std::string_view name, Module& module) {
  PassContext context;
  auto pass = FindPass(name);
  EXPECT_TRUE(pass.has_value());
  auto changed = RunPass(*pass, module, context);
  EXPECT_TRUE(changed.has_value()) << changed.error().ToString();
  return changed.value_or(false);
}

TEST(RegistryTest, UnknownNameNamesTheNearest) {
  const auto pass = FindPass("dead-cod");
  ASSERT_FALSE(pass.has_value());
  EXPECT_EQ(pass.error().message(), "no pass is called dead-cod; the nearest is dead-code");
}

TEST(RunPassTest, SkipsByName) {
  Module module("m");
  Computation* entry = module.AddComputation("entry");
  Instruction* x = entry->AddParameter(0, kVector);
  entry->Add(Opcode::kNegate, kVector, {x});
  entry->set_root(x);
  PassContext context;
  context.options.skip = {"dead-code"};
  EXPECT_FALSE(*RunPass(*FindPass("dead-code"), module, context));
  EXPECT_EQ(entry->instruction_count(), 2);
  context.options.skip = {};
  EXPECT_TRUE(*RunPass(*FindPass("dead-code"), module, context));
  EXPECT_EQ(entry->instruction_count(), 1);
  ASSERT_EQ(context.times.size(), 1u);
  EXPECT_EQ(context.times[0].name, "dead-code");
}

TEST(InlineCallsTest, ReplacesNestedCalls) {
  Module module("m");
  Computation* entry = module.AddComputation("entry");
  Computation* inner = module.AddComputation("inner");
  inner->set_root(inner->Add(Opcode::kNegate, kVector, {inner->AddParameter(0, kVector)}));
  Computation* outer = module.AddComputation("outer");
  Instruction* p = outer->AddParameter(0, kVector);
  Instruction* call = outer->Add(Opcode::kCall, kVector, {p}, std::nullopt, {inner});
  outer->set_root(outer->Add(Opcode::kAdd, kVector, {call, p}));
  Instruction* x = entry->AddParameter(0, kVector);
  entry->set_root(entry->Add(Opcode::kCall, kVector, {x}, std::nullopt, {outer}));

  EXPECT_TRUE(RunOne("inline-calls", module));
  EXPECT_EQ(module.computation_count(), 1);
  ASSERT_EQ(entry->root()->opcode(), Opcode::kAdd);
  EXPECT_EQ(entry->root()->operand(0)->opcode(), Opcode::kNegate);
  EXPECT_EQ(entry->root()->operand(0)->operand(0), x);
  EXPECT_EQ(entry->root()->operand(1), x);
  EXPECT_EQ(entry->instruction_count(), 3);
}

TEST(MergeEqualTest, MergesChainsButNotDifferentAttributes) {
  Module module("m");
  Computation* entry = module.AddComputation("entry");
  const Shape half = Shape::ArrayOf(ElementType::kF32, {4});
  Instruction* x = entry->AddParameter(0, kVector);
  Instruction* a = entry->Add(Opcode::kNegate, kVector, {entry->Add(Opcode::kAbs, kVector, {x})});
  Instruction* b = entry->Add(Opcode::kNegate, kVector, {entry->Add(Opcode::kAbs, kVector, {x})});
  Instruction* low = entry->Add(Opcode::kSlice, half, {a}, hlo::SliceAttributes{{{0, 4, 1}}});
  Instruction* high = entry->Add(Opcode::kSlice, half, {b}, hlo::SliceAttributes{{{4, 8, 1}}});
  entry->set_root(entry->Add(Opcode::kAdd, half, {low, high}));

  EXPECT_TRUE(RunOne("merge-equal", module));
  EXPECT_EQ(entry->instruction_count(), 6);  // x, abs, negate, two slices, add
  EXPECT_EQ(low->operand(0), high->operand(0));
  EXPECT_FALSE(RunOne("merge-equal", module));
}

TEST(MergeEqualTest, SharesReducersOfEqualStructure) {
  Module module("m");
  Computation* entry = module.AddComputation("entry");
  const Shape scalar = Shape::Scalar(ElementType::kF32);
  Instruction* x = entry->AddParameter(0, kVector);
  Instruction* zero = entry->AddConstant(Literal::Scalar(0.0f));
  Instruction* sums[2];
  for (Instruction*& sum : sums) {
    Computation* reducer = module.AddComputation("reducer");
    reducer->set_root(reducer->Add(Opcode::kAdd, scalar,
                                   {reducer->AddParameter(0, scalar), reducer->AddParameter(1, scalar)}));
    sum = entry->Add(Opcode::kReduce, scalar, {x, zero}, hlo::DimensionsAttributes{{0}}, {reducer});
  }
  entry->set_root(entry->Add(Opcode::kMultiply, scalar, {sums[0], sums[1]}));
  EXPECT_TRUE(RunOne("merge-equal", module));
  EXPECT_EQ(module.computation_count(), 2);
  EXPECT_EQ(entry->root()->operand(0), entry->root()->operand(1));
}

TEST(MergeEqualTest, LoopsThatDoTheSameAreOne) {
  auto loop = [](std::string_view tag, int limit) {
    return fmt::format(R"(
cond_{0} {{ c = s32[] parameter(0) n = s32[] constant({1}) ROOT lt = pred[] compare(c, n), direction=LT }}
body_{0} {{ c = s32[] parameter(0) one = s32[] constant(1) ROOT next = s32[] add(c, one) }}
)",
                       tag, limit);
  };
  auto module = Parse("HloModule m\n" + loop("a", 5) + loop("b", 5) + loop("c", 6) + R"(
ENTRY main {
  x = s32[] parameter(0)
  wa = s32[] while(x), condition=cond_a, body=body_a
  wb = s32[] while(x), condition=cond_b, body=body_b
  wc = s32[] while(x), condition=cond_c, body=body_c
  ROOT t = (s32[], s32[], s32[]) tuple(wa, wb, wc)
})");
  EXPECT_TRUE(RunPasses(*module, {"merge-equal"}));
  const Instruction* root = module->entry()->root();
  EXPECT_EQ(root->operand(0), root->operand(1));
  EXPECT_NE(root->operand(0), root->operand(2));
}

TEST(SimplifyTuplesTest, SeesThroughTuples) {
  Module module("m");
  Computation* entry = module.AddComputation("entry");
  Instruction* x = entry->AddParameter(0, kVector);
  Instruction* y = entry->AddParameter(1, kVector);
  Instruction* tuple = entry->Add(Opcode::kTuple, Shape::Tuple({kVector, kVector}), {x, y});
  entry->set_root(entry->Add(Opcode::kGetTupleElement, kVector, {tuple}, hlo::GetTupleElementAttributes{1}));
  EXPECT_TRUE(RunOne("simplify-tuples", module));
  EXPECT_EQ(entry->root(), y);
}

TEST(FlattenTest, SecondCallerGetsItsOwnBody) {
  Module module("m");
  Computation* entry = module.AddComputation("entry");
  Computation* body = module.AddComputation("body");
  body->set_root(body->Add(Opcode::kNegate, kVector, {body->AddParameter(0, kVector)}));
  Instruction* x = entry->AddParameter(0, kVector);
  Instruction* first = entry->Add(Opcode::kFusion, kVector, {x}, std::nullopt, {body});
  Instruction* second = entry->Add(Opcode::kFusion, kVector, {first}, std::nullopt, {body});
  entry->set_root(second);
  EXPECT_TRUE(RunOne("flatten-call-graph", module));
  EXPECT_NE(first->called(), second->called());
  EXPECT_FALSE(RunOne("flatten-call-graph", module));
}

TEST(PipelineTest, RepeatsUntilNothingChanges) {
  static int runs;
  runs = 0;
  const Pass counting = {"counting", [](Module&, PassContext&) -> Result<bool> { return ++runs < 4; }, ""};
  const Pass idle = {"idle", [](Module&, PassContext&) -> Result<bool> { return false; }, ""};
  Module module("m");
  Computation* entry = module.AddComputation("entry");
  entry->set_root(entry->AddParameter(0, kVector));
  PassContext context;
  context.options.verify = false;
  EXPECT_TRUE(*Pipeline("p").Repeat("group", {counting, idle}).Run(module, context));
  EXPECT_EQ(runs, 4);
}

}  // namespace
}  // namespace subfloor::passes
