#include "driver/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace subfloor::driver {
namespace {

using ::testing::HasSubstr;

TEST(Options, AreSetFromText) {
  Options options;
  ASSERT_TRUE(SetOption(options, "threads", "3"));
  ASSERT_TRUE(SetOption(options, "cpu", "x86-64-v3"));
  ASSERT_TRUE(SetOption(options, "verify-passes", "true"));
  EXPECT_EQ(options.ThreadCount(), 3);
  EXPECT_EQ(options.cpu, "x86-64-v3");
  EXPECT_TRUE(options.verify_passes);
}

TEST(Options, WhatIsWrongIsNamed) {
  Options options;
  const auto problem = [&](std::string_view name, std::string_view value) {
    const Status set = SetOption(options, name, value);
    return set ? std::string() : set.error().message();
  };
  EXPECT_THAT(problem("thread", "3"), HasSubstr("the nearest is 'threads'"));
  EXPECT_THAT(problem("threads", "three"), HasSubstr("wants an integer, found 'three'"));
  EXPECT_THAT(problem("threads", "-1"), HasSubstr("wants 0 or more, found -1"));
  EXPECT_THAT(problem("verify-passes", "1"), HasSubstr("wants true or false, found '1'"));
  EXPECT_EQ(options.threads, 0);
}

TEST(Options, ChangedOnesArePrintedAsFlags) {
  Options options;
  EXPECT_EQ(ChangedOptions(options), "");
  options.threads = 2;
  options.skip_passes = "dead-code";
  EXPECT_EQ(ChangedOptions(options), " --set threads=2 --set skip-passes=dead-code");
}

TEST(Options, AThousandThreadsAreEnough) {
  Options options;
  options.threads = 5000;
  EXPECT_EQ(options.ThreadCount(), 1024);
}

}  // namespace
}  // namespace subfloor::driver
