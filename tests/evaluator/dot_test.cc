#include <fmt/format.h>

#include "evaluate_text.h"

namespace subfloor::evaluator_testing {
namespace {

TEST(Dot, MatrixProduct) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = f32[2,3] constant({{1, 2, 3}, {4, 5, 6}})
    b = f32[3,2] constant({{1, 2}, {3, 4}, {5, 6}})
    ROOT c = f32[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  })"),
                      Value("f32[2,2]", "{{22, 28}, {49, 64}}")));
}

TEST(Dot, ResultIsBatchThenFreeDimensions) {
  // lhs is [b, k, m], rhs is [n, b, k]; the result is [b, m, n].
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = f32[2,2,1] constant({{{1}, {2}}, {{3}, {4}}})
    b = f32[2,2,2] constant({{{1, 10}, {1, 10}}, {{100, 1000}, {2, 3}}})
    ROOT c = f32[2,1,2] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={1}, rhs_contracting_dims={2}
  })"),
                      Value("f32[2,1,2]", "{{{21, 2100}}, {{43, 18}}}")));
}

TEST(Dot, NoContractionIsAnOuterProduct) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = s32[2] constant({1, 2})
    b = s32[3] constant({3, 4, 5})
    ROOT c = s32[2,3] dot(a, b)
  })"),
                      Value("s32[2,3]", "{{3, 4, 5}, {6, 8, 10}}")));
}

TEST(Dot, IntegersWrapAtTheResultsWidth) {
  const char* form = R"(ENTRY e {{
    a = {0}[2] constant({{100, 100}})
    b = {0}[2] constant({{2, 2}})
    ROOT c = {1}[] dot(a, b), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}
  }})";
  EXPECT_TRUE(Matches(EvaluateText(fmt::format(fmt::runtime(form), "s8", "s8")), Value("s8[]", "-112")));
  EXPECT_TRUE(Matches(EvaluateText(fmt::format(fmt::runtime(form), "s8", "s32")), Value("s32[]", "400")));
  EXPECT_TRUE(Matches(EvaluateText(fmt::format(fmt::runtime(form), "u8", "u8")), Value("u8[]", "144")));
}

TEST(Dot, SumsAreWideAndRoundOnce) {
  // bf16 steps by 2 at 256, so that each 1 alone would be lost.
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = bf16[3] constant({256, 1, 1})
    b = bf16[3] constant({1, 1, 1})
    ROOT c = bf16[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  })"),
                      Value("bf16[]", "258")));
  // A sum that leaves f32 and comes back.
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = f32[3] constant({3e38, 3e38, -3e38})
    b = f32[3] constant({1, 1, 1})
    ROOT c = f32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  })"),
                      Value("f32[]", "3e38")));
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = f64[3] constant({1e16, 1, -1e16})
    b = f64[3] constant({1, 1, 1})
    ROOT c = f64[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  })"),
                      Value("f64[]", "1")));
}

TEST(Dot, MixedTypes) {
  // Integers become numbers of the result's type; floats of another width are taken exactly.
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = s32[2] constant({1, 2})
    b = bf16[2] constant({0.5, 0.25})
    ROOT c = f32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  })"),
                      Value("f32[]", "1")));
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = c64[1] constant({(1, 2)})
    b = c64[1] constant({(3, 4)})
    ROOT c = c64[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  })"),
                      Value("c64[]", "(-5, 10)")));
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = pred[2] constant({1, 1})
    b = pred[2,2] constant({{1, 0}, {1, 0}})
    ROOT c = pred[2] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  })"),
                      Value("pred[2]", "{1, 0}")));
}

TEST(Dot, AnEmptySumIsZero) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = f32[2,0] constant({{}, {}})
    b = f32[0,2] constant({})
    ROOT c = f32[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  })"),
                      Value("f32[2,2]", "{{0, 0}, {0, 0}}")));
}

