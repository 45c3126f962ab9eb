// Every expander: the program evaluates to the same before and after, and what was to go is gone.
#include "passes/expand/expanders.h"

#include <gmock/gmock.h>

#include "passes/pass_test_util.h"
#include "types/compare_literals.h"

namespace subfloor::passes {
namespace {

using hlo::Opcode;

int64_t Count(const hlo::Module& module, Opcode opcode) {
  int64_t count = 0;
  for (const hlo::Computation* computation : module.computations()) {
    for (const hlo::Instruction* instruction : computation->instructions())
      count += instruction->opcode() == opcode;
  }
  return count;
}

std::vector<Literal> RandomArguments(const hlo::Module& module, bool edge = false, int64_t int_min = 0,
                                     int64_t int_max = 3) {
  std::vector<Literal> arguments;
  for (const hlo::Instruction* parameter : module.entry()->parameters()) {
    RandomLiteralOptions options;
    options.edge = edge;
    options.int_min = int_min, options.int_max = int_max;
    arguments.push_back(*RandomLiteral(parameter->shape(), 7 + arguments.size(), options));
  }
  return arguments;
}

// Runs one expander and compares the evaluator's answers; gives the module after it.
std::unique_ptr<hlo::Module> ExpectSame(std::string_view pass, std::string_view text,
                                        std::vector<Literal> arguments, const CompareOptions& options = {}) {
  auto before = Parse(text);
  auto after = before->Clone();
  EXPECT_TRUE(RunPasses(*after, {pass})) << "nothing changed";
  const auto expected = Evaluate(*before, arguments), actual = Evaluate(*after, arguments);
  EXPECT_TRUE(expected) << expected.error().ToString();
  EXPECT_TRUE(actual) << actual.error().ToString() << "\n" << PrintShort(*after);
  if (expected && actual) {
    const auto comparison = CompareLiterals(*actual, *expected, options);
    EXPECT_TRUE(comparison) << comparison.error().ToString();
    EXPECT_TRUE(comparison && comparison->Matches()) << comparison->ToString() << "\n" << PrintShort(*after);
  }
  return after;
}
std::unique_ptr<hlo::Module> ExpectSame(std::string_view pass, std::string_view text,
                                        const CompareOptions& options = {}) {
  return ExpectSame(pass, text, RandomArguments(*Parse(text)), options);
}

TEST(ExpandBatchNorm, Training) {
  for (const char* type : {"f32", "f64"}) {
    auto after = ExpectSame("expand-batch-norm",
                            fmt::format(R"(
ENTRY e {{
  x = {0}[2,5,3] parameter(0)
  scale = {0}[3] parameter(1)
  offset = {0}[3] parameter(2)
  ROOT y = ({0}[2,5,3], {0}[3], {0}[3]) batch-norm-training(x, scale, offset), epsilon=0.001, feature_index=2
}})",
                                        type),
                            {.max_ulp = 16, .atol = 1e-6});
    EXPECT_EQ(Count(*after, Opcode::kBatchNormTraining), 0);
  }
  // bf16 is computed in f32 and rounded once, as the evaluator does.
  ExpectSame("expand-batch-norm", R"(
ENTRY e {
  x = bf16[2,4,3] parameter(0)
  scale = bf16[4] parameter(1)
  offset = bf16[4] parameter(2)
  ROOT y = (bf16[2,4,3], bf16[4], bf16[4]) batch-norm-training(x, scale, offset), epsilon=0.001, feature_index=1
})",
             {.max_ulp = 1});
}

TEST(ExpandBatchNorm, InferenceAndGradient) {
  ExpectSame("expand-batch-norm", R"(
ENTRY e {
  x = f32[4,3] parameter(0)
  scale = f32[3] parameter(1)
  offset = f32[3] parameter(2)
  mean = f32[3] parameter(3)
  v = f32[3] parameter(4)
  variance = f32[3] multiply(v, v)
  ROOT y = f32[4,3] batch-norm-inference(x, scale, offset, mean, variance), epsilon=0.1, feature_index=1
})",
             {.max_ulp = 16, .atol = 1e-6});
  ExpectSame("expand-batch-norm", R"(
ENTRY e {
  x = f32[4,3] parameter(0)
  scale = f32[3] parameter(1)
  mean = f32[3] parameter(2)
  v = f32[3] parameter(3)
  variance = f32[3] multiply(v, v)
  dy = f32[4,3] parameter(4)
  ROOT y = (f32[4,3], f32[3], f32[3]) batch-norm-grad(x, scale, mean, variance, dy), epsilon=0.1, feature_index=1
})",
             {.max_ulp = 16, .atol = 1e-5});
}

