// Whole programs of the corpus evaluate, and give a value of the shape that they promise.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "evaluator/evaluate_op.h"
#include "evaluator/sampled.h"
#include "hlo/parser.h"
#include "types/random_literal.h"

namespace subfloor::evaluator_testing {
namespace {

class Programs : public ::testing::TestWithParam<const char*> {};

TEST_P(Programs, Evaluate) {
  const std::string name = std::string(GetParam()) + ".hlo";
  const std::filesystem::path source = SUBFLOOR_SOURCE_DIR;
  std::ifstream file(source / "../shared/corpus/programs" / name);
  if (!file) file.open(source / "../../shared/corpus/programs" / name);
  if (!file) GTEST_SKIP() << "no ../shared/corpus/programs/" << name << " beside the repository";
  std::stringstream text;
  text << file.rdbuf();
  const auto module = hlo::ParseModule(text.str(), name);
  ASSERT_TRUE(module.has_value()) << module.error().ToString();
  std::vector<Literal> arguments;
  for (const Instruction* parameter : (*module)->entry()->parameters()) {
    arguments.push_back(*RandomLiteral(parameter->shape(), 1 + static_cast<uint64_t>(arguments.size())));
  }
  EvaluateOptions options;
  options.step_limit = 20'000'000;
  const Result<Literal> result = Evaluate(**module, arguments, options);
  ASSERT_TRUE(result.has_value()) << result.error().ToString();
  EXPECT_TRUE(result->shape().Compatible((*module)->entry()->root()->shape())) << result->shape().ToString();
}

/// Elements that one evaluation of a computation and what it calls touches.
int64_t Work(const Module& module) {
  int64_t work = 0;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->shape().IsArray()) work += instruction->shape().element_count();
      if (instruction->opcode() == Opcode::kReduce) work += instruction->operand(0)->shape().element_count();
    }
  }
  return work;
}

TEST(Fusions, SamplesAgreeWithTheWhole) {
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
  int64_t evaluated = 0, refused = 0;
  for (const std::filesystem::path& path : files) {
    SCOPED_TRACE(path.filename());
    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto module = hlo::ParseModule(text, path.filename().string());
    ASSERT_TRUE(module.has_value()) << module.error().ToString();
    if (Work(**module) > 2'000'000) continue;
    std::vector<Literal> arguments;
    for (const Instruction* parameter : (*module)->entry()->parameters()) {
      arguments.push_back(*RandomLiteral(parameter->shape(), 1 + static_cast<uint64_t>(arguments.size())));
    }
    const Result<Literal> whole = Evaluate(**module, arguments);
    if (!whole) {
      // Some are parts of programs for several devices, which one participant cannot run.
      const bool needs_others = whole.error().message().contains("participants");
      EXPECT_TRUE(needs_others || whole.error().kind() == ErrorKind::kNotSupported)
          << whole.error().ToString();
      ++refused;
      continue;
    }
    ++evaluated;
    std::vector<ResultElement> wanted;
    const std::vector<const Literal*> leaves = Leaves(*whole);
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      const Shape& shape = leaves[leaf]->shape();
      const int64_t count = shape.IsArray() ? shape.element_count() : 0;
      for (int64_t k = 0; k < std::min<int64_t>(count, 5); ++k) {
        wanted.push_back({static_cast<int64_t>(leaf), (count - 1) * k / 4});
      }
    }
    for (ResultElement& element : wanted) {
      element.element =
          std::min(element.element, leaves[static_cast<size_t>(element.leaf)]->shape().element_count() - 1);
    }
    const auto samples = EvaluateSampled(**module, arguments, wanted);
    ASSERT_TRUE(samples.has_value()) << samples.error().ToString();
    for (size_t i = 0; i < wanted.size(); ++i) {
      const double sample = GetAsDouble((*samples)[i], 0);
      const double value = GetAsDouble(*leaves[static_cast<size_t>(wanted[i].leaf)], wanted[i].element);
      EXPECT_THAT(sample,
                  ::testing::NanSensitiveDoubleNear(value, std::isfinite(value) ? 1e-6 * std::abs(value) : 0))
          << "leaf " << wanted[i].leaf << " element " << wanted[i].element;
    }
  }
  EXPECT_GT(evaluated, 50);
  EXPECT_LT(refused, 10);
}

INSTANTIATE_TEST_SUITE_P(Corpus, Programs,
                         ::testing::Values("bench_scan_N2000_M3", "dlrm_keras_jax_f32_test_step",

                                           "layer_norm_1x4096x768_bf16", "sum_axis_1x4096x1024_bf16",
                                           "topk_logits_k10_1x50000_bf16", "xnn.parallel_dots.optimized",
                                           "xnn.sequential_dots.optimized",
                                           "jax.issue.33666.linx.frag_0100.module_0005",
                                           "jax.issue.33666.linx.frag_0428.module_0002",
                                           "jax.issue.33666.linx.slow_0100.module_0007"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace_if(name, [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

}  // namespace
}  // namespace subfloor::evaluator_testing