TEST(Dot, ManyDimensionsAgreeWithAPlainLoop) {
  const Literal a =
      EvaluateText("ENTRY e { i = s32[60] iota(), iota_dimension=0 ROOT r = s32[3,4,5] reshape(i) }");
  const Literal b =
      EvaluateText("ENTRY e { i = s32[120] iota(), iota_dimension=0 ROOT r = s32[5,6,4] reshape(i) }");
  const Literal c = EvaluateText(R"(ENTRY e {
    a = s32[3,4,5] parameter(0)
    b = s32[5,6,4] parameter(1)
    ROOT c = s32[3,6] dot(a, b), lhs_contracting_dims={1,2}, rhs_contracting_dims={2,0}
  })",
                                 {a, b});
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 6; ++j) {
      int32_t sum = 0;
      for (int64_t k = 0; k < 4; ++k) {
        for (int64_t l = 0; l < 5; ++l) {
          sum += a.data<int32_t>()[static_cast<size_t>((i * 4 + k) * 5 + l)] *
                 b.data<int32_t>()[static_cast<size_t>((l * 6 + j) * 4 + k)];
        }
      }
      EXPECT_EQ(c.data<int32_t>()[static_cast<size_t>(i * 6 + j)], sum);
    }
  }
}

TEST(RaggedDot, FreeDimension) {
  // The last row lies beyond both groups: 0, and no infinity times 0.
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = f32[4,1] constant({{1}, {2}, {3}, {4}})
    b = f32[2,1,1] constant({{{10}}, {{inf}}})
    g = s32[2] constant({2, 1})
    ROOT c = f32[4,1] ragged-dot(a, b, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}
  })"),
                      Value("f32[4,1]", "{{10}, {20}, {inf}, {0}}")));
}

TEST(RaggedDot, ContractingDimension) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = f32[1,4] constant({{1, 2, 3, 4}})
    b = f32[4,1] constant({{10}, {10}, {10}, {10}})
    g = s64[3] constant({2, 0, 1})
    ROOT c = f32[3,1,1] ragged-dot(a, b, g), lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}
  })"),
                      Value("f32[3,1,1]", "{{{30}}, {{0}}, {{30}}}")));
}

TEST(RaggedDot, GroupSizesPerOuterRow) {
  // Each of the two outer rows cuts its two positions in its own way.
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = f32[2,2,1] constant({{{1}, {2}}, {{3}, {4}}})
    b = f32[2,1,1] constant({{{10}}, {{100}}})
    g = s32[2,2] constant({{1, 1}, {0, 2}})
    ROOT c = f32[2,2,1] ragged-dot(a, b, g), lhs_contracting_dims={2}, rhs_contracting_dims={1}, lhs_ragged_dims={1}, rhs_group_dims={0}
  })"),
                      Value("f32[2,2,1]", "{{{10}, {200}}, {{300}, {400}}}")));
}

TEST(RaggedDot, BatchDimensionIsAPlainDot) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = f32[2,1,1] constant({{{1}}, {{2}}})
    b = f32[2,1,1] constant({{{10}}, {{100}}})
    g = s32[1] constant({1})
    ROOT c = f32[2,1,1] ragged-dot(a, b, g), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}, lhs_ragged_dims={0}
  })"),
                      Value("f32[2,1,1]", "{{{10}}, {{200}}}")));
}

TEST(ScaledDot, BlocksAreScaled) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = f8e4m3fn[1,4] constant({{1, 1, 1, 3}})
    b = f8e4m3fn[4,1] constant({{1}, {1}, {1}, {1}})
    s = f8e8m0fnu[1,2] constant({{2, 4}})
    t = f8e8m0fnu[] constant(1)
    ROOT c = f32[1,1] scaled-dot(a, b, s, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  })"),
                      Value("f32[1,1]", "{{20}}")));
}

}  // namespace
}  // namespace subfloor::evaluator_testing
