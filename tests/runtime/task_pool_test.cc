#include "runtime/task_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <numeric>

namespace subfloor::runtime {
namespace {

TEST(TaskPool, EveryIndexOnce) {
  TaskPool pool(4);
  for (int64_t count : {0, 1, 2, 3, 17, 1000}) {
    std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
    pool.ParallelFor(count, 0, [&](int64_t i) { ++seen[static_cast<size_t>(i)]; });
    for (auto& n : seen) EXPECT_EQ(n, 1);
  }
}

// Sanitizers map terabytes and would not live under the limit.
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
TEST(TaskPoolDeathTest, FewerThreadsThanAskedForWillDo) {
  const auto run = [] {
    // No stack of a further thread fits.
    const rlimit limit{1 << 20, 1 << 20};
    setrlimit(RLIMIT_AS, &limit);
    TaskPool pool(64);
    std::atomic<int> sum{0};
    pool.ParallelFor(10, 0, [&](int64_t i) { sum += static_cast<int>(i); });
    std::_Exit(pool.threads() < 64 && sum == 45 ? 0 : 1);
  };
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(0), "");
}
#endif

TEST(TaskPool, TheCapHolds) {
  TaskPool pool(4);
  std::atomic<int> inside{0}, most{0};
  pool.ParallelFor(200, 2, [&](int64_t) {
    int now = ++inside;
    for (int old = most; old < now && !most.compare_exchange_weak(old, now);) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    --inside;
  });
  EXPECT_LE(most, 2);
}

TEST(TaskPool, LoopsNest) {
  TaskPool pool(3);
  std::atomic<int64_t> sum{0};
  pool.ParallelFor(20, 0, [&](int64_t i) { pool.ParallelFor(20, 0, [&](int64_t j) { sum += i * 20 + j; }); });
  EXPECT_EQ(sum, 399 * 400 / 2);
}

TEST(TaskPool, ManyCallers) {
  TaskPool pool(3);
  std::vector<std::thread> callers;
  std::atomic<int64_t> sum{0};
  for (int t = 0; t < 8; ++t)
    callers.emplace_back([&] {
      for (int round = 0; round < 500; ++round) pool.ParallelFor(5, 0, [&](int64_t i) { sum += i; });
    });
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(sum, 8 * 500 * 10);
}

}  // namespace
}  // namespace subfloor::runtime