TEST(ExpandTopK, EdgesTiesAndBothEnds) {
  for (const char* type : {"f32", "bf16", "s8", "u32", "f64"}) {
    for (const char* largest : {"true", "false"}) {
      const std::string text = fmt::format(R"(
ENTRY e {{
  x = {0}[3,40] parameter(0)
  ROOT y = ({0}[3,7], s32[3,7]) topk(x), k=7, largest={1}, is_stable=true
}})",
                                           type, largest);
      ExpectSame("expand-topk", text, RandomArguments(*Parse(text), /*edge=*/true));
      ExpectSame("expand-topk", text, RandomArguments(*Parse(text), /*edge=*/false));
    }
  }
}

TEST(ExpandTopK, TheKnownAnswer) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const float values[] = {3, nan, 3, 0, -0.0f, -nan, inf, 3};
  auto module =
      Parse("ENTRY e { x = f32[8] parameter(0) ROOT y = (f32[4], s32[4]) topk(x), k=4, largest=true }");
  ASSERT_TRUE(RunPasses(*module, {"expand-topk"}));
  const Literal argument[] = {Literal::Vector<float>(values)};
  auto result = Evaluate(*module, argument);
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_THAT(result->elements()[1].data<int32_t>(), ::testing::ElementsAre(1, 6, 0, 2));
}

TEST(ExpandMap, BecomesElementwise) {
  auto after = ExpectSame("expand-map", R"(
f {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  two = f32[] constant(2)
  z = f32[] multiply(x, two)
  less = pred[] compare(z, y), direction=LT
  ROOT r = f32[] select(less, z, y)
}
ENTRY e {
  a = f32[3,4] parameter(0)
  b = f32[3,4] parameter(1)
  ROOT m = f32[3,4] map(a, b), dimensions={0,1}, to_apply=f
})");
  EXPECT_EQ(Count(*after, Opcode::kMap), 0);
}

TEST(ExpandMap, MapsInsideMaps) {
  auto after = ExpectSame("expand-map", R"(
m {
  a = f32[] parameter(0)
  inner = f32[] map(a), dimensions={}, to_apply={ x = f32[] parameter(0) ROOT n = f32[] negate(x) }
  ROOT r = f32[] add(inner, a)
}
ENTRY e {
  a = f32[3,4] parameter(0)
  ROOT m = f32[3,4] map(a), dimensions={0,1}, to_apply=m
})");
  EXPECT_EQ(Count(*after, Opcode::kMap), 0);
}

TEST(ExpandDynamicIndex, OneVectorOfStarts) {
  for (const char* type : {"s32", "u8"}) {
    const std::string text = fmt::format(R"(
ENTRY e {{
  x = f32[5,6] parameter(0)
  u = f32[1,2] parameter(1)
  i = {0}[2] parameter(2)
  s = f32[2,3] dynamic-slice(x, i), dynamic_slice_sizes={{2,3}}
  d = f32[5,6] dynamic-update-slice(x, u, i)
  ROOT t = (f32[2,3], f32[5,6]) tuple(s, d)
}})",
                                         type);
    ExpectSame("expand-dynamic-index", text, RandomArguments(*Parse(text), false, -3, 200));
  }
}

// x x^T + 4 I, which has a factor.
std::string WithPositiveDefinite(std::string_view type, int64_t n, std::string_view rest) {
  return fmt::format(R"(
ENTRY e {{
  x = {0}[2,{1},{1}] parameter(0)
  xx = {0}[2,{1},{1}] dot(x, x), lhs_batch_dims={{0}}, rhs_batch_dims={{0}}, lhs_contracting_dims={{2}}, rhs_contracting_dims={{2}}
  r = s32[2,{1},{1}] iota(), iota_dimension=1
  c = s32[2,{1},{1}] iota(), iota_dimension=2
  on = pred[2,{1},{1}] compare(r, c), direction=EQ
  i = {0}[2,{1},{1}] convert(on)
  four = {0}[] constant(4)
  fours = {0}[2,{1},{1}] broadcast(four), dimensions={{}}
  d = {0}[2,{1},{1}] multiply(i, fours)
  a = {0}[2,{1},{1}] add(xx, d)
  {2}
}})",
                     type, n, rest);
}

