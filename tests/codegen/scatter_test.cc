#include <gtest/gtest.h>

#include "codegen/kernel_harness.h"

namespace subfloor::codegen::testing {
namespace {

constexpr const char* kAdd =
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) } ";
constexpr const char* kSet = "set { a = f32[] parameter(0) ROOT b = f32[] parameter(1) } ";
const RunSettings kScatter{.emitter = dispatch::EmitterKind::kScatter, .in_place = {}};

TEST(Scatter, RowsWithDuplicatesAndRowsOutside) {
  for (const char* reducer : {"add", "set"}) {
    ExpectAgrees(
        fmt::format(
            R"({}{}ENTRY e {{ x = f32[9,20] parameter(0) i = s32[14,1] parameter(1) u = f32[14,20] parameter(2)
      ROOT r = f32[9,20] scatter(x, i, u), update_window_dims={{1}}, inserted_window_dims={{0}}, scatter_dims_to_operand_dims={{0}},
      index_vector_dim=1, to_apply={} }})",
            kAdd, kSet, reducer),
        {.atol = 1e-5}, kScatter, {.int_min = -2, .int_max = 11});
  }
}

TEST(Scatter, AWindowPartlyOutsideIsLeftOut) {
  ExpectAgrees(
      fmt::format(R"({}ENTRY e {{ x = f32[30] parameter(0) i = s32[7] parameter(1) u = f32[7,4] parameter(2)
    ROOT r = f32[30] scatter(x, i, u), update_window_dims={{1}}, inserted_window_dims={{}}, scatter_dims_to_operand_dims={{0}},
    index_vector_dim=1, to_apply=add }})",
                  kAdd),
      {.atol = 1e-5}, kScatter, {.int_min = -4, .int_max = 34});
}

TEST(Scatter, PointsInPlace) {
  RunSettings settings = kScatter;
  settings.in_place = {{0, 0}};
  ExpectAgrees(
      fmt::format(R"({}ENTRY e {{ x = f32[6,8] parameter(0) i = u8[40,2] parameter(1) u = f32[40] parameter(2)
    ROOT r = f32[6,8] scatter(x, i, u), update_window_dims={{}}, inserted_window_dims={{0,1}}, scatter_dims_to_operand_dims={{1,0}},
    index_vector_dim=1, to_apply=add }})",
                  kAdd),
      {.atol = 1e-5}, settings, {.int_min = 0, .int_max = 9});
}

TEST(Scatter, TwoOperandsAtOnce) {
  ExpectAgrees(
      R"(f { a = f32[] parameter(0) b = s32[] parameter(1) c = f32[] parameter(2) d = s32[] parameter(3)
    m = f32[] maximum(a, c) s = s32[] add(b, d) ROOT t = (f32[], s32[]) tuple(m, s) }
    ENTRY e { x = f32[9] parameter(0) y = s32[9] parameter(1) i = s32[20,1] parameter(2) u = f32[20] parameter(3) v = s32[20] parameter(4)
    ROOT r = (f32[9], s32[9]) scatter(x, y, i, u, v), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
    index_vector_dim=1, to_apply=f })",
      {}, kScatter, {.int_min = -1, .int_max = 9});
}

}  // namespace
}  // namespace subfloor::codegen::testing
