#include "codegen/compile_kernels.h"

#include "codegen/kernel_harness.h"
#include "llvm/Support/ErrorHandling.h"

namespace subfloor::codegen::testing {
namespace {

using ::testing::HasSubstr;

CompileOptions Options() {
  CompileOptions options;
  options.cpu = device::HostCpu();
  return options;
}

TEST(CompileKernels, EqualBodiesAreCompiledOnce) {
  auto module = hlo::ParseModule(R"(HloModule m
    f { a = f32[8] parameter(0) ROOT r = f32[8] negate(a) }
    g { other = f32[8] parameter(0) ROOT name = f32[8] negate(other) }
    h { a = f32[9] parameter(0) ROOT r = f32[9] negate(a) }
    ENTRY e { a = f32[8] parameter(0) b = f32[9] parameter(1) x = f32[8] fusion(a), kind=kLoop, calls=f
    y = f32[8] fusion(x), kind=kLoop, calls=g z = f32[9] fusion(b), kind=kLoop, calls=h ROOT t = (f32[8], f32[9]) tuple(y, z) })");
  ASSERT_TRUE(module) << module.error().ToString();
  std::vector<KernelJob> jobs;
  for (const hlo::Computation* c : (*module)->computations()) {
    if (!c->IsEntry()) {
      jobs.push_back({});
      jobs.back().name = "same.name";
      jobs.back().body = c;
    }
  }
  CompileOptions options = Options();
  options.threads = 2;
  decision::Log log;
  auto compiled = CompileKernels(jobs, options, &log);
  ASSERT_TRUE(compiled) << compiled.error().ToString();
  EXPECT_EQ(compiled->distinct_kernels, 2);
  EXPECT_EQ(compiled->plans[0].symbol, compiled->plans[1].symbol);
  EXPECT_NE(compiled->plans[0].symbol, compiled->plans[2].symbol);
  EXPECT_EQ(compiled->image.symbols.size(), 2u);
  EXPECT_TRUE(device::LoadCodeImage(compiled->image));
  auto shared = std::count_if(log.records().begin(), log.records().end(), [](const decision::Record& r) {
    return r.question == decision::Question::kKernelShared && r.answer == decision::Answer::kYes;
  });
  EXPECT_EQ(shared, 1);
}

TEST(CompileKernelsDeathTest, AFatalErrorOfLlvmLeavesAReproducer) {
  auto module = hlo::ParseModule("ENTRY e { a = f32[8] parameter(0) ROOT r = f32[8] negate(a) }");
  ASSERT_TRUE(module) << module.error().ToString();
  KernelJob job;
  job.name = "k.1";
  job.body = (*module)->entry();
  CompileOptions options = Options();
  options.leave_reproducer = [] { return std::string("it lies there"); };
  options.dump = [](std::string_view, std::string_view, std::string_view) {
    llvm::report_fatal_error("cannot select");
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((void)CompileKernels(std::span(&job, 1), options), ::testing::ExitedWithCode(70),
              "LLVM failed on kernels k_1: cannot select\nit lies there");
}

TEST(CompileKernels, AnOpThatNoEmitterTakesIsNamed) {
  auto module = hlo::ParseModule(
      "ENTRY e { a = c64[8] parameter(0) ROOT r = c64[8] fft(a), fft_type=FFT, fft_length={8} }");
  ASSERT_TRUE(module) << module.error().ToString();
  KernelJob job;
  job.name = "k";
  job.body = (*module)->entry();
  auto compiled = CompileKernels(std::span(&job, 1), Options());
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().kind(), ErrorKind::kNotSupported);
  EXPECT_THAT(compiled.error().ToString(), HasSubstr("no emitter takes fft"));
}

TEST(CompileKernels, NoJobsMakeAnEmptyImage) {
  auto compiled = CompileKernels({}, Options());
  ASSERT_TRUE(compiled) << compiled.error().ToString();
  EXPECT_TRUE(compiled->plans.empty());
}

TEST(CompileKernels, StagesAreDumped) {
  auto module = hlo::ParseModule("ENTRY e { a = f32[8] parameter(0) ROOT r = f32[8] negate(a) }");
  ASSERT_TRUE(module);
  std::vector<std::string> stages;
  CompileOptions options = Options();
  options.dump = [&](std::string_view stage, std::string_view, std::string_view text) {
    stages.emplace_back(stage);
    EXPECT_FALSE(text.empty());
  };
  KernelJob job;
  job.name = "k";
  job.body = (*module)->entry();
  ASSERT_TRUE(CompileKernels(std::span(&job, 1), options));
  EXPECT_EQ(stages, (std::vector<std::string>{"dialect", "cse", "lower-kernels", "outline-large-blocks",
                                              "scf-to-cf", "lower-to-llvm", "llvm", "asm"}));
}

// A chain of `length` products and sums of x and y, which stay near one.
std::string Chain(std::string_view type, int length) {
  std::string text = fmt::format("x = {0} parameter(0) y = {0} parameter(1) v0 = {0} add(x, y) ", type);
  for (int i = 1; i < length; ++i) {
    text += fmt::format("v{} = {} {}(v{}, {}) ", i, type, i % 2 != 0 ? "multiply" : "subtract", i - 1,
                        i % 3 != 0 ? "x" : "y");
  }
  return text + fmt::format("ROOT r = {} add(v{}, v0)", type, length - 1);
}

// v0 is used at both ends: it is handed from piece to piece. 37 elements fill vectors and leave a tail.
TEST(CompileKernels, LargeBodiesBecomeSeveralFunctions) {
  const std::string text = "ENTRY e { " + Chain("s32[37]", 3000) + " }";
  ExpectAgrees(text);
  auto module = hlo::ParseModule(text);
  ASSERT_TRUE(module) << module.error().ToString();
  std::string outlined;
  CompileOptions options = Options();
  options.dump = [&](std::string_view stage, std::string_view, std::string_view dumped) {
    if (stage == "outline-large-blocks") outlined = dumped;
  };
  KernelJob job;
  job.name = "k";
  job.body = (*module)->entry();
  ASSERT_TRUE(CompileKernels(std::span(&job, 1), options));
  EXPECT_THAT(outlined, HasSubstr("call @k.piece2("));
  EXPECT_THAT(outlined, HasSubstr("passthrough = [\"noinline\"]"));
}

// As deep as a chain of operands can be before a recursion over it would end the process.
TEST(CompileKernels, ALongReducerCostsNoStack) {
  ExpectAgrees("chain { " + Chain("s32[]", 15000) +
               " } ENTRY e { a = s32[3] parameter(0) b = s32[] parameter(1) "
               "ROOT r = s32[] reduce(a, b), dimensions={0}, to_apply=chain }");
}

}  // namespace
}  // namespace subfloor::codegen::testing