TEST(ExpandCholesky, BothTriangles) {
  for (const char* lower : {"true", "false"}) {
    for (const char* type : {"f32", "f64", "bf16"}) {
      const bool narrow = std::string_view(type) == "bf16";
      ExpectSame(
          "expand-cholesky",
          WithPositiveDefinite(type, 6, fmt::format("ROOT l = {}[2,6,6] cholesky(a), lower={}", type, lower)),
          {.max_ulp = narrow ? 2.0 : 32.0, .atol = narrow ? 2e-2 : 2e-6});
    }
  }
}

TEST(ExpandCholesky, ComplexAndFailures) {
  ExpectSame("expand-cholesky", R"(
ENTRY e {
  a = c64[2,2] constant({ {(4, 0), (1, -1)}, {(1, 1), (3, 0)} })
  ROOT l = c64[2,2] cholesky(a), lower=true
})",
             std::vector<Literal>{}, {.max_ulp = 8});
  // The second matrix has no factor: it is NaN throughout, the first is not.
  ExpectSame("expand-cholesky", R"(
ENTRY e {
  a = f32[2,2,2] constant({ { {4, 7}, {2, 5} }, { {1, 0}, {2, 1} } })
  ROOT l = f32[2,2,2] cholesky(a), lower=true
})",
             std::vector<Literal>{}, {.max_ulp = 4});
}

TEST(ExpandTriangularSolve, EveryForm) {
  for (const char* left : {"true", "false"}) {
    for (const char* lower : {"true", "false"}) {
      for (const char* unit : {"true", "false"}) {
        for (const char* transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
          const bool is_left = std::string_view(left) == "true";
          ExpectSame("expand-triangular-solve",
                     WithPositiveDefinite("f32", 4,
                                          fmt::format("b = f32[2,{0}] parameter(1)\n ROOT y = f32[2,{0}] "
                                                      "triangular-solve(a, b), left_side={1}, lower={2}, "
                                                      "unit_diagonal={3}, transpose_a={4}",
                                                      is_left ? "4,3" : "3,4", left, lower, unit, transpose)),
                     {.max_ulp = 64, .atol = 1e-4});
        }
      }
    }
  }
}

TEST(ExpandTriangularSolve, ComplexAndTheOtherTriangleIgnored) {
  ExpectSame("expand-triangular-solve", R"(
ENTRY e {
  a = c64[2,2] constant({ {(2, 1), (nan, 0)}, {(1, 1), (3, -1)} })
  b = c64[2,1] constant({ {(1, 2)}, {(3, 4)} })
  ROOT y = c64[2,1] triangular-solve(a, b), left_side=true, lower=true, transpose_a=ADJOINT
})",
             std::vector<Literal>{}, {.max_ulp = 8});
}

TEST(ExpandScan, ForwardAndReverse) {
  for (const char* reverse : {"true", "false"}) {
    for (int length : {5, 1, 0}) {
      ExpectSame("expand-scan", fmt::format(R"(
step {{
  x = f32[3] parameter(0)
  c = f32[3] parameter(1)
  s = f32[3] add(x, c)
  h = f32[3] multiply(s, x)
  ROOT t = (f32[3], f32[3]) tuple(h, s)
}}
ENTRY e {{
  a = f32[3,{1}] parameter(0)
  i = f32[3] parameter(1)
  ROOT r = (f32[3,{1}], f32[3]) scan(a, i), dimensions={{1}}, to_apply=step, num_carries=1, is_reverse={0}
}})",
                                            reverse, length));
    }
  }
}

