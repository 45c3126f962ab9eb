#include "base/nearest.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace subfloor {
namespace {

constexpr std::array<std::string_view, 4> kWords = {"threads", "cpu", "memory-limit", "rng-seed"};

TEST(Nearest, FewestEditsWin) {
  EXPECT_EQ(Nearest("thread", kWords), "threads");
  EXPECT_EQ(Nearest("cpus", kWords), "cpu");
  EXPECT_EQ(Nearest("memory_limt", kWords), "memory-limit");
  EXPECT_EQ(Nearest("rng-seed", kWords), "rng-seed");
}

TEST(Nearest, NothingNear) {
  EXPECT_EQ(Nearest("foo", kWords), "");
  EXPECT_EQ(Nearest("", kWords), "");
  EXPECT_EQ(Nearest(std::string(100'000, 't'), kWords), "");
}

}  // namespace
}  // namespace subfloor
