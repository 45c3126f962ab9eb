#include <gtest/gtest.h>

#include "codegen/kernel_harness.h"

namespace subfloor::codegen::testing {
namespace {

TEST(Mover, Broadcast) {
  ExpectAgrees("ENTRY e { a = f32[7] parameter(0) ROOT r = f32[5,7,33] broadcast(a), dimensions={1} }");
  ExpectAgrees("ENTRY e { a = f32[33] parameter(0) ROOT r = f32[5,33] broadcast(a), dimensions={1} }");
  ExpectAgrees("ENTRY e { a = u8[] parameter(0) ROOT r = u8[5,33] broadcast(a), dimensions={} }");
}

TEST(Mover, ReshapeAndTranspose) {
  ExpectAgrees(
      "ENTRY e { a = f32[6,35] parameter(0) t = f32[35,6] transpose(a), dimensions={1,0} ROOT r = f32[5,42] "
      "reshape(t) }");
  ExpectAgrees(
      "ENTRY e { a = s16[3,4,50] parameter(0) ROOT t = s16[4,50,3] transpose(a), dimensions={1,2,0} }");
  ExpectAgrees("ENTRY e { a = c64[12,20] parameter(0) ROOT t = c64[20,12] transpose(a), dimensions={1,0} }");
}

TEST(Mover, TransposeByTiles) {
  for (const char* type : {"f32", "u8", "bf16", "f64"}) {
    for (int64_t workgroups : {1, 3}) {
      RunSettings settings;
      settings.max_workgroups = workgroups;
      ExpectAgrees(fmt::format("ENTRY e {{ a = {0}[3,70,150] parameter(0) t = {0}[150,3,70] transpose(a), "
                               "dimensions={{2,0,1}} ROOT r = {0}[150,3,70] negate(t) }}",
                               std::string(type) == "u8" ? "s8" : type),
                   {}, settings);
    }
  }
}

TEST(Mover, SliceAndReverse) {
  ExpectAgrees(
      "ENTRY e { a = f32[40,60] parameter(0) ROOT r = f32[5,18] slice(a), slice={[3:35:7], [2:56:3]} }");
  ExpectAgrees("ENTRY e { a = f32[4,60] parameter(0) ROOT r = f32[4,60] reverse(a), dimensions={1} }");
  ExpectAgrees("ENTRY e { a = s32[4,60] parameter(0) ROOT r = s32[4,60] reverse(a), dimensions={0,1} }");
}

TEST(Mover, Concatenate) {
  ExpectAgrees(R"(ENTRY e { a = f32[3,20] parameter(0) b = f32[5,20] parameter(1) c = f32[1,20] parameter(2)
    ROOT r = f32[9,20] concatenate(a, b, c), dimensions={0} })");
  ExpectAgrees(R"(ENTRY e { a = f32[6,17] parameter(0) b = f32[6,30] parameter(1) z = f32[6,0] parameter(2)
    k = f32[6,47] concatenate(a, z, b), dimensions={1} ROOT n = f32[6,47] negate(k) })");
}

TEST(Mover, Pad) {
  ExpectAgrees(
      "ENTRY e { a = f32[9,20] parameter(0) v = f32[] parameter(1) ROOT r = f32[14,25] pad(a, v), "
      "padding=2_3x4_1 }");
  ExpectAgrees(
      "ENTRY e { a = f32[20] parameter(0) v = f32[] parameter(1) ROOT r = f32[54] pad(a, v), padding=-3_1_2 "
      "}");
  ExpectAgrees(
      "ENTRY e { a = s8[5] parameter(0) v = s8[] constant(-9) ROOT r = s8[6] pad(a, v), padding=-2_-1_1 }");
}

TEST(Mover, Iota) {
  ExpectAgrees("ENTRY e { ROOT r = s32[5,37] iota(), iota_dimension=1 }");
  ExpectAgrees("ENTRY e { ROOT r = f32[37,5] iota(), iota_dimension=0 }");
  ExpectAgrees("ENTRY e { ROOT r = u8[300] iota(), iota_dimension=0 }");
}

