#include <gtest/gtest.h>

#include "codegen/kernel_harness.h"

namespace subfloor::codegen::testing {
namespace {

constexpr CompareOptions kSum{.max_ulp = 16, .rtol = 1e-5, .atol = 2e-5};
constexpr const char* kAdd =
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) } ";
constexpr const char* kMax =
    "max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) } ";

TEST(Dot, Forms) {
  ExpectAgrees(
      "ENTRY e { a = f32[7,30] parameter(0) b = f32[30,21] parameter(1) ROOT r = f32[7,21] dot(a, b), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
      kSum);
  ExpectAgrees(
      "ENTRY e { a = f32[7,30] parameter(0) b = f32[21,30] parameter(1) ROOT r = f32[7,21] dot(a, b), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={1} }",
      kSum);
  ExpectAgrees(R"(ENTRY e { a = f32[3,7,5,4] parameter(0) b = f32[4,3,9,7] parameter(1)
    ROOT r = f32[3,5,9] dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={3,1}, rhs_batch_dims={1}, rhs_contracting_dims={0,3} })",
               kSum);
  ExpectAgrees(
      "ENTRY e { a = f32[30] parameter(0) b = f32[30] parameter(1) ROOT r = f32[] dot(a, b), "
      "lhs_contracting_dims={0}, rhs_contracting_dims={0} }",
      kSum);
}

TEST(Dot, IntegersWrapAtTheResultsWidth) {
  ExpectAgrees(
      "ENTRY e { a = s8[4,50] parameter(0) b = s8[50,20] parameter(1) ROOT r = s8[4,20] dot(a, b), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
      {}, {}, {.int_min = -100, .int_max = 100});
  ExpectAgrees(
      "ENTRY e { a = s8[4,50] parameter(0) b = s8[50,20] parameter(1) ROOT r = s32[4,20] dot(a, b), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
      {}, {}, {.int_min = -100, .int_max = 100});
}

TEST(Dot, NarrowFloatsAccumulateInF32) {
  ExpectAgrees(
      "ENTRY e { a = bf16[4,50] parameter(0) b = bf16[50,20] parameter(1) ROOT r = bf16[4,20] dot(a, b), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0} }",
      {.max_ulp = 1, .atol = 1e-6});
}

TEST(Convolution, PlainStridedDilatedReversed) {
  ExpectAgrees(R"(ENTRY e { x = f32[2,9,8,3] parameter(0) k = f32[3,2,3,18] parameter(1)
    ROOT r = f32[2,9,8,18] convolution(x, k), window={size=3x2 pad=1_1x0_1}, dim_labels=b01f_01io->b01f })",
               kSum);
  ExpectAgrees(R"(ENTRY e { x = f32[2,3,9,8] parameter(0) k = f32[5,3,3,2] parameter(1)
    ROOT r = f32[2,5,4,3] convolution(x, k), window={size=3x2 stride=2x3 rhs_dilate=1x2}, dim_labels=bf01_oi01->bf01 })",
               kSum);
  ExpectAgrees(R"(ENTRY e { x = f32[2,7,3] parameter(0) k = f32[3,3,4] parameter(1)
    ROOT r = f32[2,13,4] convolution(x, k), window={size=3 pad=1_1 lhs_dilate=2 rhs_reversal=1}, dim_labels=b0f_0io->b0f })",
               kSum);
}

TEST(Convolution, Groups) {
  ExpectAgrees(R"(ENTRY e { x = f32[2,7,6] parameter(0) k = f32[3,2,9] parameter(1)
    ROOT r = f32[2,5,9] convolution(x, k), window={size=3}, dim_labels=b0f_0io->b0f, feature_group_count=3 })",
               kSum);
  ExpectAgrees(R"(ENTRY e { x = f32[6,7,2] parameter(0) k = f32[3,2,9] parameter(1)
    ROOT r = f32[2,5,9] convolution(x, k), window={size=3}, dim_labels=b0f_0io->b0f, batch_group_count=3 })",
               kSum);
}

TEST(ReduceWindow, Pools) {
  ExpectAgrees(fmt::format(R"({}ENTRY e {{ x = f32[2,9,8,20] parameter(0) z = f32[] constant(-inf)
    ROOT r = f32[2,5,4,20] reduce-window(x, z), window={{size=1x3x2x1 stride=1x2x2x1 pad=0_0x1_1x0_0x0_0}}, to_apply=max }})",
                           kMax));
  ExpectAgrees(fmt::format(R"({}ENTRY e {{ x = f32[40] parameter(0) z = f32[] constant(0)
    ROOT r = f32[40] reduce-window(x, z), window={{size=40 pad=39_0}}, to_apply=add }})",
                           kAdd),
               kSum);
  ExpectAgrees(fmt::format(R"({}ENTRY e {{ x = f32[3,40] parameter(0) z = f32[] parameter(1)
    ROOT r = f32[3,38] reduce-window(x, z), window={{size=1x3}}, to_apply=add }})",
                           kAdd),
               kSum);
  ExpectAgrees(fmt::format(R"({}ENTRY e {{ x = f32[10] parameter(0) z = f32[] parameter(1)
    ROOT r = f32[9] reduce-window(x, z), window={{size=3 pad=-1_2 lhs_dilate=2 rhs_dilate=2 stride=2}}, to_apply=add }})",
                           kAdd),
               kSum);
}

}  // namespace
}  // namespace subfloor::codegen::testing
