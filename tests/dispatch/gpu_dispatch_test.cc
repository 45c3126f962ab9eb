#include "dispatch/gpu_dispatch.h"

#include <fmt/format.h>

#include "dispatch/choose_text.h"

namespace subfloor::dispatch {
namespace {

using decision::Question;

std::string WithConfig(std::string_view config) {
  return fmt::format(
      "body {{\n p = f32[64,512] parameter(0)\n ROOT n = f32[64,512] negate(p)\n}}\n"
      "ENTRY e {{\n p = f32[64,512] parameter(0)\n"
      " ROOT f = f32[64,512] fusion(p), kind=kCustom, calls=body{}\n}}",
      config.empty() ? "" : fmt::format(", backend_config={}", config));
}

std::string Stamp(std::string_view word) {
  return WithConfig(fmt::format(R"({{"fusion_backend_config":{{"kind":"{}"}}}})", word));
}

TEST(GpuStamp, SettlesItUnseen) {
  EXPECT_EQ(ChooseRoot(Stamp("__custom_fusion")).Answer(), "custom/custom");
  EXPECT_EQ(ChooseRoot(Stamp("__triton")).Answer(), "triton/triton");
  EXPECT_EQ(ChooseRoot(Stamp("__triton_gemm")).Answer(), "triton/triton");
  EXPECT_EQ(ChooseRoot(Stamp("__triton_nested_gemm_fusion")).Answer(), "triton/triton");
  EXPECT_EQ(ChooseRoot(Stamp("__triton_collective")).Answer(), "triton/triton");
  EXPECT_EQ(ChooseRoot(Stamp("__cudnn$fusion")).Answer(), "cudnn/cudnn");
  const Chosen chosen = ChooseRoot(Stamp("__triton"));
  EXPECT_EQ(chosen.log.records().size(), 1);
  EXPECT_EQ(chosen.choice->stamp, "__triton");
  EXPECT_EQ(FirstLaunch(chosen.choice->plan), nullptr);
}

TEST(GpuStamp, MayBeWrittenAsOneString) {
  EXPECT_EQ(ChooseRoot(WithConfig(R"("{\"fusion_backend_config\":{\"kind\":\"__triton\"}}")")).Answer(),
            "triton/triton");
}

TEST(GpuStamp, NobodysWordIsInspected) {
  const Chosen foreign = ChooseRoot(Stamp("__uncompilable_fusion"));
  EXPECT_EQ(foreign.Answer(), "loop/loop");
  EXPECT_EQ(foreign.Asked(Question::kGpuStamp),
            "no: nobody owns the word in the backend_config: inspected like any other");
  EXPECT_EQ(ChooseRoot(Stamp("__triton2")).Answer(), "loop/loop");
}

TEST(GpuStamp, AnUnreadableConfigCountsAsAbsent) {
  const Chosen chosen = ChooseRoot(WithConfig("{sizes:[32]}"));
  EXPECT_EQ(chosen.Answer(), "loop/loop");
  EXPECT_EQ(chosen.Asked(Question::kGpuStamp), "no: the backend_config cannot be read and counts as absent");
  EXPECT_EQ(ChooseRoot(WithConfig("")).Asked(Question::kGpuStamp), "no: no backend_config names an owner");
}

TEST(GpuDispatch, MoreThanOneRootIsALoop) {
  const Chosen chosen = ChooseText(R"(f {
    p = f32[64] parameter(0)
    n = f32[64] negate(p)
    a = f32[64] abs(p)
    ROOT t = (f32[64], f32[64]) tuple(n, a)
  })");
  EXPECT_EQ(chosen.Answer(), "loop/loop");
  EXPECT_EQ(chosen.Asked(Question::kGpuManyRoots), "yes: 2 roots");
  EXPECT_EQ(chosen.Asked(Question::kScatterRoot), "not asked");
}

TEST(GpuDispatch, RootsOfUnequalSizeShareTheLargestsGrid) {
  const Chosen chosen = ChooseText(R"(f {
    p = f32[64] parameter(0)
    q = f32[1000] parameter(1)
    n = f32[64] negate(p)
    a = f32[1000] abs(q)
    ROOT t = (f32[64], f32[1000]) tuple(n, a)
  })");
  EXPECT_EQ(chosen.As<LoopPlan>().index_root, 1);
  EXPECT_EQ(chosen.As<LoopPlan>().elements, 1000);
}

TEST(GpuDispatch, NestedTuplesAreFlattened) {
  const Chosen chosen = ChooseText(R"(f {
    p = f32[64] parameter(0)
    n = f32[64] negate(p)
    a = f32[64] abs(p)
    i = (f32[64], f32[64]) tuple(n, a)
    ROOT t = ((f32[64], f32[64]), f32[64]) tuple(i, n)
  })");
  EXPECT_EQ(chosen.choice->fusion.roots().size(), 3);
}

constexpr std::string_view kScatter = R"(f {{
  o = f32[{0}] parameter(0)
  i = s32[{1},1] parameter(1)
  u = f32[{1},{2}] parameter(2)
  ROOT s = f32[{0}] scatter(o, i, u), update_window_dims={{1}}, inserted_window_dims={{}},
    scatter_dims_to_operand_dims={{0}}, index_vector_dim=1, indices_are_sorted={3}, unique_indices={4}, to_apply=add
}})";