TEST(Mover, DynamicSliceClampsItsStart) {
  for (int start : {-5, 0, 3, 30, 1000}) {
    ExpectAgrees(
        fmt::format(R"(ENTRY e {{ a = f32[20,40] parameter(0) i = s32[] constant({0}) j = s32[] constant(7)
      ROOT r = f32[4,33] dynamic-slice(a, i, j), dynamic_slice_sizes={{4,33}} }})",
                    start));
  }
  // An index of its own signedness: 200 in u8 is 200.
  ExpectAgrees(
      "ENTRY e { a = f32[300] parameter(0) i = u8[] constant(200) ROOT r = f32[40] dynamic-slice(a, i), "
      "dynamic_slice_sizes={40} }");
  ExpectAgrees(
      "ENTRY e { a = f32[300] parameter(0) i = u32[] constant(4294967295) ROOT r = f32[40] dynamic-slice(a, "
      "i), dynamic_slice_sizes={40} }");
}

TEST(Mover, DynamicUpdateSlice) {
  for (int start : {-5, 0, 3, 1000}) {
    ExpectAgrees(fmt::format(
        R"(ENTRY e {{ a = f32[20,40] parameter(0) u = f32[5,18] parameter(1) i = s32[] constant({0})
      j = s32[] constant(2) ROOT r = f32[20,40] dynamic-update-slice(a, u, i, j) }})",
        start));
  }
}

TEST(Mover, UpdatesInPlace) {
  RunSettings settings;
  settings.emitter = dispatch::EmitterKind::kInPlaceUpdate;
  settings.in_place = {{0, 0}};
  for (int start : {-5, 3, 1000}) {
    ExpectAgrees(
        fmt::format(
            R"(ENTRY e {{ a = f32[20,40] parameter(0) u = f32[5,18] parameter(1) i = s32[] constant({0})
      j = s32[] constant(2) n = f32[5,18] negate(u) ROOT r = f32[20,40] dynamic-update-slice(a, n, i, j) }})",
            start),
        {}, settings);
  }
}

TEST(Mover, Gather) {
  // Rows: the window lies along lanes.
  ExpectAgrees(R"(ENTRY e { a = f32[50,40] parameter(0) i = s32[6,1] parameter(1)
    ROOT r = f32[6,40] gather(a, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,40} })",
               {}, {}, {.int_min = -10, .int_max = 70});
  // Single elements: every lane has an index of its own.
  ExpectAgrees(R"(ENTRY e { a = f32[50,40] parameter(0) i = s32[37,2] parameter(1)
    ROOT r = f32[37] gather(a, i), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={1,0}, index_vector_dim=1, slice_sizes={1,1} })",
               {}, {}, {.int_min = -10, .int_max = 70});
  ExpectAgrees(R"(ENTRY e { a = f32[5,50] parameter(0) i = s32[5,9] parameter(1)
    ROOT r = f32[5,9] gather(a, i), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0},
    start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1} })",
               {}, {}, {.int_min = -3, .int_max = 60});
}

TEST(Mover, LargeConstants) {
  ExpectAgrees(
      "ENTRY e { a = s32[3,2] parameter(0) k = s32[3,2] constant({{1,2},{3,4},{5,6}}) ROOT r = s32[3,2] "
      "add(a, k) }");
}

TEST(Mover, BitcastConvertOfOtherWidths) {
  ExpectAgrees("ENTRY e { a = u32[9] parameter(0) ROOT r = u8[9,4] bitcast-convert(a) }", {}, {},
               {.int_min = 0, .int_max = 1 << 30});
  ExpectAgrees("ENTRY e { a = s16[9,2] parameter(0) ROOT r = s32[9] bitcast-convert(a) }", {}, {},
               {.int_min = -30000, .int_max = 30000});
  ExpectAgrees("ENTRY e { a = f32[40] parameter(0) ROOT r = s32[40] bitcast-convert(a) }");
}

TEST(Mover, Diamonds) {
  // Each value is emitted once an index: 2^40 paths, 40 ops.
  std::string text = "ENTRY e { v0 = f32[20] parameter(0) ";
  for (int i = 0; i < 40; ++i) text += fmt::format("v{} = f32[20] subtract(v{}, v{}) ", i + 1, i, i);
  ExpectAgrees(text + "ROOT r = f32[20] reverse(v40), dimensions={0} }");
}

}  // namespace
}  // namespace subfloor::codegen::testing
