#include <fmt/format.h>

#include <cmath>
#include <set>

#include "evaluate_text.h"
#include "types/narrow.h"

namespace subfloor::evaluator_testing {
namespace {

// (new state, bits) from a state.
Literal Generate(std::string_view algorithm, std::string_view state, std::string_view bits) {
  const int64_t size = std::ranges::count(state, ',') + 1;
  return EvaluateText(fmt::format(R"(ENTRY e {{
    s = u64[{0}] constant({{{1}}})
    ROOT r = (u64[{0}], {2}) rng-bit-generator(s), algorithm={3}
  }})",
                                  size, state, bits, algorithm));
}

TEST(RngBitGenerator, PhiloxKnownAnswers) {
  const Literal expected = Literal::Tuple(
      {Value("u64[3]", "{1, 4, 3}"),
       Value("u32[6]", "{4031113034, 1366700262, 495645701, 3051723414, 89414891, 1917262711}")});
  EXPECT_TRUE(Matches(Generate("rng_philox", "1, 2, 3", "u32[6]"), expected));
  EXPECT_TRUE(Matches(Generate("rng_default", "1, 2, 3", "u32[6]"), expected));
  EXPECT_TRUE(
      Matches(Generate("rng_philox", "1, 2", "u32[2,3]"),
              Literal::Tuple(
                  {Value("u64[2]", "{1, 4}"),
                   Value("u32[2,3]",
                         "{{2100602697, 2847456232, 2074354647}, {800269529, 1828267006, 3135207875}}")})));
}

TEST(RngBitGenerator, PhiloxCounterCarriesIntoItsUpperHalf) {
  // Block 2 of a counter at the end of its lower half is block 1 of one with the upper half one more.
  const Literal carried = Generate("rng_philox", "7, 18446744073709551615, 3", "u32[8]");
  const Literal next = Generate("rng_philox", "7, 0, 4", "u32[4]");
  EXPECT_TRUE(Matches(carried.elements()[0], Value("u64[3]", "{7, 1, 4}")));
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(carried.elements()[1].data<uint32_t>()[4 + i], next.elements()[1].data<uint32_t>()[i]);
  }
}

TEST(RngBitGenerator, OtherWidthsTakeTheSameWords) {
  const Literal wide = Generate("rng_philox", "1, 2, 3", "u64[3]");
  EXPECT_EQ(wide.elements()[1].data<uint64_t>()[0], 4031113034u | uint64_t{1366700262} << 32);
  EXPECT_EQ(wide.elements()[1].data<uint64_t>()[2], 89414891u | uint64_t{1917262711} << 32);
  EXPECT_TRUE(Matches(wide.elements()[0], Value("u64[3]", "{1, 4, 3}")));
  const Literal narrow = Generate("rng_philox", "1, 2, 3", "u8[5]");
  EXPECT_EQ(narrow.elements()[1].data<uint8_t>()[0], 4031113034u & 0xff);
  EXPECT_EQ(narrow.elements()[1].data<uint8_t>()[4], 89414891u & 0xff);
  const Literal floats = Generate("rng_philox", "1, 2, 3", "f32[1]");
  EXPECT_EQ(GetBits(floats.elements()[1], 0), 4031113034u);
  EXPECT_TRUE(Matches(floats.elements()[0], Value("u64[3]", "{1, 3, 3}")));
}

TEST(RngBitGenerator, ThreefryKnownAnswers) {
  EXPECT_TRUE(Matches(
      Generate("rng_three_fry", "1, 2", "u32[5]"),
      Literal::Tuple({Value("u64[2]", "{1, 5}"),
                      Value("u32[5]", "{43444564, 2150618427, 3979645651, 3745730563, 1672743891}")})));
  EXPECT_TRUE(Matches(Generate("rng_three_fry", "1, 2", "u32[]"),
                      Literal::Tuple({Value("u64[2]", "{1, 3}"), Value("u32[]", "43444564")})));
  EXPECT_EQ(Generate("rng_three_fry", "1, 2", "u64[1]").elements()[1].data<uint64_t>()[0],
            43444564u | uint64_t{2150618427} << 32);
}

