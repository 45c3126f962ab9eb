#include <chrono>
#include <ctime>
#include <filesystem>

#include "hlo/corpus.h"
#include "passes/pass_test_util.h"

// Every pass over real programs: they must verify after each, and mean the same at the end.
namespace subfloor::passes {
namespace {

using hlo::Instruction;
using hlo::Module;
using hlo::Opcode;

// What a CPU compiler runs, but for the expanders.
Pipeline EveryPass() {
  const auto pass = [](std::string_view name) { return *FindPass(name); };
  const std::vector<Pass> simplify = {
      pass("simplify-algebra"),      pass("fold-constants"), pass("merge-equal"), pass("simplify-tuples"),
      pass("simplify-conditionals"), pass("simplify-loops"), pass("dead-code")};
  Pipeline pipeline("test");
  pipeline.Add(pass("inline-calls"))
      .Add(pass("normalize-layouts"))
      .Add(pass("inline-fusions"))
      .Add(pass("flatten-call-graph"));
  pipeline.Repeat("simplify", simplify);
  pipeline.Add(pass("canonicalize-dots"))
      .Add(pass("canonicalize-convolutions"))
      .Add(pass("canonicalize-gathers"));
  pipeline.Add(pass("hoist-loop-invariants")).Repeat("simplify", simplify).Add(pass("remove-barriers"));
  pipeline.Add(pass("merge-equal")).Add(pass("dead-code"));
  pipeline.Add(pass("fuse-instructions"))
      .Add(pass("dead-code"))
      .Add(pass("wrap-in-fusions"))
      .Add(pass("dead-code"));
  return pipeline;
}

std::vector<std::filesystem::path> Programs(std::string_view folder) {
  std::vector<std::filesystem::path> files = hlo::CorpusFiles();
  std::erase_if(files,
                [&](const std::filesystem::path& path) { return path.parent_path().filename() != folder; });
  return files;
}

void RunOn(const std::filesystem::path& path, bool compare) {
  SCOPED_TRACE(path.filename().string());
  auto module = hlo::ParseModule(hlo::ReadFile(path), path.filename().string());
  ASSERT_TRUE(module.has_value()) << module.error().ToString();
  const std::unique_ptr<Module> original = (*module)->Clone();
  PassContext context;
  context.options.verify = original->instruction_count() < 20'000;
  const auto result = EveryPass().Run(**module, context);
  ASSERT_TRUE(result.has_value()) << result.error().ToString();
  const auto verified = hlo::Verify(**module, {.normal_form = true});
  ASSERT_TRUE(verified.has_value()) << verified.error().ToString();
  int64_t kernels = 0, outside = 0;
  for (const hlo::Computation* computation : (*module)->computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      kernels += instruction->opcode() == Opcode::kFusion;
      outside += !computation->IsFusionBody();
    }
  }
  double seconds = 0;
  for (const PassTime& time : context.times) seconds += std::chrono::duration<double>(time.elapsed).count();
  fmt::print("{:60} {:6} instructions -> {:5} outside, {:5} kernels, {:.3f} s\n", path.filename().string(),
             original->instruction_count(), outside, kernels, seconds);
  if (getenv("SUBFLOOR_TEST_PASS_TIMES")) {
    for (const PassTime& time : context.times)
      fmt::print("  {:30} {:.4f} {}\n", time.name, std::chrono::duration<double>(time.elapsed).count(),
                 time.changed);
  }
  std::fflush(stdout);
  if (compare) ExpectSameResults(*original, **module);
}

TEST(CorpusTest, ProgramsKeepTheirMeaning) {
  const auto programs = Programs("programs");
  if (programs.empty()) GTEST_SKIP() << "no ../shared/corpus next to the repository";
  for (const auto& path : programs) {
    const std::string name = path.filename().string();
    // Those that the evaluator, which is written to be read, runs in a second or so.
    const bool quick = name.starts_with("bench_scan") || name.starts_with("layer_norm") ||
                       name.starts_with("mha_block") || name.starts_with("sum_axis") ||
                       name.find("frag_0100") != std::string::npos ||
                       name.find("frag_0428") != std::string::npos;
    RunOn(path, quick);
  }
}

TEST(CorpusTest, FusionsVerify) {
  const auto fusions = Programs("fusions");
  if (fusions.empty()) GTEST_SKIP() << "no ../shared/corpus next to the repository";
  for (const auto& path : fusions) RunOn(path, false);
}

TEST(CorpusTest, LargeModulesVerify) {
  const auto large = Programs("large");
  if (large.empty()) GTEST_SKIP() << "no ../shared/corpus next to the repository";
  for (const auto& path : large) RunOn(path, false);
}

double ThreadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Twice the instructions, about twice the time of this thread: a busy machine's other work does not count.
TEST(ScalingTest, ChainsAreNearLinear) {
  const auto seconds = [](int n) {
    std::string text = "ENTRY e {\n p0 = f32[128] parameter(0)\n q = f32[128] parameter(1)\n";
    for (int i = 0; i < n; ++i)
      text += fmt::format(" p{} = f32[128] {}(p{}, q)\n", i + 1, i % 2 ? "add" : "multiply", i);
    text += fmt::format(" ROOT r = f32[128] negate(p{})\n}}", n);
    auto module = Parse(text);
    PassContext context;
    context.options.verify = false;
    double best = 1e9;
    for (int repeat = 0; repeat < 3; ++repeat) {
      auto copy = module->Clone();
      const double start = ThreadSeconds();
      EXPECT_TRUE(EveryPass().Run(*copy, context).has_value());
      best = std::min(best, ThreadSeconds() - start);
    }
    return best;
  };
  const double small = seconds(3200), large = seconds(6400);
  fmt::print("3200: {:.3f} s, 6400: {:.3f} s\n", small, large);
  EXPECT_LE(large, 3 * small + 0.05);
  EXPECT_LT(large, 2.0);
}

}  // namespace
}  // namespace subfloor::passes
