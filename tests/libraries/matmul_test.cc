#include "libraries/matmul.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace subfloor::libraries {
namespace {

using ::testing::HasSubstr;

/// Sets an environment variable for one scope.
class Forced {
 public:
  explicit Forced(const char* variant) { setenv("SUBFLOOR_MATMUL", variant, 1); }
  ~Forced() { unsetenv("SUBFLOOR_MATMUL"); }
};

void RunAll(const Matmul& matmul, const void* lhs, const void* rhs, void* out) {
  for (int64_t tile = 0; tile < matmul.tile_count(); ++tile) EXPECT_TRUE(matmul.RunTile(tile, lhs, rhs, out));
}

// Small whole numbers, so that every sum is exact and any order of it gives the same.
template <typename T>
std::vector<T> Numbers(int64_t count, uint32_t seed) {
  std::vector<T> values(static_cast<size_t>(count));
  for (T& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<T>(static_cast<int>(seed >> 24 & 7) - 3);
  }
  return values;
}

template <typename T>
std::vector<T> Reference(const MatmulDescription& given, const std::vector<T>& lhs, const std::vector<T>& rhs,
                         std::vector<T> out) {
  const MatmulDescription d = given.WithStrides();
  for (int64_t b = 0; b < d.batch; ++b)
    for (int64_t i = 0; i < d.m; ++i)
      for (int64_t j = 0; j < d.n; ++j) {
        T sum = 0;
        for (int64_t p = 0; p < d.k; ++p)
          sum +=
              lhs[static_cast<size_t>(b * d.lhs_batch_stride + (d.transpose_lhs
                                                                    ? p * d.lhs_row_stride + i
                                                                    : i * d.lhs_row_stride + p))] *
              rhs[static_cast<size_t>(b * d.rhs_batch_stride + (d.transpose_rhs ? j * d.rhs_row_stride + p
                                                                                : p * d.rhs_row_stride + j))];
        out[static_cast<size_t>(b * d.out_batch_stride + i * d.out_row_stride + j)] = sum;
      }
  return out;
}

template <typename T>
void Check(const MatmulDescription& d, const char* variant) {
  const MatmulDescription s = d.WithStrides();
  auto extent = [](int64_t batch, int64_t batch_stride, int64_t rows, int64_t row_stride) {
    return (batch - 1) * batch_stride + rows * row_stride + 1;
  };
  auto lhs =
      Numbers<T>(extent(s.batch, s.lhs_batch_stride, s.transpose_lhs ? s.k : s.m, s.lhs_row_stride), 1);
  auto rhs =
      Numbers<T>(extent(s.batch, s.rhs_batch_stride, s.transpose_rhs ? s.n : s.k, s.rhs_row_stride), 2);
  std::vector<T> out(static_cast<size_t>(extent(s.batch, s.out_batch_stride, s.m, s.out_row_stride)),
                     static_cast<T>(77));
  Forced forced(variant);
  auto matmul = Matmul::Create(d);
  ASSERT_TRUE(matmul) << matmul.error().ToString();
  EXPECT_EQ((*matmul)->variant(), variant);
  const std::vector<T> expected = Reference(d, lhs, rhs, out);
  RunAll(**matmul, lhs.data(), rhs.data(), out.data());
  // Whole buffers: what lies between rows must not be touched.
  EXPECT_TRUE(out == expected) << variant << " " << d.ToString();
}

template <typename T>
void CheckShapes(ElementType type, const char* variant) {
  const int64_t sizes[][3] = {{1, 1, 1},     {3, 5, 7},      {6, 16, 256},  {7, 17, 257},  {13, 33, 600},
                              {1, 100, 70},  {100, 1, 70},   {4, 37, 1030}, {2, 16, 2100}, {5, 9, 3},
                              {50, 70, 300}, {200, 530, 30}, {12, 160, 40}, {1, 700, 9},   {700, 1, 9},
                              {31, 15, 1},   {3, 3, 0}};
  for (auto [m, n, k] : sizes)
    for (int form = 0; form < 4; ++form) {
      MatmulDescription d{.batch = 2,
                          .m = m,
                          .n = n,
                          .k = k,
                          .lhs_type = type,
                          .rhs_type = type,
                          .out_type = type,
                          .transpose_lhs = (form & 1) != 0,
                          .transpose_rhs = (form & 2) != 0};
      Check<T>(d, variant);
      d.lhs_row_stride = (d.transpose_lhs ? m : k) + 3;
      d.rhs_row_stride = (d.transpose_rhs ? k : n) + 5;
      d.out_row_stride = n + 2;
      d.rhs_batch_stride = 0;
      Check<T>(d, variant);
    }
}

TEST(Matmul, NativeF32) { CheckShapes<float>(ElementType::kF32, "native"); }
TEST(Matmul, NativeF64) { CheckShapes<double>(ElementType::kF64, "native"); }
TEST(Matmul, NativeS32) { CheckShapes<int32_t>(ElementType::kS32, "native"); }
TEST(Matmul, OneDnnF32) { CheckShapes<float>(ElementType::kF32, "onednn"); }
TEST(Matmul, EigenF32) { CheckShapes<float>(ElementType::kF32, "eigen"); }
TEST(Matmul, EigenC64) { CheckShapes<std::complex<float>>(ElementType::kC64, "eigen"); }
TEST(Matmul, EigenC128) { CheckShapes<std::complex<double>>(ElementType::kC128, "eigen"); }

TEST(Matmul, ManySmallMatricesShareATile) {
  MatmulDescription d{.batch = 1001, .m = 4, .n = 4, .k = 4};
  Check<float>(d, "native");
  EXPECT_LE((*Matmul::Create(d))->tile_count(), 10);
}

TEST(Matmul, IntegersWrap) {
  MatmulDescription d{.m = 1,
                      .n = 1,
                      .k = 2,
                      .lhs_type = ElementType::kS32,
                      .rhs_type = ElementType::kS32,
                      .out_type = ElementType::kS32};
  const int32_t lhs[] = {1 << 30, 65536}, rhs[] = {4, 65537};
  int32_t out = -1;
  RunAll(**Matmul::Create(d), lhs, rhs, &out);
  EXPECT_EQ(out, 65536);  // 2^32 + 2^32 + 2^16
}

TEST(Matmul, BytesToS32) {
  constexpr int64_t m = 9, n = 21, k = 300;
  std::vector<int8_t> lhs(m * k), rhs(k * n);
  for (size_t i = 0; i < lhs.size(); ++i) lhs[i] = static_cast<int8_t>(i * 37);
  for (size_t i = 0; i < rhs.size(); ++i) rhs[i] = static_cast<int8_t>(i * 91 + 5);
  for (bool is_unsigned : {false, true}) {
    const ElementType rhs_type = is_unsigned ? ElementType::kU8 : ElementType::kS8;
    MatmulDescription d{.m = m,
                        .n = n,
                        .k = k,
                        .lhs_type = ElementType::kS8,
                        .rhs_type = rhs_type,
                        .out_type = ElementType::kS32};
    std::vector<int32_t> out(m * n);
    RunAll(**Matmul::Create(d), lhs.data(), rhs.data(), out.data());
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        int32_t sum = 0;
        for (int64_t p = 0; p < k; ++p) {
          const int8_t b = rhs[static_cast<size_t>(p * n + j)];
          sum += lhs[static_cast<size_t>(i * k + p)] *
                 (is_unsigned ? static_cast<int>(static_cast<uint8_t>(b)) : b);
        }
        ASSERT_EQ(out[static_cast<size_t>(i * n + j)], sum) << i << " " << j;
      }
  }
}

