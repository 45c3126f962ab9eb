#include <gtest/gtest.h>

#include <thread>

#include "runtime/arena_pool.h"
#include "runtime/buffer_slice.h"
#include "runtime/completion.h"

namespace subfloor::runtime {
namespace {

TEST(ArenaPool, KeepsAndReuses) {
  ArenaPool pool(/*keep_bytes=*/10000);
  AlignedBytes arena = *pool.Take(4000);
  std::byte* address = arena.data();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(address) % 64, 0u);
  pool.Give(std::move(arena));
  EXPECT_EQ(pool.kept_bytes(), 4000);
  arena = *pool.Take(3000);
  EXPECT_EQ(arena.data(), address);
  EXPECT_EQ(pool.kept_bytes(), 0);
  pool.Give(std::move(arena));
  pool.Give(*pool.Take(7000));  // more than is kept: the older one goes
  EXPECT_EQ(pool.kept_bytes(), 7000);
  pool.Trim();
  EXPECT_EQ(pool.kept_bytes(), 0);
}

TEST(ArenaPool, ALargeArenaDoesNotServeASmallRun) {
  ArenaPool pool;
  pool.Give(*pool.Take(int64_t{64} << 20));
  EXPECT_EQ((*pool.Take(100)).size(), 100);
}

TEST(BufferUse, Conflicts) {
  BufferUse read{{0, 0, 64}, BufferUse::Kind::kRead}, write{{0, 32, 64}, BufferUse::Kind::kWrite};
  BufferUse beyond{{0, 64, 64}, BufferUse::Kind::kWrite}, other{{1, 0, 64}, BufferUse::Kind::kScratch};
  EXPECT_TRUE(read.ConflictsWith(write));
  EXPECT_FALSE(read.ConflictsWith(read));
  EXPECT_FALSE(read.ConflictsWith(beyond));
  EXPECT_FALSE(write.ConflictsWith(other));
  EXPECT_FALSE((BufferSlice{0, 10, 0}.Overlaps({0, 0, 64}))) << "nothing overlaps an empty slice";
}

TEST(Completion, FulfilledElsewhere) {
  Promise promise;
  Completion completion = promise.completion();
  EXPECT_FALSE(completion.IsReady());
  int called = 0;
  completion.Then([&](const Status& status) { called += status ? 100 : 1; });
  std::thread thread([&] { promise.Fulfil(BadInput("no")); });
  EXPECT_EQ(completion.Wait().error().message(), "no");
  thread.join();
  EXPECT_EQ(called, 1);
  completion.Then([&](const Status& status) { called += status ? 100 : 1; });
  EXPECT_EQ(called, 2);
  EXPECT_TRUE(Completion().IsDone());
  EXPECT_TRUE(Completion().Wait());
}

}  // namespace
}  // namespace subfloor::runtime
