#include <fmt/format.h>

#include "evaluate_text.h"

namespace subfloor::evaluator_testing {
namespace {

// The input 1 2 3 4 under the kernel 1 10.
Literal Convolve(std::string_view window, int64_t size) {
  return EvaluateText(fmt::format(R"(ENTRY e {{
    a = f32[1,4,1] constant({{ {{ {{1}}, {{2}}, {{3}}, {{4}} }} }})
    k = f32[2,1,1] constant({{ {{ {{1}} }}, {{ {{10}} }} }})
    c = f32[1,{0},1] convolution(a, k), window={{{1}}}, dim_labels=b0f_0io->b0f
    ROOT r = f32[{0}] reshape(c)
  }})",
                                  size, window));
}

TEST(Convolution, Windows) {
  EXPECT_TRUE(Matches(Convolve("size=2", 3), Value("f32[3]", "{21, 32, 43}")));
  EXPECT_TRUE(Matches(Convolve("size=2 rhs_reversal=1", 3), Value("f32[3]", "{12, 23, 34}")));
  EXPECT_TRUE(Matches(Convolve("size=2 stride=2 pad=1_0", 2), Value("f32[2]", "{10, 32}")));
  EXPECT_TRUE(Matches(Convolve("size=2 lhs_dilate=2", 6), Value("f32[6]", "{1, 20, 2, 30, 3, 40}")));
  EXPECT_TRUE(Matches(Convolve("size=2 rhs_dilate=2", 2), Value("f32[2]", "{31, 42}")));
  EXPECT_TRUE(Matches(Convolve("size=2 pad=-1_-1", 1), Value("f32[1]", "{32}")));
  EXPECT_TRUE(Matches(Convolve("size=2 pad=0_2", 5), Value("f32[5]", "{21, 32, 43, 4, 0}")));
}

TEST(Convolution, FeatureGroups) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = f32[1,1,4] constant({{{1, 2, 3, 4}}})
    k = f32[1,2,2] constant({{{1, 10}, {100, 1000}}})
    ROOT c = f32[1,1,2] convolution(a, k), window={size=1}, dim_labels=b0f_0io->b0f, feature_group_count=2
  })"),
                      Value("f32[1,1,2]", "{{{201, 4030}}}")));
}

TEST(Convolution, BatchGroups) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = f32[2,1,1] constant({{{1}}, {{2}}})
    k = f32[1,1,2] constant({{{10, 100}}})
    ROOT c = f32[1,1,2] convolution(a, k), window={size=1}, dim_labels=b0f_0io->b0f, batch_group_count=2
  })"),
                      Value("f32[1,1,2]", "{{{10, 200}}}")));
}

TEST(Convolution, AnyOrderOfDimensions) {
  // Two spatial dimensions in swapped order, features first, batch last. Input rows (y) 1 2 / 3 4.
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = f32[1,2,2,1] constant({{{{1}, {3}}, {{2}, {4}}}})
    k = f32[1,2,1,1] constant({{{{1}}, {{10}}}})
    ROOT c = f32[2,1,1,1] convolution(a, k), window={size=1x2}, dim_labels=f10b_o1i0->0b1f
  })")
                          .Reshaped(Shape::ArrayOf(ElementType::kF32, {2})),
                      Value("f32[2]", "{21, 43}")));
}

TEST(Convolution, NoSpatialDimensionsIsAMatrixProduct) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = f32[1,2] constant({{1, 2}})
    k = f32[2,2] constant({{1, 10}, {100, 1000}})
    ROOT c = f32[1,2] convolution(a, k), dim_labels=bf_io->bf
  })"),
                      Value("f32[1,2]", "{{201, 2010}}")));
}

TEST(Convolution, NarrowTypes) {
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = s8[1,2,1] constant({{{100}, {100}}})
    k = s8[2,1,1] constant({{{2}}, {{2}}})
    ROOT c = s8[1,1,1] convolution(a, k), window={size=2}, dim_labels=b0f_0io->b0f
  })"),
                      Value("s8[1,1,1]", "{{{-112}}}")));
  EXPECT_TRUE(Matches(EvaluateText(R"(ENTRY e {
    a = bf16[1,3,1] constant({{{256}, {1}, {1}}})
    k = bf16[3,1,1] constant({{{1}}, {{1}}, {{1}}})
    ROOT c = bf16[1,1,1] convolution(a, k), window={size=3}, dim_labels=b0f_0io->b0f
  })"),
                      Value("bf16[1,1,1]", "{{{258}}}")));
}

}  // namespace
}  // namespace subfloor::evaluator_testing