TEST(ExpandSelectAndScatter, PoolingGradients) {
  for (const char* window :
       {"size=2x2 stride=2x2", "size=3x3 stride=2x2 pad=1_1x0_1", "size=2x3 stride=1x1"}) {
    const std::string_view w = window;
    const char* source = w.starts_with("size=2x2") ? "3,2" : w.starts_with("size=3x3") ? "3,2" : "5,3";
    for (const char* direction : {"GE", "GT", "LE"}) {
      ExpectSame("expand-select-and-scatter",
                 fmt::format(R"(
choose {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction={2}
}}
sum {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}}
ENTRY e {{
  x = f32[6,5] parameter(0)
  s = f32[{0}] parameter(1)
  i = f32[] constant(0.5)
  ROOT y = f32[6,5] select-and-scatter(x, s, i), window={{{1}}}, select=choose, scatter=sum
}})",
                             source, window, direction),
                 {.max_ulp = 4});
    }
  }
}

TEST(ExpandRngBitGenerator, EqualsTheEvaluatorBitForBit) {
  for (const char* algorithm : {"rng_default", "rng_philox", "rng_three_fry"}) {
    for (const char* state : {"2", "3"}) {
      if (std::string_view(algorithm) == "rng_three_fry" && *state == '3') continue;
      for (const char* bits : {"u32[7]", "u32[]", "s64[5]", "u8[3,5]", "f32[4,3]", "u64[2,2]", "s16[3,3]",
                               "f64[3]", "u32[0]", "bf16[9]", "u4[5]"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", algorithm, state, bits));
        const std::string text = fmt::format(R"(
ENTRY e {{
  s = u64[{0}] parameter(0)
  ROOT r = (u64[{0}], {1}) rng-bit-generator(s), algorithm={2}
}})",
                                             state, bits, algorithm);
        auto before = Parse(text);
        auto after = before->Clone();
        ASSERT_TRUE(RunPasses(*after, {"expand-rng-bit-generator"}));
        // Random states, and one whose counter carries into its upper half.
        std::vector<Literal> arguments = RandomArguments(*before, /*edge=*/true);
        for (bool carry : {false, true}) {
          if (carry) SetBits(arguments[0], 1, ~uint64_t{0});
          const auto expected = Evaluate(*before, arguments), actual = Evaluate(*after, arguments);
          ASSERT_TRUE(expected) << expected.error().ToString();
          ASSERT_TRUE(actual) << actual.error().ToString();
          EXPECT_TRUE(SameBits(*actual, *expected));
        }
      }
    }
  }
}

TEST(ExpandRngBitGenerator, KnownAnswers) {
  const auto run = [](std::string_view algorithm, std::vector<uint64_t> state, int64_t count) {
    auto module =
        Parse(fmt::format("ENTRY e {{ s = u64[{0}] parameter(0) ROOT r = (u64[{0}], u32[{1}]) "
                          "rng-bit-generator(s), algorithm={2} }}",
                          state.size(), count, algorithm));
    EXPECT_TRUE(RunPasses(*module, {"expand-rng-bit-generator"}));
    const Literal argument[] = {Literal::Vector<uint64_t>(state)};
    return *Evaluate(*module, argument);
  };
  using ::testing::ElementsAre;
  const Literal philox = run("rng_philox", {1, 2, 3}, 6);
  EXPECT_THAT(philox.elements()[1].data<uint32_t>(),
              ElementsAre(4031113034, 1366700262, 495645701, 3051723414, 89414891, 1917262711));
  EXPECT_THAT(philox.elements()[0].data<uint64_t>(), ElementsAre(1, 4, 3));
  const Literal short_philox = run("rng_philox", {1, 2}, 6);
  EXPECT_THAT(short_philox.elements()[1].data<uint32_t>(),
              ElementsAre(2100602697, 2847456232, 2074354647, 800269529, 1828267006, 3135207875));
  EXPECT_THAT(short_philox.elements()[0].data<uint64_t>(), ElementsAre(1, 4));
  const Literal threefry = run("rng_three_fry", {1, 2}, 5);
  EXPECT_THAT(threefry.elements()[1].data<uint32_t>(),
              ElementsAre(43444564, 2150618427, 3979645651, 3745730563, 1672743891));
  EXPECT_THAT(threefry.elements()[0].data<uint64_t>(), ElementsAre(1, 5));
}