Chosen Scatter(int64_t places, int64_t slices, int64_t elements, bool sorted, bool unique = false) {
  return ChooseText(fmt::format(kScatter, places, slices, elements, sorted, unique));
}

TEST(GpuScatter, RunsWhenSortedRepeatedAndMany) {
  EXPECT_EQ(Scatter(100, 2000, 4, true).Answer(), "scatter/scatter_per_index_run");
  EXPECT_EQ(Scatter(100, 2000, 4, false).Asked(Question::kGpuIndexRuns), "no: the indices are not sorted");
  EXPECT_EQ(Scatter(100, 2000, 4, true, true).Asked(Question::kGpuIndexRuns),
            "no: the indices are unique: no runs");
  EXPECT_EQ(Scatter(100, 529, 4, true).Answer(), "scatter/scatter_per_index_run");
  EXPECT_EQ(Scatter(100, 528, 4, true).Asked(Question::kGpuIndexRuns), "no: 528 slices; worth it above 528");
  EXPECT_EQ(Scatter(10003, 2000, 4, true).Asked(Question::kGpuIndexRuns),
            "no: 2000 slices for 10000 places: no run is longer than one");
  EXPECT_EQ(Scatter(100, 2000, 4, false).Answer(), "scatter/scatter_per_update");
}

TEST(GpuScatter, PlacesAreCountedWhereIndicesPoint) {
  // The indices address dimension 1, which has few places; dimension 0, which has many, is never moved along.
  const Chosen chosen = ChooseText(R"(f {
    o = f32[100000,8] parameter(0)
    i = s32[2000,1] parameter(1)
    u = f32[2000,4,2] parameter(2)
    ROOT s = f32[100000,8] scatter(o, i, u), update_window_dims={1,2}, inserted_window_dims={},
      scatter_dims_to_operand_dims={1}, index_vector_dim=1, indices_are_sorted=true, to_apply=add
  })");
  EXPECT_EQ(PossibleIndices(*chosen.choice->fusion.roots()[0]), 7);
  EXPECT_EQ(chosen.Answer(), "scatter/scatter_per_index_run");
}

TEST(GpuScatter, IndicesAreReadFourAtATime) {
  const Chosen chosen = Scatter(40, 20000, 64, true);
  const auto& plan = chosen.As<ScatterPlan>();
  EXPECT_EQ(plan.index_vector, 4);
  EXPECT_EQ(plan.indices_per_warp, 40);  // 20000 / 528 rounded up to fours
  EXPECT_EQ(plan.vector, 2);             // 32 lanes of two elements are a slice
  EXPECT_EQ(plan.passes, 1);
  EXPECT_EQ(plan.launch.blocks, 125);
}

TEST(GpuScatter, FormsThatNoEmitterTakesSayWhatWouldWork) {
  const Chosen chosen = ChooseText(R"(f {
    o = f32[100] parameter(0)
    i = s32[1,20] parameter(1)
    u = f32[20,4] parameter(2)
    ROOT s = f32[100] scatter(o, i, u), update_window_dims={1}, inserted_window_dims={},
      scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=add
  })");
  EXPECT_EQ(chosen.Answer(), "scatter whose index vectors are dimension 0 of 2; the last would work");
}

TEST(GpuScatter, BesideAnotherRootItHasNoEmitter) {
  const Chosen chosen = ChooseText(R"(f {
    o = f32[100] parameter(0)
    i = s32[20,1] parameter(1)
    u = f32[20,4] parameter(2)
    scattered = f32[100] scatter(o, i, u), update_window_dims={1}, inserted_window_dims={},
      scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    n = f32[100] negate(o)
    ROOT t = (f32[100], f32[100]) tuple(scattered, n)
  })");
  EXPECT_EQ(chosen.Answer(), "%scattered (scatter) beside other roots; as a fusion of its own it would work");
}

