#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "codegen/gpu_harness.h"
#include "codegen/target/ptxas.h"
#include "evaluator/evaluator.h"
#include "hlo/parser.h"
#include "types/compare_literals.h"
#include "types/random_literal.h"

// Fusions compiled for a GPU, run on the simulated one under all its checks, and compared with the evaluator.
namespace subfloor::codegen::testing {
namespace {

using dispatch::GpuEmitter;

// By default bits must be equal. Of bf16 results a function's error may decide the last rounding, which is a
// unit of 2^-8 of the value; sums of f32 are in another order than the evaluator's.
constexpr double kOneUnitOfBf16 = 0.01, kSumOfF32 = 1e-5;

struct Fusion {
  const char* name;
  GpuEmitter emitter;
  const char* text;
  double tolerance = 0;  // relative and absolute
};

std::ostream& operator<<(std::ostream& out, const Fusion& fusion) { return out << fusion.name; }

class GpuKernels : public ::testing::TestWithParam<Fusion> {
 protected:
  void SetUp() override {
    auto module = hlo::ParseModule(GetParam().text);
    ASSERT_TRUE(module) << module.error().ToString();
    module_ = *std::move(module);
    for (const hlo::Instruction* parameter : body().parameters()) {
      arguments_.push_back(
          *RandomLiteral(parameter->shape(), static_cast<uint64_t>(parameter->parameter_number()) + 1));
    }
  }
  const hlo::Computation& body() const { return *module_->entry(); }

  void RunOn(const char* device) {
    const device::DeviceDescription description = *device::DeviceByName(device);
    const auto choice = dispatch::ChooseGpuEmitter(body(), -1, description, nullptr);
    ASSERT_TRUE(choice) << choice.error().ToString();
    EXPECT_EQ(dispatch::ToString(choice->emitter), dispatch::ToString(GetParam().emitter));
    const auto expected = Evaluate(*module_, arguments_);
    ASSERT_TRUE(expected) << expected.error().ToString();
    const std::vector<const Literal*> wanted = Leaves(*expected);
    for (const bool checked : {false, true}) {
      const auto actual = RunOnSimulator(body(), arguments_, *choice, description, checked);
      ASSERT_TRUE(actual) << device << ": " << actual.error().ToString();
      for (size_t i = 0; i < wanted.size(); ++i) {
        CompareOptions tolerance;
        tolerance.rtol = tolerance.atol = GetParam().tolerance;
        const auto comparison = CompareLiterals((*actual)[i], *wanted[i], tolerance);
        ASSERT_TRUE(comparison) << comparison.error().ToString();
        EXPECT_TRUE(comparison->Matches())
            << device << (checked ? ", checked" : "") << ", result " << i << ": " << comparison->ToString();
      }
    }
  }