TEST(RngBitGenerator, ThreefryPairsLieAlongTheFirstEvenDimension) {
  const Literal rows = Generate("rng_three_fry", "1, 2", "u32[2,3]");
  const auto bits = rows.elements()[1].data<uint32_t>();
  EXPECT_EQ(std::vector<uint32_t>(bits.begin(), bits.begin() + 5),
            (std::vector<uint32_t>{43444564, 3979645651, 1672743891, 2150618427, 3745730563}));
  const Literal columns = Generate("rng_three_fry", "1, 2", "u32[3,2]");
  const auto pairs = columns.elements()[1].data<uint32_t>();
  EXPECT_EQ(std::vector<uint32_t>(pairs.begin(), pairs.begin() + 5),
            (std::vector<uint32_t>{43444564, 2150618427, 3979645651, 3745730563, 1672743891}));
}

EvaluateOptions WithSeed(uint64_t seed) {
  EvaluateOptions options;
  options.rng_seed = seed;
  return options;
}

TEST(Rng, UniformStaysInRangeAndFollowsTheSeed) {
  constexpr std::string_view kForm = R"(ENTRY e {{
    a = {0}[] constant({1})
    b = {0}[] constant({2})
    ROOT r = {0}[400] rng(a, b), distribution=rng_uniform
  }})";
  const std::string text = fmt::format(kForm, "f32", "-1", "3");
  const Literal first = EvaluateText(text, {}, WithSeed(1));
  EXPECT_TRUE(first.Identical(EvaluateText(text, {}, WithSeed(1))));
  EXPECT_FALSE(first.Identical(EvaluateText(text, {}, WithSeed(2))));
  double sum = 0;
  for (float x : first.data<float>()) {
    EXPECT_TRUE(x >= -1 && x < 3);
    sum += x;
  }
  EXPECT_NEAR(sum / 400, 1, 0.3);  // five standard deviations of the mean
  std::set<int64_t> seen;
  const Literal integers = EvaluateText(fmt::format(kForm, "s8", "-2", "2"));
  for (int64_t i = 0; i < 400; ++i) seen.insert(GetAsInt(integers, i));
  EXPECT_EQ(seen, (std::set<int64_t>{-2, -1, 0, 1}));
}

TEST(Rng, NormalHasItsMoments) {
  const Literal values = EvaluateText(R"(ENTRY e {
    a = f64[] constant(5)
    b = f64[] constant(2)
    ROOT r = f64[4000] rng(a, b), distribution=rng_normal
  })");
  double sum = 0, squares = 0;
  for (double x : values.data<double>()) sum += x, squares += (x - 5) * (x - 5);
  EXPECT_NEAR(sum / 4000, 5, 5 * 2 / std::sqrt(4000));
  EXPECT_NEAR(squares / 4000, 4, 5 * 4 * std::sqrt(2.0 / 4000));
}

TEST(Rng, EveryVisitDrawsAnew) {
  const Literal values = EvaluateText(R"(
    condition { s = (s32[], u32[], u32[]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(2) ROOT r = pred[] compare(i, n), direction=LT }
    body {
      s = (s32[], u32[], u32[]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      one = s32[] constant(1)
      j = s32[] add(i, one)
      x = u32[] get-tuple-element(s), index=2
      a = u32[] constant(0)
      b = u32[] constant(4000000000)
      y = u32[] rng(a, b), distribution=rng_uniform
      ROOT r = (s32[], u32[], u32[]) tuple(j, x, y)
    }
    ENTRY e {
      z = s32[] constant(0)
      u = u32[] constant(0)
      t = (s32[], u32[], u32[]) tuple(z, u, u)
      ROOT w = (s32[], u32[], u32[]) while(t), condition=condition, body=body
    })");
  EXPECT_NE(GetAsInt(values.elements()[1], 0), GetAsInt(values.elements()[2], 0));
}

TEST(RngState, CountsUpByDelta) {
  const Literal states = EvaluateText(R"(
    condition { s = (s32[], u64[2], u64[2]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(2) ROOT r = pred[] compare(i, n), direction=LT }
    body {
      s = (s32[], u64[2], u64[2]) parameter(0)
      i = s32[] get-tuple-element(s), index=0
      one = s32[] constant(1)
      j = s32[] add(i, one)
      x = u64[2] get-tuple-element(s), index=2
      y = u64[2] rng-get-and-update-state(), delta=5
      ROOT r = (s32[], u64[2], u64[2]) tuple(j, x, y)
    }
    ENTRY e {
      z = s32[] constant(0)
      u = u64[2] constant({0, 0})
      t = (s32[], u64[2], u64[2]) tuple(z, u, u)
      ROOT w = (s32[], u64[2], u64[2]) while(t), condition=condition, body=body
    })");
  EXPECT_EQ(GetBits(states.elements()[2], 0) - GetBits(states.elements()[1], 0), 5u);
}

}  // namespace
}  // namespace subfloor::evaluator_testing
