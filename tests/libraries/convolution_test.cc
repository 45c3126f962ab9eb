#include "libraries/convolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <vector>

namespace subfloor::libraries {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Dimension = ConvolutionDescription::Dimension;

// Small whole numbers: every sum is exact in f32, and nearly all in bf16.
std::vector<double> Numbers(int64_t count, uint32_t seed) {
  std::vector<double> values(static_cast<size_t>(count));
  for (double& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<int>(seed >> 24 & 3) - 1;
  }
  return values;
}

// By the definition: each output sums over all taps of its window.
std::vector<double> Reference(const ConvolutionDescription& d, const std::vector<double>& input,
                              const std::vector<double>& kernel) {
  Dimension s[3];
  for (int i = 0; i < d.spatial_rank; ++i) s[3 - d.spatial_rank + i] = d.spatial[static_cast<size_t>(i)];
  const int64_t group_in = d.in_features / d.groups, group_out = d.out_features / d.groups;
  std::vector<double> output;
  for (int64_t b = 0; b < d.batch; ++b)
    for (int64_t x = 0; x < s[0].output; ++x)
      for (int64_t y = 0; y < s[1].output; ++y)
        for (int64_t z = 0; z < s[2].output; ++z)
          for (int64_t o = 0; o < d.out_features; ++o) {
            double sum = 0;
            for (int64_t i = 0; i < s[0].kernel; ++i)
              for (int64_t j = 0; j < s[1].kernel; ++j)
                for (int64_t l = 0; l < s[2].kernel; ++l) {
                  const int64_t out[] = {x, y, z}, tap[] = {i, j, l};
                  int64_t at[3];
                  bool inside = true;
                  for (int q = 0; q < 3; ++q) {
                    const int64_t p = out[q] * s[q].stride + tap[q] * s[q].window_dilation - s[q].pad_low;
                    inside = inside && p >= 0 && p % s[q].base_dilation == 0 &&
                             p / s[q].base_dilation < s[q].input;
                    at[q] = p / s[q].base_dilation;
                  }
                  if (!inside) continue;
                  for (int64_t c = 0; c < group_in; ++c)
                    sum +=
                        input[static_cast<size_t>(
                            (((b * s[0].input + at[0]) * s[1].input + at[1]) * s[2].input + at[2]) *
                                d.in_features +
                            o / group_out * group_in + c)] *
                        kernel[static_cast<size_t>(
                            (((i * s[1].kernel + j) * s[2].kernel + l) * group_in + c) * d.out_features + o)];
                }
            output.push_back(sum);
          }
  return output;
}

uint16_t ToBF16(double value) {
  const float f = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &f, 4);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <typename T>
T From(double value) {
  if constexpr (std::is_same_v<T, uint16_t>)
    return ToBF16(value);
  else
    return static_cast<T>(value);
}

template <typename T>
void CheckAs(ConvolutionDescription d, ElementType type, std::string_view variant) {
  d.type = d.out_type = type;
  const std::vector<double> input = Numbers(d.input_elements(), 1), kernel = Numbers(d.kernel_elements(), 2);
  std::vector<T> in, weights, expected;
  for (double x : input) in.push_back(From<T>(x));
  for (double x : kernel) weights.push_back(From<T>(x));
  for (double x : Reference(d, input, kernel)) expected.push_back(From<T>(x));
  std::vector<T> out(expected.size(), From<T>(-55));
  auto convolution = Convolution::Create(d);
  ASSERT_TRUE(convolution) << convolution.error().ToString();
  EXPECT_EQ((*convolution)->variant(), variant);
  for (int64_t tile = 0; tile < (*convolution)->tile_count(); ++tile)
    EXPECT_TRUE((*convolution)->RunTile(tile, in.data(), weights.data(), out.data()));
  EXPECT_TRUE(out == expected) << d.ToString();
}

void Check(std::vector<Dimension> spatial, int64_t batch, int64_t in, int64_t out, int64_t groups = 1,
           std::string_view variant = "implicit-gemm") {
  ConvolutionDescription d{.spatial_rank = static_cast<int>(spatial.size()),
                           .spatial = {},
                           .batch = batch,
                           .in_features = in,
                           .out_features = out,
                           .groups = groups};
  for (size_t i = 0; i < spatial.size(); ++i) {
    d.spatial[i] = spatial[i];
    d.spatial[i].output = d.spatial[i].ExpectedOutput();
  }
  CheckAs<float>(d, ElementType::kF32, variant);
  CheckAs<double>(d, ElementType::kF64, variant);
  CheckAs<uint16_t>(d, ElementType::kBF16, variant);
}

// 1 2 3 4 with a window of 2, stride 1: 1*10+2*1, 2*10+3*1, 3*10+4*1. The kernel is not flipped.
TEST(Convolution, ByHand) {
  ConvolutionDescription d{.spatial_rank = 1, .spatial = {Dimension{.input = 4, .kernel = 2, .output = 3}}};
  const float input[] = {1, 2, 3, 4}, kernel[] = {10, 1};
  float out[3];
  auto convolution = *Convolution::Create(d);
  ASSERT_EQ(convolution->tile_count(), 1);
  EXPECT_TRUE(convolution->RunTile(0, input, kernel, out));
  EXPECT_THAT(out, ElementsAre(12, 23, 34));
}

TEST(Convolution, OneDimension) {
  Check({{.input = 20, .kernel = 5}}, 2, 3, 4);
  Check({{.input = 20, .kernel = 3, .stride = 2, .pad_low = 1, .pad_high = 2}}, 2, 5, 17);
  Check({{.input = 7, .kernel = 9, .pad_low = 6, .pad_high = 5}}, 1, 1,
        1);  // the window is wider than the line
}

TEST(Convolution, TwoDimensions) {
  Check({{.input = 9, .kernel = 3, .pad_low = 1, .pad_high = 1},
         {.input = 11, .kernel = 3, .pad_low = 1, .pad_high = 1}},
        2, 16, 24);
  Check({{.input = 30, .kernel = 7, .stride = 2, .pad_low = 3, .pad_high = 3},
         {.input = 31, .kernel = 7, .stride = 2, .pad_low = 3, .pad_high = 3}},
        1, 3, 64);
  Check({{.input = 14, .kernel = 1}, {.input = 14, .kernel = 1}}, 2, 40, 33);  // pointwise
  Check({{.input = 14, .kernel = 1, .stride = 2}, {.input = 13, .kernel = 1, .stride = 2}}, 2, 40, 33);
  Check({{.input = 6, .kernel = 3}, {.input = 6, .kernel = 3}}, 1, 130, 20);  // more than one block of K
}

TEST(Convolution, ThreeDimensions) {
  Check({{.input = 4, .kernel = 2},
         {.input = 5, .kernel = 3, .pad_low = 1},
         {.input = 6, .kernel = 3, .stride = 2}},
        2, 4, 6);
}

TEST(Convolution, Dilations) {
  Check({{.input = 12, .kernel = 3, .window_dilation = 2}, {.input = 13, .kernel = 3, .window_dilation = 3}},
        1, 5, 7);
  Check({{.input = 5, .kernel = 3, .pad_low = 2, .pad_high = 2, .base_dilation = 2},
         {.input = 6, .kernel = 4, .pad_low = 1, .pad_high = 3, .base_dilation = 3}},
        2, 5, 7);
  Check({{.input = 5, .kernel = 2, .stride = 2, .pad_low = 1, .base_dilation = 3, .window_dilation = 2}}, 2,
        3, 3);
}

TEST(Convolution, NegativePaddingCrops) {
  Check({{.input = 10, .kernel = 3, .pad_low = -2, .pad_high = -1},
         {.input = 9, .kernel = 2, .pad_low = -1, .pad_high = 2}},
        1, 4, 5);
}

TEST(Convolution, Groups) {
  Check({{.input = 8, .kernel = 3, .pad_low = 1, .pad_high = 1},
         {.input = 8, .kernel = 3, .pad_low = 1, .pad_high = 1}},
        2, 12, 18, 3);
  Check({{.input = 8, .kernel = 3}, {.input = 8, .kernel = 3}}, 1, 6, 12, 6);  // two filters a channel
  Check({{.input = 5, .kernel = 1}, {.input = 5, .kernel = 1}}, 1, 8, 8, 2);
}

TEST(Convolution, Depthwise) {
  Check({{.input = 9, .kernel = 3, .pad_low = 1, .pad_high = 1},
         {.input = 9, .kernel = 3, .stride = 2, .pad_low = 1, .pad_high = 1}},
        2, 101, 101, 101, "depthwise");
  Check({{.input = 30, .kernel = 4, .pad_low = 3, .window_dilation = 1}}, 2, 64, 64, 64, "depthwise");
  Check({{.input = 6, .kernel = 3, .pad_low = 2, .base_dilation = 2},
         {.input = 6, .kernel = 3, .window_dilation = 2}},
        1, 7, 7, 7, "depthwise");
}

TEST(Convolution, EmptyOnes) {
  Check({{.input = 2, .kernel = 3}}, 1, 2, 2);
  Check({{.input = 5, .kernel = 3}}, 0, 2, 2);
  Check({{.input = 5, .kernel = 3}}, 1, 0, 2);  // sums of nothing
}

TEST(Convolution, WhatIsRefused) {
  ConvolutionDescription d{.spatial_rank = 1, .spatial = {Dimension{.input = 4, .kernel = 2, .output = 4}}};
  EXPECT_THAT(Convolution::Create(d).error().message(), HasSubstr("has size 4, the window gives 3"));
  decision::Log log;
  EXPECT_FALSE(CanTakeConvolution(d, &log));
  EXPECT_EQ(log.records()[0].fact, decision::Fact::kFormNotTaken);
  d.spatial[0].output = 3;
  EXPECT_TRUE(CanTakeConvolution(d, &log));
  d.type = d.out_type = ElementType::kS32;
  EXPECT_FALSE(CanTakeConvolution(d, &log));
  EXPECT_EQ(log.records()[2].fact, decision::Fact::kTypeNotTaken);
  EXPECT_EQ(Convolution::Create(d).error().kind(), ErrorKind::kNotSupported);
  d = {.in_features = 3, .groups = 2};
  EXPECT_THAT(Convolution::Create(d).error().message(), HasSubstr("2 groups do not divide 3"));
  d = {.spatial_rank = 4};
  EXPECT_EQ(Convolution::Create(d).error().kind(), ErrorKind::kNotSupported);
  setenv("SUBFLOOR_CONVOLUTION", "winograd", 1);
  EXPECT_THAT(Convolution::Create(ConvolutionDescription{}).error().message(), HasSubstr("names no variant"));
  unsetenv("SUBFLOOR_CONVOLUTION");
}

}  // namespace
}  // namespace subfloor::libraries
