#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "device/support/sim_fixture.h"
#include "device/support/sim_kernels.h"

/// Counters on patterns whose cost is known, the width of a warp, and what a seed changes.
namespace subfloor::device::sim {
namespace {

using ::testing::ElementsAre;

using Self = KernelThread<true>;

DeviceDescription WithWarpOf64() { return *DeviceByName("mi300"); }

// Thread i loads element i * STRIDE.
template <int STRIDE, typename T = float>
int32_t LoadStrided(const SubfloorKernelCall* call) {
  const Self self(call);
  self.Load(0, self.argument<T>(0) + self.thread() * STRIDE);
  return SUBFLOOR_KERNEL_OK;
}

AccessCounters LoadsOf(SubfloorKernel entry, uint64_t threads, DeviceMemory (*where)(DeviceMemory) = nullptr,
                       const DeviceDescription& device = *DeviceByName("h100")) {
  SimFixture f({}, device);
  DeviceMemory memory = f.Put(std::vector<float>(8192, 1));
  if (where != nullptr) memory = where(memory);
  EXPECT_TRUE(f.Check({.symbol = "k"}, entry, {{1, 1, 1}, {threads, 1, 1}}, {memory}).empty());
  return f.sim->CountersOf("k").GlobalLoads();
}

TEST(Sectors, OfKnownPatterns) {
  const AccessCounters coalesced = LoadsOf(LoadStrided<1>, 64);
  EXPECT_EQ(coalesced.warp_accesses, 2u);
  EXPECT_EQ(coalesced.thread_accesses, 64u);
  EXPECT_EQ(coalesced.bytes, 256u);
  EXPECT_EQ(coalesced.sectors, 8u);
  EXPECT_EQ(coalesced.ideal_sectors, 8u);
  EXPECT_EQ(coalesced.ungrouped, 0u);

  EXPECT_EQ(LoadsOf(LoadStrided<2>, 32).sectors, 8u);
  EXPECT_EQ(LoadsOf(LoadStrided<2>, 32).ideal_sectors, 4u);
  EXPECT_EQ(LoadsOf(LoadStrided<32>, 32).sectors, 32u);
  EXPECT_EQ(LoadsOf(LoadStrided<32>, 32).ideal_sectors, 4u);
  const AccessCounters broadcast = LoadsOf(LoadStrided<0>, 32);
  EXPECT_EQ(broadcast.sectors, 1u);
  EXPECT_EQ(broadcast.ideal_sectors, 1u);
  EXPECT_EQ(broadcast.bytes, 128u);
  const AccessCounters doubles = LoadsOf(LoadStrided<1, double>, 32);
  EXPECT_EQ(doubles.sectors, 8u);
  EXPECT_EQ(doubles.ideal_sectors, 8u);
  const AccessCounters bytes = LoadsOf(LoadStrided<1, int8_t>, 32);
  EXPECT_EQ(bytes.sectors, 1u);
}

TEST(Sectors, OfAMisalignedStart) {
  const AccessCounters shifted =
      LoadsOf(LoadStrided<1>, 32, [](DeviceMemory memory) { return memory.Slice(4, 1024); });
  EXPECT_EQ(shifted.sectors, 5u);
  EXPECT_EQ(shifted.ideal_sectors, 4u);
}

TEST(Sectors, AWarpOf64) {
  const AccessCounters coalesced = LoadsOf(LoadStrided<1>, 128, nullptr, WithWarpOf64());
  EXPECT_EQ(coalesced.warp_accesses, 2u);
  EXPECT_EQ(coalesced.sectors, 16u);
}

// Lanes in descending order, and only the odd ones.
int32_t LoadBackwards(const SubfloorKernelCall* call) {
  const Self self(call);
  if (self.thread() % 2 == 1) self.Load(0, self.argument<float>(0) + 31 - self.thread());
  return SUBFLOOR_KERNEL_OK;
}

TEST(Sectors, OfLanesThatDiverge) {
  const AccessCounters loads = LoadsOf(LoadBackwards, 32);
  EXPECT_EQ(loads.warp_accesses, 1u);
  EXPECT_EQ(loads.thread_accesses, 16u);
  EXPECT_EQ(loads.sectors, 4u);
  EXPECT_EQ(loads.ideal_sectors, 2u);
}

TEST(Counters, StoresAndAtomicsAndSites) {
  SimFixture f;
  const DeviceMemory a = f.Put(std::vector<float>(256, 1)), b = f.Put(std::vector<float>(256, 2)),
                     out = f.Allocate<float>(256);
  SimulatedKernelPlan plan{.symbol = "add"};
  EXPECT_TRUE(f.Check(plan, Add<true>, {{2, 1, 1}, {128, 1, 1}}, {a, b, out}).empty());
  EXPECT_TRUE(f.Check(plan, Add<true>, {{2, 1, 1}, {128, 1, 1}}, {a, b, out}).empty());
  const KernelCounters counters = f.sim->CountersOf("add");
  EXPECT_EQ(counters.launches, 2u);
  EXPECT_EQ(counters.GlobalLoads().bytes, 4096u);
  EXPECT_EQ(counters.GlobalStores().bytes, 2048u);
  EXPECT_EQ(counters.GlobalStores().sectors, counters.GlobalStores().ideal_sectors);
  ASSERT_EQ(counters.sites.size(), 3u);
  EXPECT_EQ(counters.sites[1].kind, static_cast<uint32_t>(SUBFLOOR_ACCESS_LOAD));
  EXPECT_EQ(counters.sites[1].accesses.bytes, 2048u);
  EXPECT_EQ(f.sim->CountersOf("other").launches, 0u);
}

int32_t AddToOne(const SubfloorKernelCall* call) {
  const Self self(call);
  self.AtomicAdd(0, self.argument<int32_t>(0), 1);
  return SUBFLOOR_KERNEL_OK;
}

TEST(Counters, Atomics) {
  SimFixture f;
  EXPECT_TRUE(f.Check({.symbol = "k"}, AddToOne, {{1, 1, 1}, {50, 1, 1}}, {f.Put<int32_t>({0})}).empty());
  const AccessCounters atomics = f.sim->CountersOf("k").GlobalAtomics();
  EXPECT_EQ(atomics.thread_accesses, 50u);
  EXPECT_EQ(atomics.warp_accesses, 2u);
  EXPECT_EQ(f.sim->CountersOf("k").GlobalStores().bytes, 0u);
}

// Thread i stores element i * STRIDE of shared memory.
template <int STRIDE, typename T = float>
int32_t StoreStrided(const SubfloorKernelCall* call) {
  const Self self(call);
  self.StoreShared(0, self.shared<T>() + self.thread() * STRIDE, T(1));
  return SUBFLOOR_KERNEL_OK;
}

AccessCounters SharedOf(SubfloorKernel entry, uint64_t threads,
                        const DeviceDescription& device = *DeviceByName("h100")) {
  SimFixture f({.findings_fail = false}, device);
  SimulatedKernelPlan plan{.symbol = "k", .checked = true, .shared_bytes = 16384};
  EXPECT_TRUE(f.Run(f.Make(plan, entry), {{1, 1, 1}, {threads, 1, 1}}, {}));
  return f.sim->CountersOf("k").Shared();
}

TEST(Banks, OfKnownPatterns) {
  EXPECT_EQ(SharedOf(StoreStrided<1>, 32).passes, 1u);
  EXPECT_EQ(SharedOf(StoreStrided<1>, 32).ideal_passes, 1u);
  EXPECT_EQ(SharedOf(StoreStrided<2>, 32).passes, 2u);
  EXPECT_EQ(SharedOf(StoreStrided<32>, 32).passes, 32u);
  EXPECT_EQ(SharedOf(StoreStrided<32>, 32).ideal_passes, 1u);
  EXPECT_EQ(SharedOf(StoreStrided<33>, 32).passes, 1u);
  EXPECT_EQ(SharedOf(StoreStrided<0>, 32).passes, 1u);  // one word for all
  EXPECT_EQ(SharedOf(StoreStrided<1, int8_t>, 32).passes, 1u);
  EXPECT_EQ(SharedOf(StoreStrided<1, double>, 32).passes, 2u);
  EXPECT_EQ(SharedOf(StoreStrided<1, double>, 32).ideal_passes, 2u);
  EXPECT_EQ(SharedOf(StoreStrided<16, double>, 32).passes, 32u);
  EXPECT_EQ(SharedOf(StoreStrided<1>, 64, WithWarpOf64()).passes, 2u);
}

AccessCounters SharedOfTranspose(SubfloorKernel entry, uint64_t pitch, KernelCounters* all) {
  SimFixture f;
  SimulatedKernelPlan plan{.symbol = "t", .synchronises = true, .shared_bytes = 32 * pitch * 4};
  const DeviceMemory in = f.Put(std::vector<float>(64 * 64, 1)), out = f.Allocate<float>(64 * 64);
  EXPECT_TRUE(f.Check(plan, entry, {{2, 2, 1}, {32, 4, 1}}, {in, out}).empty());
  *all = f.sim->CountersOf("t");
  return all->Shared();
}

TEST(Banks, PaddingATransposeRemovesConflicts) {
  KernelCounters all;
  const AccessCounters padded = SharedOfTranspose(Transpose<true, 33>, 33, &all);
  EXPECT_EQ(padded.passes, padded.ideal_passes);
  EXPECT_EQ(all.GlobalLoads().sectors, all.GlobalLoads().ideal_sectors);
  EXPECT_EQ(all.GlobalStores().sectors, 64u * 64 * 4 / 32);
  EXPECT_EQ(all.barriers, 4u);
  const AccessCounters plain = SharedOfTranspose(Transpose<true, 32>, 32, &all);
  EXPECT_EQ(plain.ideal_passes, padded.ideal_passes);
  EXPECT_EQ(plain.passes, plain.ideal_passes / 2 * 33);  // half of the accesses take 32 passes
}

// A thread's value of the lane one and 40 further.
int32_t ShuffleFar(const SubfloorKernelCall* call) {
  const KernelThread<false> self(call);
  const auto i = static_cast<uint32_t>(self.thread());
  const uint32_t near = self.ShuffleDown(0, i, 1), far = self.ShuffleDown(1, i, 40);
  self.argument<uint32_t>(0)[2 * i] = near;
  self.argument<uint32_t>(0)[2 * i + 1] = far;
  return SUBFLOOR_KERNEL_OK;
}

TEST(Shuffles, StayWithinTheWarp) {
  for (uint32_t warp : {32u, 64u}) {
    SimFixture f({.seed = 3}, warp == 32 ? *DeviceByName("h100") : WithWarpOf64());
    const uint32_t threads = 100;  // the last warp is not whole
    const DeviceMemory out = f.Allocate<uint32_t>(2 * threads);
    ASSERT_TRUE(f.Run(f.Make({.synchronises = true}, ShuffleFar), {{1, 1, 1}, {threads, 1, 1}}, {out}));
    const auto values = f.Get<uint32_t>(out);
    for (uint32_t i = 0; i < threads; ++i) {
      const uint32_t end = std::min(threads, (i / warp + 1) * warp);
      EXPECT_EQ(values[2 * i], i + 1 < end ? i + 1 : i);
      EXPECT_EQ(values[2 * i + 1], i + 40 < end ? i + 40 : i);
    }
  }
}

// The order in which threads come: argument 0 counts, the rest says who came when. Twice, around a barrier.
template <bool SYNCHRONISES>
int32_t Order(const SubfloorKernelCall* call) {
  const KernelThread<false> self(call);
  auto* list = self.argument<int32_t>(0);
  const auto come = [&] { list[++list[0]] = static_cast<int32_t>(self.block() * 8 + self.thread()); };
  come();
  if (SYNCHRONISES) self.Barrier(0);
  come();
  return SUBFLOOR_KERNEL_OK;
}

std::vector<int32_t> OrderOf(uint64_t seed, bool synchronises) {
  SimFixture f({.seed = seed});
  std::vector<int32_t> list(1 + 2 * 3 * 8);
  const DeviceMemory memory = f.Put(list);
  const Kernel& kernel = f.Make({.synchronises = synchronises}, synchronises ? Order<true> : Order<false>);
  EXPECT_TRUE(f.Run(kernel, {{3, 1, 1}, {8, 1, 1}}, {memory}));
  list = f.Get<int32_t>(memory);
  list.erase(list.begin());
  return list;
}

TEST(Seeds, PermuteBlocksAndThreads) {
  for (bool synchronises : {false, true}) {
    const auto in_order = OrderOf(0, synchronises);
    EXPECT_EQ(in_order[0], 0);
    EXPECT_EQ(in_order.back(), 23);
    for (uint64_t seed = 1; seed < 8; ++seed) {
      const auto order = OrderOf(seed, synchronises);
      EXPECT_EQ(order, OrderOf(seed, synchronises));
      EXPECT_NE(order, in_order);
      EXPECT_NE(order, OrderOf(seed + 1, synchronises));
      auto sorted = order, sorted_in_order = in_order;
      std::ranges::sort(sorted);
      std::ranges::sort(sorted_in_order);
      EXPECT_EQ(sorted, sorted_in_order);
      if (!synchronises) continue;
      // Of one block all come before the barrier, and then all again.
      for (int block = 0; block < 3; ++block) {
        std::vector<int32_t> first(order.begin() + block * 16, order.begin() + block * 16 + 8);
        std::ranges::sort(first);
        EXPECT_EQ(first.back() - first.front(), 7);
      }
    }
  }
}

// Kernels may have frames of some size.
int32_t LargeFrame(const SubfloorKernelCall* call) {
  const KernelThread<false> self(call);
  volatile char frame[48 << 10];
  for (size_t i = 0; i < sizeof(frame); i += 1024) frame[i] = static_cast<char>(self.thread());
  self.Barrier(0);
  int32_t wrong = 0;
  for (size_t i = 0; i < sizeof(frame); i += 1024) wrong += frame[i] != static_cast<char>(self.thread());
  self.argument<int32_t>(0)[self.thread()] = wrong;
  return SUBFLOOR_KERNEL_OK;
}

TEST(Fibers, HaveStacksOfTheirOwn) {
  SimFixture f;
  const DeviceMemory out = f.Allocate<int32_t>(1024);
  ASSERT_TRUE(f.Run(f.Make({.synchronises = true}, LargeFrame), {{2, 1, 1}, {1024, 1, 1}}, {out}));
  EXPECT_THAT(f.Get<int32_t>(out), ::testing::Each(0));
}

}  // namespace
}  // namespace subfloor::device::sim
