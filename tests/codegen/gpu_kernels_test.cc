#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "codegen/compile_gpu.h"
#include "codegen/target/ptxas.h"
#include "device/description/device_description.h"
#include "device/sim/sim_executor.h"
#include "dispatch/cpu_dispatch.h"
#include "dispatch/gpu_dispatch.h"
#include "evaluator/evaluator.h"
#include "hlo/parser.h"
#include "types/compare_literals.h"
#include "types/random_literal.h"

// Fusions compiled for a GPU, run on the simulated one under all its checks, and compared with the evaluator.
namespace subfloor::codegen {
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

std::vector<const Shape*> OutputLeaves(const hlo::Computation& body) { return Leaves(body.root()->shape()); }

Result<std::vector<Literal>> RunOnSimulator(const hlo::Computation& body, std::span<const Literal> arguments,
                                            const dispatch::GpuChoice& choice,
                                            const device::DeviceDescription& description, bool checked) {
  KernelJob job;
  job.name = "kernel";
  job.body = &body;
  if (choice.emitter == GpuEmitter::kInPlaceUpdate) {
    for (auto [parameter, leaf] : dispatch::InPlaceUpdates(body)) job.in_place.emplace_back(leaf, parameter);
  }
  CompileOptions options;
  options.cpu = device::HostCpu();
  const device::CodeImage image = SF_TRY(CompileSimulatedKernel(job, choice, description, checked, options));
  const device::SimulatedKernelPlan& plan = image.simulated.at(0);
  const auto executor = SF_TRY(device::sim::MakeSimExecutor(description));
  const auto module = SF_TRY(executor->LoadModule(image));
  const device::Kernel* kernel = SF_TRY(module->FindKernel(plan.symbol));
  const auto stream = SF_TRY(executor->MakeStream());
  std::vector<device::DeviceMemory> memory;
  for (const Literal& argument : arguments) {
    memory.push_back(SF_TRY(executor->Allocate(argument.bytes().size())));
    SF_CHECK(stream->CopyToDevice(memory.back(), argument.bytes()));
  }
  const std::vector<const Shape*> leaves = OutputLeaves(body);
  for (size_t i = 0; i < leaves.size(); ++i) {
    int64_t shared = -1;
    for (auto [leaf, parameter] : job.in_place) {
      if (leaf == static_cast<int64_t>(i)) shared = parameter;
    }
    memory.push_back(shared >= 0 ? memory[static_cast<size_t>(shared)]
                                 : SF_TRY(executor->Allocate(static_cast<uint64_t>(leaves[i]->byte_size()))));
  }
  SF_CHECK(stream->Launch(*kernel, {plan.grid, plan.block, plan.shared_bytes}, memory));
  std::vector<Literal> results;
  for (const Shape* leaf : leaves) results.push_back(SF_TRY(Literal::Zeros(*leaf)));
  for (size_t i = 0; i < leaves.size(); ++i)
    SF_CHECK(stream->CopyToHost(results[i].mutable_bytes(), memory[arguments.size() + i]));
  SF_CHECK(stream->Synchronize());
  return results;
}

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
    KernelJob job;
    job.name = "kernel";
    job.body = &body();
    const auto code = CompileGpuKernel(job, *choice, description, {});
    ASSERT_TRUE(code) << code.error().ToString();
    EXPECT_NE(code->ptx.find(".visible .entry kernel("), std::string::npos) << code->ptx;
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
    KernelJob job;
    job.name = "kernel";
    job.body = &body();
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

// Every element type through float sums and products in some order: what matters is that none is off by its
// own size.
CompareOptions LooseFor(ElementType type) {
  CompareOptions tolerance;
  const bool narrow = IsFloat(type) && BitWidth(type) < 32;
  tolerance.rtol = tolerance.atol = IsFloat(type) || IsComplex(type) ? (narrow ? 0.1 : 1e-3) : 0;
  return tolerance;
}

TEST(GpuCorpus, FusionsAgreeOnTheSimulator) {
  const std::filesystem::path source = SUBFLOOR_SOURCE_DIR;
  std::vector<std::filesystem::path> files;
  for (const char* up : {"../shared/corpus/fusions", "../../shared/corpus/fusions"}) {
    std::error_code absent;
    for (const auto& entry : std::filesystem::directory_iterator(source / up, absent))
      files.push_back(entry.path());
    if (!files.empty()) break;
  }
  if (files.empty()) GTEST_SKIP() << "no ../shared/corpus/fusions beside the repository";
  std::ranges::sort(files);
  const device::DeviceDescription description = *device::DeviceByName("h100");
  int64_t agree = 0;
  std::map<std::string, int64_t> left_out;
  for (const std::filesystem::path& path : files) {
    SCOPED_TRACE(path.filename());
    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto module = hlo::ParseModule(text, path.filename().string());
    ASSERT_TRUE(module) << module.error().ToString();
    const hlo::Computation& body = *(*module)->entry();
    int64_t elements = 0;
    for (const hlo::Instruction* op : body.instructions()) {
      for (const Shape* leaf : Leaves(op->shape())) elements = std::max(elements, leaf->element_count());
    }
    constexpr int64_t kLargest = 300'000;  // the evaluator's time, and the checks'
    if (elements > kLargest) {
      ++left_out["large"];
      continue;
    }
    std::vector<Literal> arguments;
    for (const hlo::Instruction* parameter : body.parameters())
      arguments.push_back(*RandomLiteral(parameter->shape(), 1 + static_cast<uint64_t>(arguments.size())));
    const auto choice = dispatch::ChooseGpuEmitter(body, -1, description, nullptr);
    if (!choice) {
      ++left_out["choice: " + choice.error().message()];
      continue;
    }
    const auto actual = RunOnSimulator(body, arguments, *choice, description, /*checked=*/true);
    if (!actual && actual.error().kind() == ErrorKind::kNotSupported) {
      ++left_out[actual.error().message()];
      continue;
    }
    EXPECT_TRUE(actual) << actual.error().ToString();
    if (!actual) continue;
    const auto expected = Evaluate(**module, arguments);
    if (!expected) {
      ++left_out["evaluator: " + expected.error().message()];
      continue;
    }
    const std::vector<const Literal*> wanted = Leaves(*expected);
    bool right = true;
    for (size_t i = 0; i < wanted.size(); ++i) {
      const auto comparison = CompareLiterals((*actual)[i], *wanted[i], LooseFor(wanted[i]->element_type()));
      ASSERT_TRUE(comparison) << comparison.error().ToString();
      EXPECT_TRUE(comparison->Matches())
          << dispatch::ToString(choice->emitter) << ", result " << i << ": " << comparison->ToString();
      right &= comparison->Matches();
    }
    agree += right;
  }
  for (const auto& [why, count] : left_out) fmt::print("{} left out: {}\n", count, why);
  fmt::print("{} of {} agree\n", agree, files.size());
  EXPECT_GE(agree, 117);  // as many as did; more as emitters come
}

}  // namespace
}  // namespace subfloor::codegen