// Evaluates an rng of 20000 numbers once it is expanded down to integer arithmetic.
std::vector<double> Draw(std::string_view type, std::string_view distribution, std::string_view a,
                         std::string_view b) {
  auto module = Parse(fmt::format(R"(
ENTRY e {{
  a = {0}[] constant({2})
  b = {0}[] constant({3})
  ROOT r = {0}[20000] rng(a, b), distribution={1}
}})",
                                  type, distribution, a, b));
  EXPECT_TRUE(RunPasses(*module, {"expand-rng", "expand-rng-bit-generator"}));
  auto result = Evaluate(*module, {});
  EXPECT_TRUE(result) << result.error().ToString();
  std::vector<double> values;
  for (int64_t i = 0; result && i < result->shape().element_count(); ++i)
    values.push_back(GetAsDouble(*result, i));
  return values;
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

TEST(ExpandRng, UniformStaysInsideAndFillsTheRange) {
  for (const char* type : {"f32", "f64", "bf16", "f16"}) {
    const auto values = Draw(type, "rng_uniform", "-1", "3");
    EXPECT_GE(std::ranges::min(values), -1) << type;
    EXPECT_LT(std::ranges::max(values), 3) << type;
    EXPECT_NEAR(Mean(values), 1, 0.05) << type;  // six standard errors are 0.049
  }
  for (const char* type : {"s32", "u8", "s64"}) {
    const auto values = Draw(type, "rng_uniform", "3", "6");
    for (double wanted : {3, 4, 5}) {
      EXPECT_NEAR(static_cast<double>(std::ranges::count(values, wanted)) / 20000, 1 / 3.0, 0.02) << type;
    }
  }
  EXPECT_NEAR(Mean(Draw("pred", "rng_uniform", "0", "1")), 0.5, 0.022);
  EXPECT_NEAR(Mean(Draw("s8", "rng_uniform", "-128", "127")), -1, 3.2);
}

TEST(ExpandRng, NormalHasItsMoments) {
  for (const char* type : {"f32", "f64"}) {
    auto values = Draw(type, "rng_normal", "5", "2");
    EXPECT_NEAR(Mean(values), 5, 0.085) << type;
    for (double& value : values) value = (value - 5) * (value - 5);
    EXPECT_NEAR(Mean(values), 4, 0.25) << type;
  }
}

TEST(ExpandRng, TwoOfThemDiffer) {
  auto module = Parse(R"(
ENTRY e {
  a = f32[] constant(0)
  b = f32[] constant(1)
  x = f32[100] rng(a, b), distribution=rng_uniform
  y = f32[100] rng(a, b), distribution=rng_uniform
  ROOT d = f32[100] subtract(x, y)
})");
  ASSERT_TRUE(RunPasses(*module, {"expand-rng", "expand-rng-bit-generator"}));
  const auto result = Evaluate(*module, {});
  ASSERT_TRUE(result);
  EXPECT_LT(std::ranges::count(result->data<float>(), 0.0f), 2);
}

TEST(ExpandStochasticConvert, EqualsTheEvaluator) {
  for (const auto& [from, random] :
       {std::pair{"f32", "u32"}, {"bf16", "u16"}, {"f64", "u64"}, {"f16", "u16"}}) {
    for (const char* to : {"s8", "s32", "s16"}) {
      const std::string text = fmt::format(R"(
ENTRY e {{
  x = {0}[300] parameter(0)
  r = {1}[300] parameter(1)
  eleven = {0}[] constant(11)
  wide = {0}[300] broadcast(eleven), dimensions={{}}
  y = {0}[300] multiply(x, wide)
  ROOT c = {2}[300] stochastic-convert(y, r)
}})",
                                           from, random, to);
      SCOPED_TRACE(text);
      ExpectSame("expand-stochastic-convert", text, RandomArguments(*Parse(text), /*edge=*/true));
      // Ordinary values with random bits of every size.
      std::vector<Literal> arguments =
          RandomArguments(*Parse(text), false, 0, std::numeric_limits<int64_t>::max());
      ExpectSame("expand-stochastic-convert", text, arguments);
    }
  }
}