TEST(GpuSort, MasksBelowTheTileStayInSharedMemory) {
  const Chosen chosen = ChooseText(R"(f {
    k = f32[3,10000] parameter(0)
    ROOT s = f32[3,10000] sort(k), dimensions={1}, to_apply=less
  })");
  EXPECT_EQ(chosen.Answer(), "sort/sort");
  const auto& plan = chosen.As<SortPlan>();
  EXPECT_EQ(plan.stages, 14);
  EXPECT_EQ(plan.tile, 4096);
  // Every mask below 4096 goes together with its neighbours; 8191 of stage 12, 16383 and 4096 of stage 13 do
  // not.
  ASSERT_EQ(plan.kernels.size(), 6u);
  for (size_t i : {0u, 2u, 5u}) EXPECT_TRUE(plan.kernels[i].tiled) << i;
  EXPECT_EQ(plan.kernels[1].masks, (std::vector<int64_t>{8191}));
  EXPECT_EQ(plan.kernels[3].masks, (std::vector<int64_t>{16383}));
  EXPECT_EQ(plan.kernels[4].masks, (std::vector<int64_t>{4096}));
  EXPECT_EQ(plan.kernels[0].launch.block[0], 1024);
}

TEST(GpuSort, OneElementIsInOrder) {
  EXPECT_TRUE(ChooseText("f {\n k = f32[3,1] parameter(0)\n"
                         " ROOT s = f32[3,1] sort(k), dimensions={1}, to_apply=less\n}")
                  .As<SortPlan>()
                  .kernels.empty());
}

std::string Concatenate(int operands) {
  std::string text = "f {\n", list;
  for (int i = 0; i < operands; ++i) {
    text += fmt::format(" p{0} = f32[64,{1}] parameter({0})\n", i, 8 * (i + 1));
    list += fmt::format("{}p{}", i ? ", " : "", i);
  }
  return text +
         fmt::format(
             " c = f32[64,{0}] concatenate({1}), dimensions={{1}}\n ROOT n = f32[64,{0}] negate(c)\n}}",
             4 * operands * (operands + 1), list);
}

TEST(GpuConcatenate, TakesFourOperands) {
  const Chosen four = ChooseText(Concatenate(4));
  EXPECT_EQ(four.Answer(), "concatenate/concatenate");
  EXPECT_EQ(four.As<ConcatenatePlan>().largest_operand, 3);
  EXPECT_EQ(four.As<ConcatenatePlan>().elements, 64 * 32);
  const Chosen five = ChooseText(Concatenate(5));
  EXPECT_EQ(five.Answer(), "loop/loop");
  EXPECT_EQ(five.Asked(Question::kGpuConcatenate), "no: 5 operands; at most 4");
}

TEST(GpuLoop, CopiesOfParametersAreNoKernel) {
  EXPECT_EQ(ChooseText("f {\n p = f32[64,8] parameter(0)\n ROOT c = f32[64,8] copy(p)\n}").Answer(),
            "loop/memcpy");
  const Chosen changed =
      ChooseText("f {\n p = f32[64,8]{1,0} parameter(0)\n ROOT c = f32[64,8]{0,1} copy(p)\n}");
  EXPECT_EQ(changed.Answer(), "loop/loop");
  EXPECT_EQ(changed.Asked(Question::kGpuCopy), "no: copy 0 changes the layout");
  const Chosen mixed = ChooseText(R"(f {
    p = f32[64] parameter(0)
    c = f32[64] copy(p)
    n = f32[64] negate(p)
    ROOT t = (f32[64], f32[64]) tuple(c, n)
  })");
  EXPECT_EQ(mixed.Asked(Question::kGpuCopy), "no: root 1 is no copy of a parameter");
}

Chosen Update(std::string_view lines) {
  return ChooseText(
      fmt::format("f {{\n p = f32[100,20] parameter(0)\n u = f32[10,20] parameter(1)\n"
                  " i = s32[] parameter(2)\n z = s32[] constant(0)\n {}\n}}",
                  lines));
}

TEST(GpuInPlace, AnUpdateOfAParameter) {
  const Chosen chosen = Update("ROOT d = f32[100,20] dynamic-update-slice(p, u, i, z)");
  EXPECT_EQ(chosen.Answer(), "loop/in_place_update");
  EXPECT_EQ(chosen.As<InPlaceUpdatePlan>().elements, 200);
}

