#include <fmt/format.h>

#include "dispatch/choose_text.h"

namespace subfloor::dispatch {
namespace {

using decision::Question;

Chosen Transpose(std::string_view operand, std::string_view result, std::string_view dimensions,
                 const device::DeviceDescription& device = Device()) {
  return ChooseText(
      fmt::format("f {{\n p = {} parameter(0)\n ROOT t = {} transpose(p), dimensions={{{}}}\n}}", operand,
                  result, dimensions),
      device);
}

TEST(GpuTranspose, MinorDimensionsFillHalfATile) {
  EXPECT_EQ(Transpose("f32[16,100]", "f32[100,16]", "1,0").Answer(), "transpose/transpose_tiled");
  const Chosen narrow = Transpose("f32[15,100]", "f32[100,15]", "1,0");
  EXPECT_EQ(narrow.Answer(), "loop/loop");
  EXPECT_EQ(narrow.Asked(Question::kGpuTranspose), "no: minor dimension 15, needs 16");
}

TEST(GpuTranspose, OrAQuarterWhenThereAreManyTiles) {
  EXPECT_EQ(Transpose("f32[8,1024]", "f32[1024,8]", "1,0").Answer(), "transpose/transpose_tiled");
  EXPECT_EQ(Transpose("f32[8,1023]", "f32[1023,8]", "1,0").Answer(), "loop/loop");
  EXPECT_EQ(Transpose("f32[7,4096]", "f32[4096,7]", "1,0").Answer(), "loop/loop");
}

TEST(GpuTranspose, AMinorDimensionThatStaysIsNarrow) {
  EXPECT_EQ(Transpose("f32[100,200,2]", "f32[200,100,2]", "1,0,2").Answer(), "transpose/transpose_tiled");
  EXPECT_EQ(Transpose("f32[100,200,3]", "f32[200,100,3]", "1,0,2").Asked(Question::kGpuTranspose),
            "no: the minor dimension stays and has 96 bits; at most 64");
  EXPECT_EQ(Transpose("s8[100,8,2]", "s8[8,100,2]", "1,0,2").Answer(), "transpose/transpose_tiled");
  EXPECT_EQ(Transpose("s8[100,7,2]", "s8[7,100,2]", "1,0,2").Asked(Question::kGpuTranspose),
            "no: the minor dimension stays, and with the one above has 112 bits; needs 128");
}

TEST(GpuTranspose, FourBitsWhoseMinorDimensionMovesAreALoop) {
  // Large enough to be packed: that emitter takes them.
  EXPECT_EQ(Transpose("s4[256,256]", "s4[256,256]", "1,0").Answer(), "transpose/transpose_packed");
  EXPECT_EQ(Transpose("s4[64,70]", "s4[70,64]", "1,0").Asked(Question::kGpuTranspose),
            "no: elements of 4 bits whose minor dimension moves do better in a loop");
}

TEST(GpuTranspose, NarrowElementsArePackedIfTheyFillATile) {
  EXPECT_EQ(Transpose("f16[20,100]", "f16[100,20]", "1,0").Answer(), "transpose/transpose_packed");
  const Chosen few = Transpose("f16[18,100]", "f16[100,18]", "1,0");
  EXPECT_EQ(few.Answer(), "transpose/transpose_tiled");
  EXPECT_EQ(few.Asked(Question::kGpuPacked), "no: a tile would be 18 long one way, needs 20");
  EXPECT_EQ(Transpose("f16[21,100]", "f16[100,21]", "1,0").Asked(Question::kGpuPacked),
            "no: rows or columns of a tile are no multiple of the 2 elements of a bank");
  EXPECT_EQ(Transpose("f32[100,200]", "f32[200,100]", "1,0").Asked(Question::kGpuPacked),
            "no: elements of 32 bits fill a bank of 32");
}

TEST(GpuTranspose, PackedTilesTakeTheDimensionAbove) {
  // [T2, A, T1] = [640, 100, 6]: six columns of T1 for each of ten A fill a tile's 64 columns best.
  const Chosen chosen = Transpose("bf16[640,100,6]", "bf16[6,100,640]", "2,1,0");
  const auto& plan = chosen.As<PackedTransposePlan>();
  EXPECT_EQ(plan.output_tile, (std::vector<int64_t>{6, 10, 64, 1}));
  EXPECT_EQ(plan.block_counts, (std::vector<int64_t>{1, 10, 10, 1}));
  EXPECT_EQ(plan.launch.shared_bytes, 64 * 64 * 2);
}

TEST(GpuTranspose, WhatMovesNothingIsNoTranspose) {
  EXPECT_EQ(Transpose("f32[100,1,200]", "f32[1,100,200]", "1,0,2").Asked(Question::kGpuTranspose),
            "no: the transpose moves nothing");
  // Seen as [6400, 32], whatever stands between.
  const Chosen flat = Transpose("f32[80,80,32]", "f32[32,80,80]", "2,0,1");
  EXPECT_EQ(flat.As<TiledTransposePlan>().shape.output, (std::vector<int64_t>{32, 6400}));
}

TEST(GpuTranspose, TheHeroMayStandBehindElementwiseOps) {
  EXPECT_EQ(ChooseText(R"(f {
    p = f32[100,200] parameter(0)
    q = f32[200,100] parameter(1)
    t = f32[200,100] transpose(p), dimensions={1,0}
    ROOT a = f32[200,100] add(t, q)
  })")
                .Answer(),
            "transpose/transpose_tiled");
  const Chosen moved = ChooseText(R"(f {
    p = f32[100,200] parameter(0)
    t = f32[200,100] transpose(p), dimensions={1,0}
    ROOT r = f32[200,100] reverse(t), dimensions={0}
  })");
  EXPECT_EQ(moved.Answer(), "loop/loop");
  EXPECT_EQ(moved.Asked(Question::kGpuTranspose), "no: no transpose feeds a root through elementwise ops");
}