TEST(ExpandDots, Scaled) {
  ExpectSame("expand-dots", R"(
ENTRY e {
  a = f8e4m3fn[4,8] parameter(0)
  b = f8e4m3fn[6,8] parameter(1)
  sa = f8e8m0fnu[4,2] parameter(2)
  sb = f8e8m0fnu[3,4] parameter(3)
  ROOT d = f32[4,6] scaled-dot(a, b, sa, sb), lhs_contracting_dims={1}, rhs_contracting_dims={1}
})",
             {.max_ulp = 8, .atol = 1e-5});
  ExpectSame("expand-dots", R"(
ENTRY e {
  a = bf16[4,8] parameter(0)
  b = bf16[8,6] parameter(1)
  sa = bf16[1,4] parameter(2)
  one = bf16[] constant(1)
  ROOT d = bf16[4,6] scaled-dot(a, b, sa, one), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
             {.max_ulp = 1, .atol = 1e-2});
}

TEST(ExpandDots, RaggedRowsContractionsAndBatches) {
  const CompareOptions close{.max_ulp = 8, .atol = 1e-5};
  const auto run = [&](std::string_view text) {
    std::vector<Literal> arguments = RandomArguments(*Parse(text));
    for (std::vector<int32_t> sizes : {std::vector<int32_t>{2, 3, 1}, {0, 8, 0}, {5, 5, 5}, {0, 0, 0}}) {
      arguments[2] = Literal::Vector<int32_t>(sizes);
      ExpectSame("expand-dots", text, arguments, close);
    }
  };
  run(R"(
ENTRY e {
  a = f32[8,4] parameter(0)
  b = f32[3,4,5] parameter(1)
  g = s32[3] parameter(2)
  ROOT d = f32[8,5] ragged-dot(a, b, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}
})");
  run(R"(
ENTRY e {
  a = f32[2,8,4] parameter(0)
  b = f32[2,4,3,5] parameter(1)
  g = s32[3] parameter(2)
  ROOT d = f32[2,8,5] ragged-dot(a, b, g), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}, lhs_ragged_dims={1}, rhs_group_dims={2}
})");
  run(R"(
ENTRY e {
  a = f32[6,8] parameter(0)
  b = f32[8,5] parameter(1)
  g = s32[3] parameter(2)
  ROOT d = f32[3,6,5] ragged-dot(a, b, g), lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}
})");
  run(R"(
ENTRY e {
  a = f32[8,3,4] parameter(0)
  b = f32[8,4,5] parameter(1)
  g = s32[3] parameter(2)
  ROOT d = f32[8,3,5] ragged-dot(a, b, g), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}, lhs_ragged_dims={0}
})");
}

TEST(ExpandCheapConditional, BecomesASelect) {
  constexpr std::string_view kText = R"(
t {
  p = (f32[4], f32[4]) parameter(0)
  a = f32[4] get-tuple-element(p), index=0
  b = f32[4] get-tuple-element(p), index=1
  s = f32[4] add(a, b)
  ROOT r = (f32[4], f32[4]) tuple(s, a)
}
f {
  p = (f32[4], f32[4]) parameter(0)
  a = f32[4] get-tuple-element(p), index=0
  b = f32[4] get-tuple-element(p), index=1
  ROOT r = (f32[4], f32[4]) tuple(b, b)
}
ENTRY e {
  c = pred[] parameter(0)
  a = f32[4] parameter(1)
  b = f32[4] parameter(2)
  p = (f32[4], f32[4]) tuple(a, b)
  ROOT r = (f32[4], f32[4]) conditional(c, p, p), true_computation=t, false_computation=f
})";
  for (bool which : {false, true}) {
    std::vector<Literal> arguments = RandomArguments(*Parse(kText));
    arguments[0] = Literal::Scalar(which);
    auto after = ExpectSame("expand-cheap-conditional", kText, arguments);
    EXPECT_EQ(Count(*after, Opcode::kConditional), 0);
  }
  // A large branch is worth the jump.
  auto large = Parse(R"(
t { p = f32[5000] parameter(0) ROOT r = f32[5000] negate(p) }
f { ROOT p = f32[5000] parameter(0) }
ENTRY e { c = pred[] parameter(0) a = f32[5000] parameter(1) ROOT r = f32[5000] conditional(c, a, a), true_computation=t, false_computation=f })");
  EXPECT_FALSE(RunPasses(*large, {"expand-cheap-conditional"}));
}

