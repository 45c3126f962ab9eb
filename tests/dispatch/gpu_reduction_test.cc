#include <fmt/format.h>

#include "dispatch/choose_text.h"

namespace subfloor::dispatch {
namespace {

using decision::Question;

std::string Reduce(std::string_view operand, std::string_view result, std::string_view dimensions,
                   std::string_view after = "") {
  return fmt::format(
      "f {{\n p = {0} parameter(0)\n z = f32[] constant(0)\n {3} r = {1} reduce(p, z), dimensions={{{2}}}, "
      "to_apply=add\n {4}\n}}",
      operand, result, dimensions, after.empty() ? "ROOT" : "", after);
}

std::string AnswerOf(std::string_view operand, std::string_view result, std::string_view dimensions,
                     std::string_view after = "") {
  return ChooseText(Reduce(operand, result, dimensions, after)).Answer();
}
std::string ReasonOf(std::string_view operand, std::string_view result, std::string_view dimensions,
                     std::string_view after = "") {
  return ChooseText(Reduce(operand, result, dimensions, after)).Asked(Question::kGpuReduction);
}

TEST(GpuReduction, ARowNeedsAWarpOrADivisorOfOne) {
  EXPECT_EQ(AnswerOf("f32[100,33]", "f32[100]", "1"), "reduction/reduction_row");
  EXPECT_EQ(AnswerOf("f32[100,31]", "f32[100]", "1"), "loop/loop");
  EXPECT_EQ(ReasonOf("f32[100,31]", "f32[100]", "1"),
            "no: a row of 31 elements; needs 32, or a divisor of it");
  EXPECT_EQ(AnswerOf("f32[100,16]", "f32[100]", "1"), "reduction/reduction_multi_row");
}

TEST(GpuReduction, AWarpHasWhatTheDeviceSays) {
  const std::string text = Reduce("f32[100,48]", "f32[100]", "1");
  EXPECT_EQ(ChooseText(text, Device("h100")).Answer(), "reduction/reduction_row");
  const Chosen mi300 = ChooseText(text, Device("mi300"));
  EXPECT_EQ(mi300.Answer(), "loop/loop");
  EXPECT_EQ(mi300.Asked(Question::kGpuReduction), "no: a row of 48 elements; needs 64, or a divisor of it");
}

TEST(GpuReduction, AColumnIsTheLongerTheFewerThereAre) {
  EXPECT_EQ(AnswerOf("f32[32,64]", "f32[64]", "0"), "reduction/reduction_column");
  EXPECT_EQ(ReasonOf("f32[31,64]", "f32[64]", "0"),
            "no: a column of 31 elements; with so few columns needs 32");
  EXPECT_EQ(AnswerOf("f32[64,31]", "f32[31]", "0"), "reduction/reduction_column");
  EXPECT_EQ(ReasonOf("f32[63,31]", "f32[31]", "0"),
            "no: a column of 63 elements; with so few columns needs 64");
  EXPECT_EQ(AnswerOf("f32[128,7]", "f32[7]", "0"), "reduction/reduction_column");
  EXPECT_EQ(ReasonOf("f32[127,7]", "f32[7]", "0"),
            "no: a column of 127 elements; with so few columns needs 128");
  EXPECT_EQ(AnswerOf("f32[256,2]", "f32[2]", "0"), "reduction/reduction_small_column");
  EXPECT_EQ(ReasonOf("f32[255,2]", "f32[2]", "0"),
            "no: a column of 255 elements; with so few columns needs 256");
}

TEST(GpuReduction, ReducedOrKeptDimensionsLieTogether) {
  EXPECT_EQ(AnswerOf("f32[8,64,128]", "f32[64]", "0,2"), "reduction/reduction_row");
  EXPECT_EQ(AnswerOf("f32[8,64,128]", "f32[8,128]", "1"), "reduction/reduction_column");
  EXPECT_EQ(ReasonOf("f32[4,64,4,128]", "f32[4,4]", "1,3"),
            "no: the reduced dimensions lie apart in memory, and so do the kept ones");
  // A dimension of size 1 stands in nobody's way.
  EXPECT_EQ(AnswerOf("f32[64,1,128,8]", "f32[1,8]", "0,2"), "reduction/reduction_small_column");
}

TEST(GpuReduction, LayoutsDecideWhatLiesTogether) {
  EXPECT_EQ(AnswerOf("f32[128,64]{0,1}", "f32[64]", "0"), "reduction/reduction_row");
  EXPECT_EQ(AnswerOf("f32[128,64]", "f32[64]", "0"), "reduction/reduction_column");
}

TEST(GpuReduction, AnEpilogueNeedsOneBlockAnOutput) {
  const char* negate = "ROOT n = f32[4] negate(r)";
  EXPECT_EQ(AnswerOf("f32[4,16384]", "f32[4]", "1", negate), "reduction/reduction_row");
  EXPECT_EQ(ReasonOf("f32[4,16385]", "f32[4]", "1", negate),
            "no: an epilogue, and a row of 16385 elements; one block takes 16384");
  EXPECT_EQ(AnswerOf("f32[4,16385]", "f32[4]", "1"), "reduction/reduction_row");
  EXPECT_EQ(AnswerOf("f32[8,4,64]", "f32[4]", "0,2", negate), "reduction/reduction_row");
  EXPECT_EQ(ReasonOf("f32[9,4,64]", "f32[4]", "0,2", negate),
            "no: an epilogue, and 9 batches to a row; one block takes 8");
  const char* columns = "ROOT n = f32[40] negate(r)";
  EXPECT_EQ(AnswerOf("f32[4096,40]", "f32[40]", "0", columns), "reduction/reduction_column");
  EXPECT_EQ(ReasonOf("f32[4097,40]", "f32[40]", "0", columns),
            "no: an epilogue, and a column of 4097 elements; one block takes 4096");
}

TEST(GpuReduction, AnEpilogueOfTwoOperandsHidesTheHero) {
  EXPECT_EQ(ReasonOf("f32[4,1024]", "f32[4]", "1", "ROOT n = f32[4] add(r, r)"),
            "no: no reduce feeds a root through one-operand elementwise ops");
}

TEST(GpuReduction, SideOutputsHaveTheElementsThatAreReduced) {
  const auto with_side = [](std::string_view side) {
    return ChooseText(
        fmt::format("f {{\n p = f32[64,512] parameter(0)\n q = {0} parameter(1)\n z = f32[] constant(0)\n"
                    " r = f32[64] reduce(p, z), dimensions={{1}}, to_apply=add\n s = {0} negate(q)\n"
                    " ROOT t = (f32[64], {0}) tuple(r, s)\n}}",
                    side));
  };
  EXPECT_EQ(with_side("f32[64,512]").Answer(), "reduction/reduction_row");
  EXPECT_EQ(with_side("f32[32768]").Answer(), "reduction/reduction_row");
  EXPECT_EQ(with_side("f32[64,511]").Answer(), "loop/loop");
  EXPECT_EQ(with_side("f32[64,511]").Asked(Question::kGpuReduction),
            "no: a fellow root has 32704 elements, the reduction reads 32768");
}

TEST(GpuReduction, FellowReductionsHaveOneShape) {
  const auto two = [](std::string_view second, std::string_view result) {
    return ChooseText(fmt::format(
        "f {{\n p = f32[64,512] parameter(0)\n q = {0} parameter(1)\n z = f32[] constant(0)\n"
        " r = f32[64] reduce(p, z), dimensions={{1}}, to_apply=add\n"
        " s = {1} reduce(q, z), dimensions={{1}}, to_apply=add\n ROOT t = (f32[64], {1}) tuple(r, s)\n}}",
        second, result));
  };
  EXPECT_EQ(two("f32[64,512]", "f32[64]").Answer(), "reduction/reduction_row");
  // Two different reductions in one kernel are a loop, not an error.
  EXPECT_EQ(two("f32[32,512]", "f32[32]").Answer(), "loop/loop");
  EXPECT_EQ(two("f32[32,512]", "f32[32]").Asked(Question::kGpuReduction),
            "no: root 1 is reduced from another shape than the first hero");
}

TEST(GpuReduction, RootsThatShareNothingFormGroups) {
  const Chosen apart = ChooseText(R"(f {
    p = f32[64,512] parameter(0)
    q = f32[64,512] parameter(1)
    z = f32[] constant(0)
    r = f32[64] reduce(p, z), dimensions={1}, to_apply=add
    s = f32[64] reduce(q, z), dimensions={1}, to_apply=add
    ROOT t = (f32[64], f32[64]) tuple(r, s)
  })");
  const auto& groups = apart.As<RowReductionPlan>().groups;
  EXPECT_EQ(groups.count, 2);
  EXPECT_EQ(groups.group_of_root, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(apart.As<RowReductionPlan>().launch.grid[2], 2);
  const Chosen together = ChooseText(R"(f {
    p = f32[64,512] parameter(0)
    z = f32[] constant(0)
    n = f32[64,512] negate(p)
    r = f32[64] reduce(p, z), dimensions={1}, to_apply=add
    s = f32[64] reduce(n, z), dimensions={1}, to_apply=add
    ROOT t = (f32[64], f32[64]) tuple(r, s)
  })");
  EXPECT_EQ(together.As<RowReductionPlan>().groups.count, 1);
}

TEST(GpuReduction, PlanOfARow) {
  const Chosen chosen = ChooseText(Reduce("f32[100,2048]", "f32[100]", "1"));
  const auto& plan = chosen.As<RowReductionPlan>();
  EXPECT_EQ(plan.reduced_threads, 128);  // 16 elements a thread
  EXPECT_EQ(plan.kept_threads, 2);       // 256 threads
  EXPECT_EQ(plan.vector, 2);             // 8 bytes a load
  EXPECT_EQ(plan.tile, 8);
  EXPECT_EQ(plan.launch.grid, (std::array<int64_t, 3>{50, 1, 1}));
  EXPECT_EQ(plan.launch.shared_bytes, 2 * 4 * 4);
}

TEST(GpuReduction, ALongRowIsStillOneBlocks) {
  const Chosen chosen = ChooseText(Reduce("f32[4,1048576]", "f32[4]", "1"));
  const auto& plan = chosen.As<RowReductionPlan>();
  EXPECT_EQ(plan.launch.blocks, 4);
  EXPECT_GE(plan.tile * plan.reduced_threads * plan.vector, 1048576);
}

TEST(GpuReduction, SeveralRowsAWarp) {
  const Chosen chosen = ChooseText(Reduce("f32[100000,8]", "f32[100000]", "1"));
  const auto& plan = chosen.As<MultiRowReductionPlan>();
  EXPECT_EQ(plan.vector * plan.reduced_threads, 8);
  EXPECT_EQ(plan.launch.shared_bytes, 0);
  EXPECT_EQ(ChooseText(Reduce("f32[100,96]", "f32[100]", "1")).Asked(Question::kGpuMultiRow),
            "no: 96 elements are no power of two");
  EXPECT_EQ(ChooseText(Reduce("f32[100000,128]", "f32[100000]", "1")).Asked(Question::kGpuMultiRow),
            "no: rows of 128 elements; a warp reads 64");
}

TEST(GpuReduction, ManyResultsThatDoNotFitSharedMemoryGiveWay) {
  // 200 columns of f32 at once: 200 arrays of 32 x 33.
  std::string text = "f {\n z = f32[] constant(0)\n";
  std::string roots, types;
  for (int i = 0; i < 200; ++i) {
    text += fmt::format(
        " p{0} = f32[64,100] parameter({0})\n"
        " r{0} = f32[100] reduce(p{0}, z), dimensions={{0}}, to_apply=add\n",
        i);
    roots += fmt::format("{}r{}", i ? ", " : "", i);
    types += i ? ", f32[100]" : "f32[100]";
  }
  text += fmt::format(" ROOT t = ({}) tuple({})\n}}", types, roots);
  const Chosen chosen = ChooseText(text);
  EXPECT_EQ(chosen.Answer(), "loop/loop");
  bool said = false;
  for (const decision::Record& record : chosen.log.records()) {
    said |= record.question == Question::kGpuPlanFits && record.fact == decision::Fact::kSharedTooLarge;
  }
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace subfloor::dispatch
