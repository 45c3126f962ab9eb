#include "evaluator/sampled.h"

#include "evaluator/evaluate_op.h"
#include "hlo/parser.h"
#include "types/random_literal.h"

namespace subfloor::evaluator_testing {
namespace {

std::unique_ptr<Module> Parse(std::string_view text) {
  auto module = hlo::ParseModule(text);
  if (!module) {
    ADD_FAILURE() << module.error().ToString();
    return nullptr;
  }
  return *std::move(module);
}

std::vector<Literal> RandomArguments(const Module& module) {
  std::vector<Literal> arguments;
  for (const Instruction* parameter : module.entry()->parameters()) {
    arguments.push_back(*RandomLiteral(parameter->shape(), 7 + static_cast<uint64_t>(arguments.size())));
  }
  return arguments;
}

/// Every element of every leaf, each asked for alone, is the one that Evaluate gives.
void ExpectSamplesEqualWhole(std::string_view text) {
  const auto module = Parse(text);
  ASSERT_NE(module, nullptr);
  const std::vector<Literal> arguments = RandomArguments(*module);
  const Result<Literal> whole = Evaluate(*module, arguments);
  ASSERT_TRUE(whole.has_value()) << whole.error().ToString();
  const std::vector<const Literal*> leaves = Leaves(*whole);
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    const Literal* literal = leaves[leaf];
    for (int64_t e = 0; e < literal->shape().element_count(); ++e) {
      const ResultElement wanted{static_cast<int64_t>(leaf), e};
      const auto sample = EvaluateSampled(*module, arguments, std::span(&wanted, 1));
      ASSERT_TRUE(sample.has_value()) << sample.error().ToString();
      ASSERT_EQ(GetAsDouble((*sample)[0], 0), GetAsDouble(*literal, e))
          << "leaf " << leaf << " element " << e;
    }
  }
}

TEST(Sampled, FollowsMoversAndElementwiseOps) {
  ExpectSamplesEqualWhole(R"(HloModule m
ENTRY e {
  x = f32[4,6] parameter(0)
  y = f32[3] parameter(1)
  z = f32[] constant(9)
  s = f32[2,3] slice(x), slice={[1:4:2], [0:6:2]}
  b = f32[2,3] broadcast(y), dimensions={1}
  a = f32[2,3] add(s, b)
  t = f32[3,2] transpose(a), dimensions={1,0}
  p = f32[6,3] pad(t, z), padding=1_0_1x0_1_0
  v = f32[6,3] reverse(p), dimensions={0}
  c = f32[12,3] concatenate(v, p), dimensions={0}
  r = f32[4,9] reshape(c)
  ROOT n = (f32[4,9], f32[4,6]) tuple(r, x)
})");
}

TEST(Sampled, FollowsProductsAndSums) {
  ExpectSamplesEqualWhole(R"(HloModule m
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[2,5,7] parameter(0)
  w = f32[2,7,3] parameter(1)
  z = f32[] constant(0.5)
  d = f32[2,5,3] dot(x, w), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}
  ROOT r = f32[2,3] reduce(d, z), dimensions={1}, to_apply=sum
})");
}

TEST(Sampled, FollowsConvolutions) {
  ExpectSamplesEqualWhole(R"(HloModule m
ENTRY e {
  x = f32[2,7,6,4] parameter(0)
  w = f32[3,2,2,6] parameter(1)
  ROOT c = f32[2,4,7,6] convolution(x, w), window={size=3x2 stride=2x1 pad=1_1x2_1 rhs_dilate=1x2 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f, feature_group_count=2
})");
  ExpectSamplesEqualWhole(R"(HloModule m
ENTRY e {
  x = f32[4,5,3] parameter(0)
  w = f32[2,3,4] parameter(1)
  ROOT c = f32[2,8,4] convolution(x, w), window={size=2 lhs_dilate=2}, dim_labels=b0f_0io->b0f, batch_group_count=2
})");
}

TEST(Sampled, EvaluatesLoopsAndCallsWhole) {
  ExpectSamplesEqualWhole(R"(HloModule m
cond { p = (s32[], f32[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  n = s32[] constant(4)  ROOT l = pred[] compare(i, n), direction=LT }
body { p = (s32[], f32[3]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f32[3] get-tuple-element(p), index=1
  one = s32[] constant(1)  j = s32[] add(i, one)  y = f32[3] add(x, x)  ROOT t = (s32[], f32[3]) tuple(j, y) }
twice { q = f32[3] parameter(0)  ROOT s = f32[3] multiply(q, q) }
ENTRY e {
  x = f32[3] parameter(0)
  i = s32[] constant(0)
  t = (s32[], f32[3]) tuple(i, x)
  w = (s32[], f32[3]) while(t), condition=cond, body=body
  y = f32[3] get-tuple-element(w), index=1
  c = f32[3] call(y), to_apply=twice
  f = f32[3] fusion(c), kind=kLoop, calls=twice
  ROOT n = f32[3] negate(f)
})");
}

TEST(Sampled, LargeResultsCostLittle) {
  // The whole product would take 3 * 10^11 multiplications and its result a gigabyte.
  const auto module = Parse(R"(HloModule m
ENTRY e {
  x = f32[4096,1024] parameter(0)
  i = f32[1024,65536] iota(), iota_dimension=0
  d = f32[4096,65536] dot(x, i), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT n = f32[4096,65536] negate(d)
})");
  ASSERT_NE(module, nullptr);
  Literal x = *Literal::Zeros(module->entry()->parameter(0)->shape());
  for (int64_t k = 0; k < 1024; ++k) SetFromDouble(x, 5 * 1024 + k, 1);
  const std::vector<Literal> arguments = {x};
  const std::vector<ResultElement> wanted = {{0, int64_t{5} * 65536 + 77}, {0, int64_t{6} * 65536}};
  const auto samples = EvaluateSampled(*module, arguments, wanted);
  ASSERT_TRUE(samples.has_value()) << samples.error().ToString();
  EXPECT_EQ(GetAsDouble((*samples)[0], 0), -523776);  // 0 + 1 + ... + 1023
  EXPECT_EQ(GetAsDouble((*samples)[1], 0), 0);
}

TEST(Sampled, RefusesElementsThatDoNotExist) {
  const auto module = Parse("HloModule m\nENTRY e { ROOT x = f32[3] parameter(0) }");
  ASSERT_NE(module, nullptr);
  const std::vector<Literal> arguments = {Vec(kF32, {1, 2, 3})};
  for (const ResultElement wanted : {ResultElement{0, 3}, ResultElement{1, 0}, ResultElement{0, -1}}) {
    const auto sample = EvaluateSampled(*module, arguments, std::span(&wanted, 1));
    ASSERT_FALSE(sample.has_value());
    EXPECT_EQ(sample.error().kind(), ErrorKind::kBadInput);
  }
}

}  // namespace
}  // namespace subfloor::evaluator_testing