TEST(ExpandLoneCollectives, OneDeviceHasNobodyToTalkTo) {
  constexpr std::string_view kAdd = R"(
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) })";
  for (const char* op : {
           "f32[4] all-reduce(a), to_apply=add",
           "f32[4] all-reduce(a), replica_groups={{0}}, to_apply=add",
           "(f32[4], f32[4]) all-reduce(a, b), to_apply=add",
           "f32[4] all-gather(a), dimensions={0}",
           "f32[4] reduce-scatter(a), dimensions={0}, to_apply=add",
           "f32[4] all-to-all(a), dimensions={0}",
           "(f32[4]) all-to-all(a)",
           "f32[4] collective-permute(a), source_target_pairs={{0,0}}",
           "f32[4] collective-permute(a), source_target_pairs={}",
           "f32[4] collective-broadcast(a), replica_groups={{0}}",
           "u32[] replica-id()",
       }) {
    SCOPED_TRACE(op);
    auto after = ExpectSame(
        "expand-lone-collectives",
        fmt::format("{}\nENTRY e {{ a = f32[4] parameter(0) b = f32[4] parameter(1) ROOT r = {} }}", kAdd,
                    op));
    for (const hlo::Instruction* instruction : after->entry()->instructions()) {
      EXPECT_EQ(instruction->TryAs<hlo::CollectiveAttributes>(), nullptr);
    }
  }
}

TEST(ExpandLoneCollectives, HalvesAndControlEdges) {
  auto after = Parse(R"(
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[4] parameter(0)
  n = f32[4] negate(a)
  s = f32[4] all-reduce-start(a), to_apply=add, control-predecessors={n}
  d = f32[4] all-reduce-done(s)
  g = (f32[4], f32[4]) all-gather-start(d), dimensions={0}
  h = f32[4] all-gather-done(g)
  p = (f32[4], f32[4], u32[], u32[]) collective-permute-start(h), source_target_pairs={{0,0}}
  q = f32[4] collective-permute-done(p)
  ROOT r = f32[4] add(q, n)
})");
  ASSERT_TRUE(RunPasses(*after, {"expand-lone-collectives", "dead-code"}));
  for (const hlo::Instruction* instruction : after->entry()->instructions()) {
    EXPECT_FALSE(hlo::HasSideEffect(instruction->opcode())) << instruction->name();
  }
}

TEST(ExpandLoneCollectives, CompanyStays) {
  auto module = Parse(R"(HloModule m, replica_count=2
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ENTRY e { a = f32[4] parameter(0) ROOT r = f32[4] all-reduce(a), replica_groups={{0,1}}, to_apply=add })");
  EXPECT_FALSE(RunPasses(*module, {"expand-lone-collectives"}));
}

TEST(ExpandAsyncCalls, BecomesTheOperation) {
  auto after = ExpectSame("expand-async-calls", R"(
f { x = f32[4] parameter(0) ROOT y = f32[4] negate(x) }
ENTRY e {
  a = f32[4] parameter(0)
  s = ((f32[4]), f32[4], s32[]) async-start(a), calls=f
  u = ((f32[4]), f32[4], s32[]) async-update(s)
  d = f32[4] async-done(u)
  c = (f32[4], f32[4], u32[]) copy-start(d)
  ROOT r = f32[4] copy-done(c)
})");
  for (Opcode gone : {Opcode::kAsyncStart, Opcode::kAsyncUpdate, Opcode::kAsyncDone, Opcode::kCopyStart}) {
    EXPECT_EQ(Count(*after, gone), 0);
  }
}

TEST(Expanders, LayoutsOfTheResultAreKept) {
  auto module = Parse(R"(
ENTRY e {
  x = f32[3,40]{0,1} parameter(0)
  t = (f32[3,7]{0,1}, s32[3,7]{1,0}) topk(x), k=7, largest=true
  ROOT v = f32[3,7]{0,1} get-tuple-element(t), index=0
})");
  ASSERT_TRUE(RunPasses(*module, {"expand-topk"}));
  EXPECT_EQ(module->entry()->root()->operand(0)->shape().tuple_shape(0).ToString(), "f32[3,7]{0,1}");
}

}  // namespace
}  // namespace subfloor::passes
