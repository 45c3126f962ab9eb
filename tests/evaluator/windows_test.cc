#include <fmt/format.h>

#include "evaluate_text.h"

namespace subfloor::evaluator_testing {
namespace {

// Sums 1 2 3 4 in windows, from 100 on.
Literal Sums(std::string_view window, int64_t size) {
  return EvaluateText(fmt::format(R"(
    add {{ a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }}
    ENTRY e {{
      x = s32[4] constant({{1, 2, 3, 4}})
      i = s32[] constant(100)
      ROOT w = s32[{}] reduce-window(x, i), window={{{}}}, to_apply=add
    }})",
                                  size, window));
}

TEST(ReduceWindow, PaddingTakesNoPartAndTheInitialValueEntersOnce) {
  EXPECT_TRUE(Matches(Sums("size=2", 3), Value("s32[3]", "{103, 105, 107}")));
  EXPECT_TRUE(Matches(Sums("size=2 pad=1_1", 5), Value("s32[5]", "{101, 103, 105, 107, 104}")));
  EXPECT_TRUE(Matches(Sums("size=1 pad=2_0", 6), Value("s32[6]", "{100, 100, 101, 102, 103, 104}")));
  EXPECT_TRUE(Matches(Sums("size=2 stride=3", 1), Value("s32[1]", "{103}")));
  EXPECT_TRUE(Matches(Sums("size=2 lhs_dilate=2", 6), Value("s32[6]", "{101, 102, 102, 103, 103, 104}")));
  EXPECT_TRUE(Matches(Sums("size=2 rhs_dilate=3", 1), Value("s32[1]", "{105}")));
  EXPECT_TRUE(Matches(Sums("size=2 pad=-1_-1", 1), Value("s32[1]", "{105}")));
}

TEST(ReduceWindow, FoldsInTheWindowsOrder) {
  EXPECT_TRUE(Matches(EvaluateText(R"(
    digits { a = s32[] parameter(0) b = s32[] parameter(1) ten = s32[] constant(10) m = s32[] multiply(a, ten) ROOT r = s32[] add(m, b) }
    ENTRY e {
      x = s32[3,2] constant({{1, 2}, {3, 4}, {5, 6}})
      i = s32[] constant(9)
      ROOT w = s32[2,1] reduce-window(x, i), window={size=2x2}, to_apply=digits
    })"),
                      Value("s32[2,1]", "{{91234}, {93456}}")));
}

TEST(ReduceWindow, ArgMaxOverWindows) {
  EXPECT_TRUE(Matches(EvaluateText(R"(
    max {
      a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] parameter(3)
      c = pred[] compare(a, b), direction=GE
      v = f32[] select(c, a, b)
      k = s32[] select(c, i, j)
      ROOT r = (f32[], s32[]) tuple(v, k)
    }
    ENTRY e {
      x = f32[4] constant({1, 7, 7, 2})
      n = s32[4] iota(), iota_dimension=0
      lo = f32[] constant(-inf)
      z = s32[] constant(-1)
      ROOT w = (f32[3], s32[3]) reduce-window(x, n, lo, z), window={size=2}, to_apply=max
    })"),
                      Literal::Tuple({Value("f32[3]", "{7, 7, 7}"), Value("s32[3]", "{1, 1, 2}")})));
}

TEST(ReduceWindow, RecognisedSumsRoundOnce) {
  EXPECT_TRUE(Matches(EvaluateText(R"(
    add { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = bf16[] add(a, b) }
    ENTRY e {
      x = bf16[3] constant({256, 1, 1})
      i = bf16[] constant(0)
      ROOT w = bf16[1] reduce-window(x, i), window={size=3}, to_apply=add
    })"),
                      Value("bf16[1]", "{258}")));
}

