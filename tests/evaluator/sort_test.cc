#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "evaluate_text.h"

namespace subfloor::evaluator_testing {
namespace {

TEST(Sort, EqualKeysKeepTheirOrder) {
  EXPECT_TRUE(
      Matches(EvaluateText(R"(
    less { a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3) ROOT r = pred[] compare(a, b), direction=LT }
    ENTRY e {
      k = s32[5] constant({2, 1, 2, 1, 0})
      v = s32[5] iota(), iota_dimension=0
      ROOT s = (s32[5], s32[5]) sort(k, v), dimensions={0}, to_apply=less
    })"),
              Literal::Tuple({Value("s32[5]", "{0, 1, 1, 2, 2}"), Value("s32[5]", "{4, 1, 3, 0, 2}")})));
}

TEST(Sort, AlongAnOuterDimension) {
  EXPECT_TRUE(Matches(EvaluateText(R"(
    more { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=GT }
    ENTRY e {
      k = f32[3,2] constant({{1, 5}, {3, -1}, {2, 7}})
      ROOT s = f32[3,2] sort(k), dimensions={0}, to_apply=more
    })"),
                      Value("f32[3,2]", "{{3, 7}, {2, 5}, {1, -1}}")));
}

TEST(Sort, TotalOrderPlacesNansAndZeros) {
  const Literal sorted = EvaluateText(R"(
    less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER }
    ENTRY e {
      k = f32[7] constant({nan, 0, -0, inf, -nan, -inf, 1})
      ROOT s = f32[7] sort(k), dimensions={0}, to_apply=less
    })");
  EXPECT_TRUE(sorted.Identical(Value("f32[7]", "{-nan, -inf, -0, 0, 1, inf, nan}")));
}

TEST(Sort, AnInconsistentComparatorStillPermutes) {
  for (std::string_view direction : {"LT", "GE", "NE"}) {
    const Literal sorted = EvaluateText(fmt::format(R"(
      odd {{ a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction={} }}
      ENTRY e {{
        k = f32[8] constant({{3, nan, 1, 2, nan, 1, 3, 0}})
        ROOT s = f32[8] sort(k), dimensions={{0}}, to_apply=odd
      }})",
                                                    direction));
    std::vector<float> values(sorted.data<float>().begin(), sorted.data<float>().end());
    EXPECT_EQ(std::ranges::count_if(values, [](float x) { return x != x; }), 2);
    std::erase_if(values, [](float x) { return x != x; });
    std::ranges::sort(values);
    EXPECT_EQ(values, (std::vector<float>{0, 1, 1, 2, 3, 3}));
  }
}

TEST(Sort, AComparatorThatCallsAndBranches) {
  // Orders by distance from 5; the conditional is no scalar step.
  EXPECT_TRUE(Matches(EvaluateText(R"(
    same { ROOT x = s32[] parameter(0) }
    flip { x = s32[] parameter(0) ROOT r = s32[] negate(x) }
    near {
      a = s32[] parameter(0) b = s32[] parameter(1)
      five = s32[] constant(5) zero = s32[] constant(0)
      da = s32[] subtract(a, five) db = s32[] subtract(b, five)
      na = pred[] compare(da, zero), direction=LT
      nb = pred[] compare(db, zero), direction=LT
      aa = s32[] conditional(na, da, da), true_computation=flip, false_computation=same
      ab = s32[] conditional(nb, db, db), true_computation=flip, false_computation=same
      ROOT r = pred[] compare(aa, ab), direction=LT
    }
    ENTRY e {
      k = s32[5] constant({0, 9, 6, 5, 4})
      ROOT s = s32[5] sort(k), dimensions={0}, to_apply=near
    })"),
                      Value("s32[5]", "{5, 6, 4, 9, 0}")));
}

TEST(Sort, ManyElements) {
  const Literal sorted = EvaluateText(R"(
    less { a = u32[] parameter(0) b = u32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
    ENTRY e {
      i = u32[1000] iota(), iota_dimension=0
      f = u32[] constant(2654435761)
      fs = u32[1000] broadcast(f), dimensions={}
      k = u32[1000] multiply(i, fs)
      ROOT s = u32[1000] sort(k), dimensions={0}, to_apply=less
    })");
  EXPECT_TRUE(std::ranges::is_sorted(sorted.data<uint32_t>()));
  EXPECT_EQ(sorted.data<uint32_t>()[0], 0u);
}

TEST(TopK, TotalOrderAndLowestIndex) {
  constexpr std::string_view kForm = R"(ENTRY e {{
    x = f32[8] constant({{3, nan, 3, 0, -0, -nan, inf, 3}})
    ROOT t = (f32[4], s32[4]) topk(x), k=4, largest={}
  }})";
  EXPECT_TRUE(
      Matches(EvaluateText(fmt::format(kForm, "true")),
              Literal::Tuple({Value("f32[4]", "{nan, inf, 3, 3}"), Value("s32[4]", "{1, 6, 0, 2}")})));
  const Literal smallest = EvaluateText(fmt::format(kForm, "false"));
  EXPECT_TRUE(smallest.elements()[0].Identical(Value("f32[4]", "{-nan, -0, 0, 3}")));
  EXPECT_TRUE(Matches(smallest.elements()[1], Value("s32[4]", "{5, 4, 3, 0}")));
}

TEST(TopK, IntegersByTheirSignednessInEveryRow) {
  EXPECT_TRUE(Matches(
      EvaluateText(R"(ENTRY e {
    x = s8[2,3] constant({{-1, 5, 5}, {-128, 127, 0}})
    ROOT t = (s8[2,2], s32[2,2]) topk(x), k=2, largest=true
  })"),
      Literal::Tuple({Value("s8[2,2]", "{{5, 5}, {127, 0}}"), Value("s32[2,2]", "{{1, 2}, {1, 2}}")})));
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    x = u64[3] constant({1, 18446744073709551615, 2})
    ROOT t = (u64[1], s32[1]) topk(x), k=1, largest=true
  })"),
                      Literal::Tuple({Value("u64[1]", "{18446744073709551615}"), Value("s32[1]", "{1}")})));
}

}  // namespace
}  // namespace subfloor::evaluator_testing