uint16_t BF16(float value) {  // exact values only
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return static_cast<uint16_t>(bits >> 16);
}

// 256 + 1 + 1 is 258 in f32 and in bf16 (8 significant bits: steps of 2); summed in bf16 each 1 would be
// lost.
TEST(Matmul, HalvesAccumulateInF32AndRoundOnce) {
  const uint16_t lhs[] = {BF16(256), BF16(1), BF16(1)}, rhs[] = {BF16(1), BF16(1), BF16(1)};
  MatmulDescription d{.m = 1,
                      .n = 1,
                      .k = 3,
                      .lhs_type = ElementType::kBF16,
                      .rhs_type = ElementType::kBF16,
                      .out_type = ElementType::kBF16};
  uint16_t out = 0;
  RunAll(**Matmul::Create(d), lhs, rhs, &out);
  EXPECT_EQ(out, BF16(258));
  // 257 lies in the middle of 256 and 258: to even.
  const uint16_t tie[] = {BF16(256), BF16(1), BF16(0)};
  RunAll(**Matmul::Create(d), tie, rhs, &out);
  EXPECT_EQ(out, BF16(256));
  d.out_type = ElementType::kF32;
  float wide = 0;
  RunAll(**Matmul::Create(d), tie, rhs, &wide);
  EXPECT_EQ(wide, 257.0f);
}