constexpr std::string_view kSelect = R"(
    ge {{ a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=GE }}
    digits {{ a = f32[] parameter(0) b = f32[] parameter(1) ten = f32[] constant(10) m = f32[] multiply(a, ten) ROOT r = f32[] add(m, b) }}
    ENTRY e {{
      x = f32[{0}] constant({1})
      s = f32[{2}] constant({3})
      i = f32[] constant({4})
      ROOT w = f32[{0}] select-and-scatter(x, s, i), window={{{5}}}, select=ge, scatter=digits
    }})";

Literal Select(int64_t n, std::string_view x, int64_t m, std::string_view source, int64_t init,
               std::string_view window) {
  return EvaluateText(fmt::format(kSelect, n, x, m, source, init, window));
}

TEST(SelectAndScatter, TheFirstOfEqualsIsChosen) {
  EXPECT_TRUE(Matches(Select(4, "{1, 3, 3, 3}", 2, "{10, 20}", 0, "size=2 stride=2"),
                      Value("f32[4]", "{0, 10, 20, 0}")));
}

TEST(SelectAndScatter, TheCurrentValueIsTheFirstArgument) {
  // Both windows choose the middle: 0, then 0 * 10 + 1, then 1 * 10 + 2.
  EXPECT_TRUE(Matches(Select(3, "{1, 9, 1}", 2, "{1, 2}", 0, "size=2"), Value("f32[3]", "{0, 12, 0}")));
  EXPECT_TRUE(Matches(Select(3, "{1, 9, 1}", 2, "{1, 2}", 5, "size=2"), Value("f32[3]", "{5, 512, 5}")));
}

TEST(SelectAndScatter, NansAsTheSelectSays) {
  EXPECT_TRUE(Matches(Select(2, "{2, nan}", 1, "{1}", 0, "size=2"), Value("f32[2]", "{0, 1}")));
  EXPECT_TRUE(Matches(Select(2, "{nan, 2}", 1, "{1}", 0, "size=2"), Value("f32[2]", "{0, 1}")));
}

TEST(SelectAndScatter, AWindowInPaddingChoosesNothing) {
  EXPECT_TRUE(Matches(Select(2, "{1, 2}", 3, "{7, 8, 9}", 0, "size=1 pad=1_0"), Value("f32[2]", "{8, 9}")));
}

TEST(Scan, RunningSumsBothWays) {
  constexpr std::string_view kForm = R"(
    step {{
      x = s32[] parameter(0) c = s32[] parameter(1)
      s = s32[] add(x, c)
      ROOT r = (s32[], s32[]) tuple(s, s)
    }}
    ENTRY e {{
      x = s32[4] constant({{1, 2, 3, 4}})
      i = s32[] constant(100)
      ROOT s = (s32[4], s32[]) scan(x, i), dimensions={{0}}, num_carries=1, is_reverse={}, to_apply=step
    }})";
  EXPECT_TRUE(Matches(EvaluateText(fmt::format(kForm, "false")),
                      Literal::Tuple({Value("s32[4]", "{101, 103, 106, 110}"), Value("s32[]", "110")})));
  EXPECT_TRUE(Matches(EvaluateText(fmt::format(kForm, "true")),
                      Literal::Tuple({Value("s32[4]", "{110, 109, 107, 104}"), Value("s32[]", "110")})));
}

TEST(Scan, SlicesOfAnInnerDimension) {
  EXPECT_TRUE(
      Matches(EvaluateText(R"(
    step {
      x = s32[2] parameter(0) c = s32[2] parameter(1)
      s = s32[2] add(x, c)
      ROOT r = (s32[2], s32[2]) tuple(s, s)
    }
    ENTRY e {
      x = s32[2,3] constant({{1, 2, 3}, {10, 20, 30}})
      i = s32[2] constant({0, 0})
      ROOT s = (s32[2,3], s32[2]) scan(x, i), dimensions={1}, num_carries=1, to_apply=step
    })"),
              Literal::Tuple({Value("s32[2,3]", "{{1, 3, 6}, {10, 30, 60}}"), Value("s32[2]", "{6, 60}")})));
}

}  // namespace
}  // namespace subfloor::evaluator_testing
