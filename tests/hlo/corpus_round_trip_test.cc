// Every real program at hand reads, prints, reads back as the same module, and prints the same bytes again.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>

#include "hlo/corpus.h"
#include "hlo/parser.h"
#include "hlo/printer.h"

namespace subfloor::hlo {
namespace {

// Everything but names and positions, which the first print may have changed.
void ExpectSame(const Module& a, const Module& b) {
  ASSERT_EQ(a.computation_count(), b.computation_count());
  EXPECT_EQ(a.name(), b.name());
  EXPECT_EQ(a.header().entry_layout, b.header().entry_layout);
  EXPECT_EQ(a.header().input_output_alias, b.header().input_output_alias);
  EXPECT_EQ(a.header().other, b.header().other);
  EXPECT_EQ(a.header().tables, b.header().tables);
  const auto computations_a = a.MakePostOrder(), computations_b = b.MakePostOrder();
  for (size_t c = 0; c < computations_a.size(); ++c) {
    const auto order_a = computations_a[c]->MakePostOrder(), order_b = computations_b[c]->MakePostOrder();
    ASSERT_EQ(order_a.size(), order_b.size());
    for (size_t i = 0; i < order_a.size(); ++i) {
      const Instruction& x = *order_a[i];
      const Instruction& y = *order_b[i];
      ASSERT_EQ(x.opcode(), y.opcode()) << x.name();
      ASSERT_EQ(x.name(), y.name());
      ASSERT_EQ(x.shape(), y.shape()) << x.name();
      ASSERT_TRUE(x.attributes() == y.attributes()) << x.name();
      ASSERT_EQ(x.annotations(), y.annotations()) << x.name();
      ASSERT_EQ(x.IsRoot(), y.IsRoot()) << x.name();
      ASSERT_EQ(x.operand_count(), y.operand_count()) << x.name();
      for (int64_t k = 0; k < x.operand_count(); ++k) ASSERT_EQ(x.operand(k)->name(), y.operand(k)->name());
      ASSERT_EQ(x.called_computations().size(), y.called_computations().size()) << x.name();
      for (size_t k = 0; k < x.called_computations().size(); ++k) {
        ASSERT_EQ(x.called_computations()[k]->name(), y.called_computations()[k]->name()) << x.name();
      }
    }
  }
}

TEST(CorpusRoundTrip, ReadsPrintsAndReadsBack) {
  const auto files = CorpusFiles();
  if (files.empty()) GTEST_SKIP() << "no ../shared/corpus beside the repository";
  for (const auto& path : files) {
    SCOPED_TRACE(path.filename().string());
    const auto module = ParseModule(ReadFile(path), path.filename().string());
    ASSERT_TRUE(module) << module.error().ToString();
    for (const PrintOptions& options : {PrintOptions::Short(), PrintOptions::Long()}) {
      const std::string text = Print(**module, options);
      const auto again = ParseModule(text, "printed");
      ASSERT_TRUE(again) << again.error().ToString();
      ExpectSame(**module, **again);
      EXPECT_TRUE(Print(**again, options) == text);
    }
    // Without names and metadata, the text does not depend on them.
    const auto bare = ParseModule(Print(**module, PrintOptions::ShortParsable()), "parsable");
    ASSERT_TRUE(bare) << bare.error().ToString();
    EXPECT_TRUE(Print(**bare, PrintOptions::Canonical()) == Print(**module, PrintOptions::Canonical()));
    const auto canonical = ParseModule(Print(**module, PrintOptions::Canonical()), "canonical");
    ASSERT_TRUE(canonical) << canonical.error().ToString();
    EXPECT_TRUE(Print(**canonical, PrintOptions::Canonical()) == Print(**module, PrintOptions::Canonical()));
  }
}

TEST(CorpusRoundTrip, ClonePrintsAlike) {
  const auto files = CorpusFiles();
  if (files.empty()) GTEST_SKIP() << "no ../shared/corpus beside the repository";
  for (const auto& path : files) {
    const auto module = ParseModule(ReadFile(path), path.filename().string());
    ASSERT_TRUE(module) << module.error().ToString();
    EXPECT_TRUE(Print(*(*module)->Clone()) == Print(**module)) << path;
  }
}

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// Says how fast the parser is; fails only far below what it should do, since the machine may be busy.
TEST(CorpusRoundTrip, Speed) {
  const auto files = CorpusFiles();
  if (files.empty()) GTEST_SKIP() << "no ../shared/corpus beside the repository";
  std::vector<std::string> texts;
  size_t bytes = 0;
  for (const auto& path : files) bytes += texts.emplace_back(ReadFile(path)).size();
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    rusage before, after;
    getrusage(RUSAGE_THREAD, &before);
    for (const std::string& text : texts) ASSERT_TRUE(ParseModule(text));
    getrusage(RUSAGE_THREAD, &after);
    const auto seconds = [](const rusage& usage) {
      return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
             static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    };
    best = std::min(best, seconds(after) - seconds(before));
  }
  const double megabytes_per_second = static_cast<double>(bytes) / best / 1e6;
  std::cout << "parse: " << megabytes_per_second << " MB/s, parsing and destroying " << bytes << " bytes\n";
  RecordProperty("megabytes_per_second", std::to_string(megabytes_per_second));
  if (!kSanitized) EXPECT_GT(megabytes_per_second, 5);
}

}  // namespace
}  // namespace subfloor::hlo