TEST(GpuInPlace, EachConditionOnItsOwn) {
  const auto reason = [](std::string_view lines) { return Update(lines).Asked(Question::kInPlaceUpdate); };
  EXPECT_EQ(reason("d = f32[100,20] dynamic-update-slice(p, u, i, z)\n ROOT n = f32[100,20] negate(d)"),
            "no: root 0 is no dynamic-update-slice");
  EXPECT_EQ(reason("n = f32[100,20] negate(p)\n ROOT d = f32[100,20] dynamic-update-slice(n, u, i, z)"),
            "no: the target of update 0 is computed inside, not a parameter");
  // The very slice that is overwritten may be read.
  EXPECT_EQ(
      reason("s = f32[10,20] dynamic-slice(p, i, z), dynamic_slice_sizes={10,20}\n a = f32[10,20] add(s, u)\n"
             " ROOT d = f32[100,20] dynamic-update-slice(p, a, i, z)"),
      "yes: 1 updates of one shape, whose targets are read nowhere else");
  EXPECT_EQ(
      reason("s = f32[10,20] dynamic-slice(p, z, z), dynamic_slice_sizes={10,20}\n a = f32[10,20] add(s, u)\n"
             " ROOT d = f32[100,20] dynamic-update-slice(p, a, i, z)"),
      "no: the target of update 0 is also read as a slice at another place");
  EXPECT_EQ(reason("s = f32[10,20] slice(p), slice={[0:10], [0:20]}\n a = f32[10,20] add(s, u)\n"
                   " ROOT d = f32[100,20] dynamic-update-slice(p, a, i, z)"),
            "no: the target of update 0 is read by an op that moves elements");
  EXPECT_EQ(reason("d = f32[100,20] dynamic-update-slice(p, u, i, z)\n"
                   " e = f32[100,20] dynamic-update-slice(p, u, z, z)\n"
                   " ROOT t = (f32[100,20], f32[100,20]) tuple(d, e)"),
            "no: the target of update 0 is also updated by another op");
  EXPECT_EQ(reason("d = f32[100,20] dynamic-update-slice(p, u, i, z)\n n = f32[100,20] negate(d)\n"
                   " ROOT t = (f32[100,20], f32[100,20]) tuple(d, n)"),
            "no: root 1 is no dynamic-update-slice");
}

TEST(GpuInPlace, ASingleElementMayBeReadAnywhere) {
  const Chosen chosen = ChooseText(R"(f {
    p = f32[100] parameter(0)
    i = s32[] parameter(1)
    z = s32[] constant(0)
    s = f32[1] dynamic-slice(p, z), dynamic_slice_sizes={1}
    ROOT d = f32[100] dynamic-update-slice(p, s, i)
  })");
  EXPECT_EQ(chosen.Answer(), "loop/in_place_update");
}

TEST(GpuInPlace, UpdatesHaveOneShapeTypesIncluded) {
  const auto two = [](std::string_view type) {
    return ChooseText(
        fmt::format("f {{\n p = f32[100] parameter(0)\n q = {0}[100] parameter(1)\n"
                    " u = f32[10] parameter(2)\n v = {0}[10] parameter(3)\n i = s32[] parameter(4)\n"
                    " d = f32[100] dynamic-update-slice(p, u, i)\n"
                    " e = {0}[100] dynamic-update-slice(q, v, i)\n"
                    " ROOT t = (f32[100], {0}[100]) tuple(d, e)\n}}",
                    type));
  };
  EXPECT_EQ(two("f32").Answer(), "loop/in_place_update");
  EXPECT_EQ(two("f16").Asked(Question::kInPlaceUpdate), "no: update 1 has another shape than the first");
}

TEST(GpuLoop, VectorsForLargeOutputsOfSimpleComputation) {
  const auto negate = [](std::string_view shape, std::string_view device = "h100") {
    return ChooseText(fmt::format("f {{\n p = {0} parameter(0)\n ROOT n = {0} negate(p)\n}}", shape),
                      Device(device));
  };
  EXPECT_EQ(negate("f32[270336]").As<LoopPlan>().vector, 4);  // 132 cores of 2048 threads
  EXPECT_EQ(negate("f32[270332]").As<LoopPlan>().vector, 1);
  EXPECT_EQ(negate("f32[270338]").As<LoopPlan>().vector, 2);
  EXPECT_EQ(negate("f32[270337]").As<LoopPlan>().vector, 1);
  EXPECT_EQ(negate("s4[10]").As<LoopPlan>().vector, 2);  // whole bytes
  // Loads of 256 bits take more of narrow types.
  EXPECT_EQ(negate("f32[1048576]", "b200").As<LoopPlan>().vector, 8);
  EXPECT_EQ(negate("f16[1048576]", "b200").As<LoopPlan>().vector, 16);
  EXPECT_EQ(negate("s8[1048576]", "b200").As<LoopPlan>().vector, 32);
  EXPECT_EQ(negate("f64[1048576]", "b200").As<LoopPlan>().vector, 4);
}

TEST(GpuDispatch, AnOpAloneIsAskedTheSame) {
  const Chosen chosen = ChooseRoot(
      "ENTRY e {\n p = f32[64,512] parameter(0)\n"
      " ROOT t = f32[512,64] transpose(p), dimensions={1,0}\n}");
  EXPECT_EQ(chosen.Answer(), "transpose/transpose_tiled");
}

}  // namespace
}  // namespace subfloor::dispatch