TEST(GpuTranspose, TwoHeroesOfOneRootAreNone) {
  const Chosen chosen = ChooseText(R"(f {
    p = f32[100,200] parameter(0)
    q = f32[100,200] parameter(1)
    t = f32[200,100] transpose(p), dimensions={1,0}
    u = f32[200,100] transpose(q), dimensions={1,0}
    ROOT a = f32[200,100] add(t, u)
  })");
  EXPECT_EQ(chosen.Answer(), "loop/loop");
  EXPECT_EQ(chosen.Asked(Question::kGpuTranspose),
            "no: more than one transpose feeds the root, or an op that is not elementwise reads it");
}

TEST(GpuTranspose, RootsAreTransposedAlikeOrShapedLikeTheInput) {
  const auto two = [](std::string_view second) {
    return ChooseText(
        fmt::format("f {{\n p = f32[100,200] parameter(0)\n q = f32[200,100] parameter(1)\n"
                    " t = f32[200,100] transpose(p), dimensions={{1,0}}\n {}\n}}",
                    second));
  };
  EXPECT_EQ(two("s = f32[100,200] negate(p)\n ROOT r = (f32[200,100], f32[100,200]) tuple(t, s)").Answer(),
            "transpose/transpose_tiled");
  EXPECT_EQ(two("s = f32[200,100] negate(q)\n ROOT r = (f32[200,100], f32[200,100]) tuple(t, s)").Answer(),
            "transpose/transpose_tiled");  // same bytes in the same order
  const Chosen other =
      two("u = f32[100,200] transpose(q), dimensions={1,0}\n"
          " ROOT r = (f32[200,100], f32[100,200]) tuple(t, u)");
  EXPECT_EQ(other.Answer(), "loop/loop");
  EXPECT_EQ(other.Asked(Question::kGpuTranspose), "no: root 1 is transposed otherwise than the first");
  const Chosen small = ChooseText(R"(f {
    p = f32[100,200] parameter(0)
    v = f32[100] parameter(1)
    t = f32[200,100] transpose(p), dimensions={1,0}
    n = f32[100] negate(v)
    ROOT r = (f32[200,100], f32[100]) tuple(t, n)
  })");
  EXPECT_EQ(small.Answer(), "loop/loop");
  EXPECT_EQ(small.Asked(Question::kGpuTranspose),
            "no: root 1 does not have the shape that the transpose reads");
}

TEST(GpuTranspose, VectorsWhereThereIsWorkForThem) {
  // Bytes, not packed because the minor dimension of 18 is too short for a packed tile.
  const Chosen large = Transpose("s8[18,8388608]", "s8[8388608,18]", "1,0");
  EXPECT_EQ(large.As<TiledTransposePlan>().vector, 2);  // 4 does not divide 18
  const Chosen small = Transpose("s8[18,1024]", "s8[1024,18]", "1,0");
  EXPECT_EQ(small.As<TiledTransposePlan>().vector, 1);
}

TEST(GpuTranspose, FourWarpsWhateverAWarpIs) {
  const Chosen nvidia = Transpose("f32[1024,1024]", "f32[1024,1024]", "1,0", Device("h100"));
  EXPECT_EQ(nvidia.As<TiledTransposePlan>().rows, 4);
  EXPECT_EQ(nvidia.As<TiledTransposePlan>().launch.block[0], 128);
  EXPECT_EQ(nvidia.As<TiledTransposePlan>().launch.shared_bytes, 32 * 33 * 4);
  const Chosen amd = Transpose("f32[1024,1024]", "f32[1024,1024]", "1,0", Device("mi300"));
  EXPECT_EQ(amd.As<TiledTransposePlan>().rows, 8);
  EXPECT_EQ(amd.As<TiledTransposePlan>().launch.block[0], 256);
}

TEST(GpuTranspose, LayoutsAreRowMajor) {
  EXPECT_EQ(Transpose("f32[100,200]{0,1}", "f32[200,100]{0,1}", "1,0").Asked(Question::kGpuTranspose),
            "no: its layouts are not row-major");
}

}  // namespace
}  // namespace subfloor::dispatch