// f16: 1.0 = 0x3c00, 2^-14 * 2^-10 is the smallest subnormal 0x0001, 65504 = 0x7bff.
TEST(Matmul, F16EndsOfTheRange) {
  MatmulDescription d{.m = 1,
                      .n = 4,
                      .k = 1,
                      .lhs_type = ElementType::kF16,
                      .rhs_type = ElementType::kF16,
                      .out_type = ElementType::kF16};
  const uint16_t one = 0x3c00, two = 0x4000;
  const uint16_t rhs[] = {0x0001, 0x7bff, 0x7c00, 0xbc00};
  uint16_t out[4];
  RunAll(**Matmul::Create(d), &one, rhs, out);
  EXPECT_THAT(out, ::testing::ElementsAreArray(rhs));
  RunAll(**Matmul::Create(d), &two, rhs, out);
  EXPECT_THAT(out, ::testing::ElementsAre(0x0002, 0x7c00, 0x7c00, 0xc000));
}

TEST(Matmul, HalvesInEveryForm) {
  for (int64_t m : {1, 3, 20})
    for (int form = 0; form < 4; ++form) {
      MatmulDescription f{
          .m = m, .n = 37, .k = 270, .transpose_lhs = (form & 1) != 0, .transpose_rhs = (form & 2) != 0};
      auto lhs = Numbers<float>(m * 270, 3), rhs = Numbers<float>(270 * 37, 4);
      std::vector<uint16_t> lhs16, rhs16;
      for (float x : lhs) lhs16.push_back(BF16(x));
      for (float x : rhs) rhs16.push_back(BF16(x));
      std::vector<float> expected = Reference(f, lhs, rhs, std::vector<float>(static_cast<size_t>(m * 37)));
      f.lhs_type = f.rhs_type = ElementType::kBF16;
      std::vector<float> out(expected.size());
      RunAll(**Matmul::Create(f), lhs16.data(), rhs16.data(), out.data());
      EXPECT_EQ(out, expected) << f.ToString();
    }
}

TEST(Matmul, NoFlushAndNaN) {
  MatmulDescription d{.m = 2, .n = 1, .k = 1};
  const float lhs[] = {1e-40f, std::numeric_limits<float>::quiet_NaN()}, rhs[] = {1};
  float out[2];
  RunAll(**Matmul::Create(d), lhs, rhs, out);
  EXPECT_EQ(out[0], 1e-40f);
  EXPECT_TRUE(out[1] != out[1]);
}

TEST(Matmul, WhatNobodyTakes) {
  decision::Log log;
  MatmulDescription d{
      .lhs_type = ElementType::kF8E5M2, .rhs_type = ElementType::kF8E5M2, .out_type = ElementType::kF32};
  EXPECT_FALSE(CanTakeMatmul(d, &log, 5));
  ASSERT_EQ(log.records().size(), 1u);
  EXPECT_EQ(log.records()[0].fact, decision::Fact::kTypeNotTaken);
  EXPECT_EQ(log.records()[0].instruction, 5);
  EXPECT_EQ(Matmul::Create(d).error().kind(), ErrorKind::kNotSupported);
  MatmulDescription overlap{.m = 2, .n = 3, .k = 4, .lhs_row_stride = 3};
  EXPECT_FALSE(CanTakeMatmul(overlap, &log));
  EXPECT_EQ(log.records()[1].fact, decision::Fact::kFormNotTaken);
  EXPECT_TRUE(CanTakeMatmul(MatmulDescription{.m = 2, .n = 3, .k = 4}, &log));
  EXPECT_FALSE(Matmul::Create(MatmulDescription{.m = -1}));
}

TEST(Matmul, VariantsByName) {
  EXPECT_THAT(ListMatmulVariants(), HasSubstr("native"));
  EXPECT_THAT(ListMatmulVariants(), HasSubstr("onednn"));
  {
    Forced forced("mkl");
    EXPECT_THAT(Matmul::Create({}).error().message(), HasSubstr("names no variant"));
  }
  Forced forced("onednn");
  EXPECT_EQ(Matmul::Create(
                {.lhs_type = ElementType::kF64, .rhs_type = ElementType::kF64, .out_type = ElementType::kF64})
                .error()
                .kind(),
            ErrorKind::kNotSupported);
}

TEST(Matmul, TilesDependOnTheShapeOnlyAndAreMany) {
  EXPECT_GE((*Matmul::Create({.m = 1024, .n = 1024, .k = 1024}))->tile_count(), 16);
  EXPECT_GE((*Matmul::Create({.m = 1, .n = 4096, .k = 4096}))->tile_count(), 4);
  EXPECT_EQ((*Matmul::Create({.m = 16, .n = 16, .k = 16}))->tile_count(), 1);
  EXPECT_EQ((*Matmul::Create({.m = 0, .n = 16, .k = 16}))->tile_count(), 0);
}

}  // namespace
}  // namespace subfloor::libraries
