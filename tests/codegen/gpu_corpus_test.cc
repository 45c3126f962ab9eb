#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "codegen/gpu_harness.h"
#include "evaluator/evaluator.h"
#include "hlo/parser.h"
#include "types/compare_literals.h"
#include "types/random_literal.h"

// The fusions of the corpus, on a simulated H100 under all its checks, against the evaluator.

namespace subfloor::codegen::testing {
namespace {

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
    // Indices that the program promises to be unique, and random ones are not.
    const bool promises = std::ranges::any_of(body.instructions(), [](const hlo::Instruction* op) {
      return op->opcode() == hlo::Opcode::kScatter && op->As<hlo::ScatterAttributes>().unique_indices &&
             op->operand(op->operand_count() / 2)->IsParameter();
    });
    if (promises) {
      ++left_out["unique indices"];
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
  EXPECT_GE(agree, 124);  // as many as did; more as emitters come
}

}  // namespace
}  // namespace subfloor::codegen::testing