  std::unique_ptr<hlo::Module> module_;
  std::vector<Literal> arguments_;
};

TEST_P(GpuKernels, AgreesWithTheEvaluator) { RunOn("h100"); }
TEST_P(GpuKernels, AgreesOnWarpsOf64) { RunOn("mi300"); }

TEST_P(GpuKernels, PtxIsAcceptedWithoutSpills) {
  const std::optional<std::string> ptxas = FindPtxas();
  for (const char* device : {"a100", "h100", "b200", "rtx_pro_6000"}) {
    const device::DeviceDescription description = *device::DeviceByName(device);
    const auto choice = dispatch::ChooseGpuEmitter(body(), -1, description, nullptr);
    ASSERT_TRUE(choice) << choice.error().ToString();
    const KernelJob job = JobOf(body(), *choice);
    const auto code = CompileGpuKernel(job, *choice, description, {});
    ASSERT_TRUE(code) << code.error().ToString();
    EXPECT_NE(code->ptx.find(".visible .entry kernel("), std::string::npos) << code->ptx;
    // f32 add: no loop of compare-and-exchange.
    if (std::string_view(GetParam().name) == "scatter_add")
      EXPECT_NE(code->ptx.find("atom.global.add.f32"), std::string::npos) << code->ptx;
    if (!ptxas) continue;
    const auto assembled = AssemblePtx(*ptxas, code->ptx, device::ToString(description.capability));
    ASSERT_TRUE(assembled) << assembled.error().ToString();
    ASSERT_EQ(assembled->kernels.size(), 1u);
    EXPECT_EQ(assembled->kernels[0].spill_store_bytes, 0) << device;
    EXPECT_GT(assembled->kernels[0].registers, 0);
  }
  if (!ptxas) GTEST_SKIP() << "no ptxas: the text was made but not assembled";
}

TEST_P(GpuKernels, AmdgpuGivesAnObject) {
  for (const char* device : {"mi250", "mi300", "mi350"}) {
    const device::DeviceDescription description = *device::DeviceByName(device);
    const auto choice = dispatch::ChooseGpuEmitter(body(), -1, description, nullptr);
    ASSERT_TRUE(choice) << choice.error().ToString();
    const KernelJob job = JobOf(body(), *choice);
    const auto code = CompileGpuKernel(job, *choice, description, {});
    ASSERT_TRUE(code) << device << ": " << code.error().ToString();
    const std::string_view object(reinterpret_cast<const char*>(code->object.data()), code->object.size());
    EXPECT_TRUE(
        object.starts_with("\x7f"
                           "ELF"));
    EXPECT_NE(object.find("kernel.kd"), std::string_view::npos) << "no descriptor of the kernel";
  }
}

INSTANTIATE_TEST_SUITE_P(All, GpuKernels,
                         ::testing::Values(Fusion{"loop", GpuEmitter::kLoop, R"(
HloModule m
ENTRY e {
  a = f32[1000,33] parameter(0)
  b = f32[33] parameter(1)
  c = f32[1000,33] broadcast(b), dimensions={1}
  ROOT r = f32[1000,33] add(a, c)
})"},
                                           Fusion{"loop_odd_bf16", GpuEmitter::kLoop, R"(
HloModule m
ENTRY e {
  a = bf16[16385] parameter(0)
  b = bf16[16385] multiply(a, a)
  ROOT r = bf16[16385] exponential(b)
})",
                                                  kOneUnitOfBf16},
                                           Fusion{"loop_scalar", GpuEmitter::kLoop, R"(
HloModule m
ENTRY e {
  a = s32[] parameter(0)
  ROOT r = s32[] negate(a)
})"},
                                           Fusion{"concatenate", GpuEmitter::kConcatenate, R"(
HloModule m
ENTRY e {
  a = f32[8,16] parameter(0)
  b = f32[8,48] parameter(1)
  c = f32[8,64] concatenate(a, b), dimensions={1}
  ROOT r = f32[8,64] negate(c)
})"},
                                           Fusion{"in_place_update", GpuEmitter::kInPlaceUpdate, R"(
HloModule m
ENTRY e {
  a = f32[50,64] parameter(0)
  b = f32[2,64] parameter(1)
  c = s32[] constant(47)
  d = s32[] constant(0)
  n = f32[2,64] negate(b)
  ROOT r = f32[50,64] dynamic-update-slice(a, n, c, d)
})"},
                                           Fusion{"in_place_update_odd_s4", GpuEmitter::kInPlaceUpdate, R"(
HloModule m
ENTRY e {
  a = s4[50,7] parameter(0)
  b = s4[3,7] parameter(1)
  c = s32[] constant(20)
  d = s32[] constant(0)
  ROOT r = s4[50,7] dynamic-update-slice(a, b, c, d)
})"},
                                           Fusion{"loop_odd_s4", GpuEmitter::kLoop, R"(
HloModule m
ENTRY e {
  a = s4[3,7] parameter(0)
  ROOT r = s4[3,7] negate(a)
})"},
                                           Fusion{"scatter_add", GpuEmitter::kScatterPerUpdate, R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e {
  a = f32[100,8] parameter(0)
  u = f32[64,8] parameter(1)
  i = s32[64,1] iota(), iota_dimension=0
  k = s32[] constant(7)
  w = s32[64,1] broadcast(k), dimensions={}
  n = s32[64,1] remainder(i, w)
  m = s32[] constant(16)
  v = s32[64,1] broadcast(m), dimensions={}
  j = s32[64,1] multiply(n, v)
  ROOT r = f32[100,8] scatter(a, j, u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
})",
                                                  kSumOfF32},
                                           Fusion{"scatter_bf16_multiply", GpuEmitter::kScatterPerUpdate, R"(
HloModule m
mul { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT s = bf16[] multiply(a, b) }
ENTRY e {
  a = bf16[33] parameter(0)
  u = bf16[65] parameter(1)
  i = s32[65,1] iota(), iota_dimension=0
  k = s32[] constant(2)
  w = s32[65,1] broadcast(k), dimensions={}
  j = s32[65,1] divide(i, w)
  ROOT r = bf16[33] scatter(a, j, u), update_window_dims={}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=mul
})",
                                                  kOneUnitOfBf16},
                                           Fusion{"scatter_c64_u8_indices", GpuEmitter::kScatterPerUpdate, R"(
HloModule m
add { a = c64[] parameter(0) b = c64[] parameter(1) ROOT s = c64[] add(a, b) }
ENTRY e {
  a = c64[9,3] parameter(0)
  u = c64[20,3] parameter(1)
  i = u8[20,1] iota(), iota_dimension=0
  k = u8[] constant(10)
  w = u8[20,1] broadcast(k), dimensions={}
  j = u8[20,1] remainder(i, w)
  ROOT r = c64[9,3] scatter(a, j, u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
})",
                                                  kSumOfF32},
                                           Fusion{"scatter_runs", GpuEmitter::kScatterPerIndexRun, R"(
HloModule m
max { a = s32[] parameter(0) b = s32[] parameter(1) ROOT s = s32[] maximum(a, b) }
ENTRY e {
  a = s32[30,40] parameter(0)
  u = s32[2000,40] parameter(1)
  i = s32[2000,1] iota(), iota_dimension=0
  k = s32[] constant(66)
  w = s32[2000,1] broadcast(k), dimensions={}
  j = s32[2000,1] divide(i, w)
  ROOT r = s32[30,40] scatter(a, j, u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, indices_are_sorted=true, to_apply=max
})"},
                                           Fusion{"transpose", GpuEmitter::kTransposeTiled, R"(
HloModule m
ENTRY e {
  a = f32[100,3,70] parameter(0)
  n = f32[100,3,70] negate(a)
  t = f32[70,3,100] transpose(n), dimensions={2,1,0}
  ROOT r = f32[70,3,100] add(t, t)
})"},
                                           Fusion{"row_reduction", GpuEmitter::kReductionRow, R"(
HloModule m
add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[7,3000] parameter(0)
  z = f32[] constant(0)
  n = f32[7,3000] multiply(a, a)
  s = f32[7] reduce(n, z), dimensions={1}, to_apply=add
  ROOT r = f32[7] sqrt(s)
})",
                                                  kSumOfF32},
                                           Fusion{"row_reduction_uniform", GpuEmitter::kReductionRow, R"(
HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e {
  a = f32[3] parameter(0)
  b = f32[3,1088] broadcast(a), dimensions={0}
  z = f32[] constant(0)
  ROOT r = f32[3] reduce(b, z), dimensions={1}, to_apply=add
})",
                                                  kSumOfF32},
                                           Fusion{"row_reduction_argmax", GpuEmitter::kReductionRow, R"(
HloModule m
pick {
  x = f32[] parameter(0)
  i = s32[] parameter(1)
  y = f32[] parameter(2)
  j = s32[] parameter(3)
  more = pred[] compare(x, y), direction=GT
  same = pred[] compare(x, y), direction=EQ
  first = pred[] compare(i, j), direction=LT
  tie = pred[] and(same, first)
  keep = pred[] or(more, tie)
  v = f32[] select(keep, x, y)
  k = s32[] select(keep, i, j)
  ROOT t = (f32[], s32[]) tuple(v, k)
}
ENTRY e {
  a = f32[5,700] parameter(0)
  i = s32[5,700] iota(), iota_dimension=1
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  ROOT r = (f32[5], s32[5]) reduce(a, i, low, zero), dimensions={1}, to_apply=pick
})"},
                                           Fusion{"multi_row_reduction", GpuEmitter::kReductionMultiRow, R"(
HloModule m
high { x = s32[] parameter(0)  y = s32[] parameter(1)  ROOT s = s32[] maximum(x, y) }
ENTRY e {
  a = s32[4097,16] parameter(0)
  z = s32[] constant(-2147483648)
  ROOT s = s32[4097] reduce(a, z), dimensions={1}, to_apply=high
})"},
                                           Fusion{"column_reduction", GpuEmitter::kReductionColumn, R"(
HloModule m
add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[3,300,70] parameter(0)
  z = f32[] constant(1)
  s = f32[3,70] reduce(a, z), dimensions={1}, to_apply=add
  n = f32[3,300,70] negate(a)
  ROOT r = (f32[3,70], f32[3,300,70]) tuple(s, n)
})",
                                                  kSumOfF32},
                                           Fusion{"small_column_reduction", GpuEmitter::kReductionSmallColumn,
                                                  R"(
HloModule m
add { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT s = f32[] add(x, y) }
ENTRY e {
  a = f32[9,1000,4] parameter(0)
  z = f32[] constant(0)
  ROOT s = f32[9,4] reduce(a, z), dimensions={1}, to_apply=add
})",
                                                  kSumOfF32}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace subfloor::codegen::testing
