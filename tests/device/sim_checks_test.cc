#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "device/support/sim_fixture.h"
#include "device/support/sim_kernels.h"

/// Every check of the simulator: a kernel that commits the fault, and a twin that does not.
namespace subfloor::device::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Self = KernelThread<true>;
using Groups = std::vector<FindingGroup>;

constexpr LaunchDimensions kOneBlock = {{1, 1, 1}, {64, 1, 1}};
constexpr LaunchDimensions kTwoBlocks = {{2, 1, 1}, {64, 1, 1}};

// The plan of a checked kernel whose sites 0 and 1 have names.
SimulatedKernelPlan Plan(bool synchronises = false, uint64_t shared_bytes = 0) {
  return {.symbol = "faulty",
          .synchronises = synchronises,
          .shared_bytes = shared_bytes,
          .sites = {{"load", "x", "model.hlo:3:1"}, {"store", "y", "model.hlo:4:1"}}};
}

// The one finding there is.
Finding Only(const Groups& groups) {
  EXPECT_EQ(groups.size(), 1u);
  if (groups.empty() || groups[0].first.empty()) return {};
  return groups[0].first[0];
}

// A copy whose last thread reads one element further than OFFSET 0 would.
template <int OFFSET>
int32_t Copy(const SubfloorKernelCall* call) {
  const Self self(call);
  const uint64_t i = self.thread();
  self.Store(1, self.argument<float>(1) + i, self.Load(0, self.argument<float>(0) + i + OFFSET));
  return SUBFLOOR_KERNEL_OK;
}

TEST(OutOfBounds, AReadBehindTheEnd) {
  SimFixture f;
  const DeviceMemory in = f.Put(std::vector<float>(64, 3)), out = f.Allocate<float>(64);
  EXPECT_THAT(f.Check(Plan(), Copy<0>, kOneBlock, {in, out}), IsEmpty());
  const Finding finding = Only(f.Check(Plan(), Copy<1>, kOneBlock, {in, out}));
  EXPECT_EQ(finding.check, Check::kOutOfBounds);
  EXPECT_EQ(finding.argument, 0);
  EXPECT_EQ(finding.offset_bytes, 256);
  EXPECT_EQ(finding.bytes, 4u);
  EXPECT_EQ(finding.site, 0u);
  EXPECT_THAT(finding.thread.thread, ElementsAre(63, 0, 0));
  EXPECT_THAT(finding.ToString(), HasSubstr("kernel 'faulty', block (0,0,0) thread (63,0,0), "
                                            "load of %x (model.hlo:3:1), 4 bytes at argument 0 +256"));
  EXPECT_EQ(f.Get<float>(out)[63], 0);  // read elsewhere
}

TEST(OutOfBounds, BeforeTheStartAndAcrossTheEnd) {
  SimFixture f;
  const DeviceMemory in = f.Put(std::vector<float>(64, 3)), out = f.Allocate<float>(64);
  EXPECT_EQ(Only(f.Check(Plan(), Copy<-1>, kOneBlock, {in, out})).offset_bytes, -4);
  // Half of the last element is missing.
  const Finding finding = Only(f.Check(Plan(), Copy<0>, kOneBlock, {in.Slice(0, 254), out}));
  EXPECT_EQ(finding.offset_bytes, 252);
}

// Two arguments side by side in one allocation: only the site's own argument tells that the neighbour is
// wrong.
TEST(OutOfBounds, IntoTheNeighbour) {
  SimFixture f;
  const DeviceMemory both = f.Put(std::vector<float>(128, 3)), out = f.Allocate<float>(64);
  auto plan = Plan();
  EXPECT_THAT(f.Check(plan, Copy<1>, kOneBlock, {both.Slice(0, 256), out, both.Slice(256, 256)}), IsEmpty());
  plan.sites[0].argument = 0;
  const Finding finding =
      Only(f.Check(plan, Copy<1>, kOneBlock, {both.Slice(0, 256), out, both.Slice(256, 256)}));
  EXPECT_EQ(finding.argument, 0);
  EXPECT_EQ(finding.offset_bytes, 256);
}

template <int OFFSET>
int32_t StoreShared(const SubfloorKernelCall* call) {
  const Self self(call);
  self.StoreShared(1, self.shared<float>() + self.thread() + OFFSET, 1.0f);
  return SUBFLOOR_KERNEL_OK;
}

TEST(OutOfBounds, SharedMemory) {
  SimFixture f;
  EXPECT_THAT(f.Check(Plan(false, 256), StoreShared<0>, kOneBlock, {}), IsEmpty());
  const Finding finding = Only(f.Check(Plan(false, 256), StoreShared<1>, kOneBlock, {}));
  EXPECT_EQ(finding.check, Check::kOutOfBounds);
  EXPECT_EQ(finding.argument, Finding::kShared);
  EXPECT_EQ(finding.offset_bytes, 256);
}

// Unchecked: one thread writes one byte.
template <int OFFSET>
int32_t WriteByte(const SubfloorKernelCall* call) {
  static_cast<char*>(call->arguments[1].data)[OFFSET] = 5;
  return SUBFLOOR_KERNEL_OK;
}

TEST(RedZones, AreLookedAtAfterAFastRun) {
  SimFixture f;
  const DeviceMemory a = f.Allocate<char>(10), b = f.Allocate<char>(10);
  const Kernel& good = f.Make({.symbol = "good"}, WriteByte<9>);
  EXPECT_TRUE(f.Run(good, {}, {a, b}));
  const Kernel& behind = f.Make({.symbol = "behind"}, WriteByte<10>);
  EXPECT_THAT(f.Run(behind, {}, {a, b}).error().message(),
              HasSubstr("red zone changed: kernel 'behind' at argument 1 +10"));
  const Kernel& before = f.Make({.symbol = "before"}, WriteByte<-2>);
  EXPECT_THAT(f.Run(before, {}, {a, b}).error().message(), HasSubstr("'before' at argument 1 -2"));
  EXPECT_EQ(f.sim->TakeFindings().size(), 2u);
  EXPECT_TRUE(f.Run(good, {}, {a, b}));  // the zones were mended
}

TEST(Uninitialised, MemoryOfTheDevice) {
  SimFixture f;
  const DeviceMemory in = f.Allocate<float>(64), out = f.Allocate<float>(64);
  ASSERT_TRUE(f.stream->Fill(in.Slice(0, 40), std::byte{0}));
  ASSERT_TRUE(f.stream->Fill(in.Slice(44, 212), std::byte{0}));
  const Finding finding = Only(f.Check(Plan(), Copy<0>, kOneBlock, {in, out}));
  EXPECT_EQ(finding.check, Check::kUninitialised);
  EXPECT_EQ(finding.argument, 0);
  EXPECT_EQ(finding.offset_bytes, 40);
  EXPECT_THAT(finding.thread.thread, ElementsAre(10, 0, 0));
  ASSERT_TRUE(f.stream->Fill(in.Slice(40, 4), std::byte{0}));
  EXPECT_THAT(f.Check(Plan(), Copy<0>, kOneBlock, {in, out}), IsEmpty());
  EXPECT_THAT(f.Check(Plan(), Copy<0>, kOneBlock, {out, in}), IsEmpty());  // what a kernel wrote
}

TEST(Uninitialised, GoesAlongCopies) {
  SimFixture f;
  const DeviceMemory in = f.Allocate<float>(64), half = f.Put(std::vector<float>(64, 1)),
                     out = f.Allocate<float>(64);
  ASSERT_TRUE(f.stream->CopyOnDevice(half.Slice(128, 128), in.Slice(128, 128)));
  EXPECT_EQ(Only(f.Check(Plan(), Copy<0>, kOneBlock, {half, out})).offset_bytes, 128);
}

// Threads of the first warp write; all read what their neighbour wrote. Which faults are there, says FAULT.
enum Fault { kNone, kNoBarrier, kNotAllWritten };
template <Fault FAULT>
int32_t Neighbour(const SubfloorKernelCall* call) {
  const Self self(call);
  const uint64_t i = self.thread();
  float* shared = self.shared<float>();
  if (FAULT != kNotAllWritten || i != 7) self.StoreShared(1, shared + i, 1.0f);
  if (FAULT != kNoBarrier) self.Barrier(2);
  self.Store(3, self.argument<float>(0) + i, self.LoadShared(0, shared + (i + 1) % 64));
  return SUBFLOOR_KERNEL_OK;
}

TEST(Uninitialised, SharedMemoryOfEachBlock) {
  SimFixture f;
  const DeviceMemory out = f.Allocate<float>(64);
  EXPECT_THAT(f.Check(Plan(true, 256), Neighbour<kNone>, kOneBlock, {out}), IsEmpty());
  const auto groups = f.Check(Plan(true, 256), Neighbour<kNotAllWritten>, kOneBlock, {out});
  EXPECT_EQ(Only(groups).check, Check::kUninitialised);
  EXPECT_EQ(Only(groups).argument, Finding::kShared);
  EXPECT_EQ(Only(groups).offset_bytes, 28);
  EXPECT_THAT(Only(groups).thread.thread, ElementsAre(6, 0, 0));
}

TEST(Races, SharedMemoryWithoutABarrier) {
  SimFixture f;
  const DeviceMemory out = f.Allocate<float>(64);
  // In order, thread 63 reads what thread 0 wrote; the others read what nobody has written yet.
  const auto groups = f.Check(Plan(true, 256), Neighbour<kNoBarrier>, kOneBlock, {out});
  bool found = false;
  for (const FindingGroup& group : groups) {
    if (group.check != Check::kSharedRace || group.site != 0) continue;
    found = true;
    EXPECT_THAT(group.first[0].thread.thread, ElementsAre(63, 0, 0));
    EXPECT_THAT(group.first[0].other.thread, ElementsAre(0, 0, 0));
    EXPECT_EQ(group.first[0].offset_bytes, 0);
    EXPECT_THAT(group.first[0].ToString(), HasSubstr("no barrier between them"));
  }
  EXPECT_TRUE(found);
  // The write after the read is one, too: found at the store.
  EXPECT_TRUE(std::ranges::any_of(
      groups, [](const FindingGroup& g) { return g.check == Check::kSharedRace && g.site == 1; }));
}

// Two rounds through the same shared memory: without the second barrier the second round's writes race with
// the first round's reads.
template <bool SECOND_BARRIER>
int32_t TwoRounds(const SubfloorKernelCall* call) {
  const Self self(call);
  const uint64_t i = self.thread();
  float* shared = self.shared<float>();
  for (int round = 0; round < 2; ++round) {
    self.StoreShared(1, shared + i, 1.0f);
    self.Barrier(2);
    self.Store(3, self.argument<float>(0) + i, self.LoadShared(0, shared + 63 - i));
    if (SECOND_BARRIER) self.Barrier(4);
  }
  return SUBFLOOR_KERNEL_OK;
}

TEST(Races, SharedMemoryUsedAgain) {
  SimFixture f;
  const DeviceMemory out = f.Allocate<float>(64);
  EXPECT_THAT(f.Check(Plan(true, 256), TwoRounds<true>, kOneBlock, {out}), IsEmpty());
  // Found at the store or at the load, whichever thread comes first.
  const auto groups = f.Check(Plan(true, 256), TwoRounds<false>, kOneBlock, {out});
  EXPECT_EQ(groups.size(), 2u);
  for (const FindingGroup& group : groups) EXPECT_EQ(group.check, Check::kSharedRace);
}

// All threads of all blocks at argument 0: adds, atomically or not, to one counter for all or one each.
enum How { kAtomic, kPlain, kMixed };
template <How HOW>
int32_t Count(const SubfloorKernelCall* call) {
  const Self self(call);
  int32_t* counter = self.argument<int32_t>(0);
  if (HOW == kAtomic || (HOW == kMixed && self.block() == 0)) {
    self.AtomicAdd(0, counter, 1);
  } else {
    self.Store(1, counter, self.Load(0, counter) + 1);
  }
  return SUBFLOOR_KERNEL_OK;
}

TEST(Races, AtomicsDoNotRaceWithEachOther) {
  SimFixture f;
  const DeviceMemory counter = f.Put<int32_t>({0});
  EXPECT_THAT(f.Check(Plan(), Count<kAtomic>, kTwoBlocks, {counter}), IsEmpty());
  EXPECT_THAT(f.Get<int32_t>(counter), ElementsAre(128));
  for (auto* entry : {Count<kPlain>, Count<kMixed>}) {
    const auto groups = f.Check(Plan(), entry, kTwoBlocks, {counter});
    ASSERT_FALSE(groups.empty());
    for (const FindingGroup& group : groups) EXPECT_EQ(group.check, Check::kGlobalRace);
  }
  // Between launches there is an order.
  EXPECT_THAT(f.Check(Plan(), Count<kAtomic>, kTwoBlocks, {counter}), IsEmpty());
}

// Each block writes its part, from which block 1 reads one element of block 0 if FAULT.
template <bool FAULT>
int32_t ReadOtherBlock(const SubfloorKernelCall* call) {
  const Self self(call);
  const uint64_t i = self.block() * 64 + self.thread();
  self.Store(1, self.argument<float>(0) + i, 1.0f);
  self.Barrier(2);  // orders a block's threads, not blocks
  const uint64_t from = FAULT && i == 100 ? 5 : self.block() * 64 + 63 - self.thread();
  self.Load(0, self.argument<float>(0) + from);
  return SUBFLOOR_KERNEL_OK;
}

TEST(Races, BetweenBlocks) {
  SimFixture f;
  const DeviceMemory memory = f.Allocate<float>(128);
  EXPECT_THAT(f.Check(Plan(true), ReadOtherBlock<false>, kTwoBlocks, {memory}), IsEmpty());
  const Finding finding = Only(f.Check(Plan(true), ReadOtherBlock<true>, kTwoBlocks, {memory}));
  EXPECT_EQ(finding.check, Check::kGlobalRace);
  EXPECT_EQ(finding.argument, 0);
  EXPECT_EQ(finding.offset_bytes, 20);
  EXPECT_THAT(finding.thread.block, ElementsAre(1, 0, 0));
  EXPECT_THAT(finding.thread.thread, ElementsAre(36, 0, 0));
  EXPECT_THAT(finding.other.block, ElementsAre(0, 0, 0));
  EXPECT_THAT(finding.other.thread, ElementsAre(5, 0, 0));
}

// The order in which blocks run does not matter.
TEST(Races, BetweenBlocksInAnyOrder) {
  for (uint64_t seed = 1; seed < 6; ++seed) {
    SimFixture f({.seed = seed});
    const DeviceMemory memory = f.Allocate<float>(128);
    EXPECT_THAT(f.Check(Plan(true), ReadOtherBlock<false>, kTwoBlocks, {memory}), IsEmpty());
    ASSERT_TRUE(f.stream->Fill(memory, std::byte{0}));
    const auto groups = f.Check(Plan(true), ReadOtherBlock<true>, kTwoBlocks, {memory});
    ASSERT_EQ(groups.size(), 1u) << seed;
    EXPECT_EQ(groups[0].check, Check::kGlobalRace);
  }
}

// Neighbouring bytes are no race, the same byte is.
template <int SHIFT>
int32_t WriteBytes(const SubfloorKernelCall* call) {
  const Self self(call);
  self.Store<int8_t>(1, self.argument<int8_t>(0) + (self.thread() >> SHIFT), 1);
  return SUBFLOOR_KERNEL_OK;
}

TEST(Races, AreOfBytes) {
  SimFixture f;
  const DeviceMemory memory = f.Allocate<int8_t>(64);
  EXPECT_THAT(f.Check(Plan(), WriteBytes<0>, kOneBlock, {memory}), IsEmpty());
  const auto groups = f.Check(Plan(), WriteBytes<1>, kOneBlock, {memory});
  EXPECT_EQ(Only(groups).check, Check::kGlobalRace);
  EXPECT_EQ(groups[0].count, 32u);
  EXPECT_EQ(groups[0].first.size(), 4u);  // the rest are counted
}

// Thread 5 does not come to the barrier, or comes to another one.
enum Barriers { kAllCome, kOneEnds, kOneElsewhere };
template <Barriers BARRIERS>
int32_t Meet(const SubfloorKernelCall* call) {
  const Self self(call);
  if (BARRIERS == kOneEnds && self.thread() == 5) return SUBFLOOR_KERNEL_OK;
  self.Barrier(BARRIERS == kOneElsewhere && self.thread() == 5 ? 1 : 0);
  return SUBFLOOR_KERNEL_OK;
}

TEST(Divergence, Barriers) {
  for (bool checked : {false, true}) {
    SimFixture f;
    auto plan = Plan(true);
    plan.checked = checked;
    EXPECT_TRUE(f.Run(f.Make(plan, Meet<kAllCome>), kOneBlock, {}));
    EXPECT_FALSE(f.Run(f.Make(plan, Meet<kOneEnds>), kOneBlock, {}));
    Finding finding = Only(f.sim->TakeFindings());
    EXPECT_EQ(finding.check, Check::kDivergentBarrier);
    EXPECT_EQ(finding.site, 0u);
    EXPECT_THAT(finding.other.thread, ElementsAre(5, 0, 0));
    EXPECT_THAT(finding.ToString(), HasSubstr("the other has ended"));
    EXPECT_FALSE(f.Run(f.Make(plan, Meet<kOneElsewhere>), kOneBlock, {}));
    finding = Only(f.sim->TakeFindings());
    EXPECT_EQ(finding.check, Check::kDivergentBarrier);
    EXPECT_THAT(finding.ToString(), HasSubstr("the other waits at the barrier of site 1"));
  }
}

// Lane 40 - of the second warp - does something else than to shuffle.
enum Lanes { kAllShuffle, kOneLeaves, kOneAtBarrier };
template <Lanes LANES>
int32_t Shuffle(const SubfloorKernelCall* call) {
  const Self self(call);
  const bool stray = self.thread() == 40;
  if (LANES == kOneLeaves && stray) return SUBFLOOR_KERNEL_OK;
  uint32_t value = static_cast<uint32_t>(self.thread());
  if (LANES != kOneAtBarrier || !stray) value = self.ShuffleDown(0, value, 4);
  self.Barrier(1);
  self.Store(2, self.argument<uint32_t>(0) + self.thread(), value);
  return SUBFLOOR_KERNEL_OK;
}

TEST(Divergence, Shuffles) {
  SimFixture f;
  const DeviceMemory out = f.Allocate<uint32_t>(64);
  EXPECT_THAT(f.Check(Plan(true), Shuffle<kAllShuffle>, kOneBlock, {out}), IsEmpty());
  EXPECT_EQ(f.sim->CountersOf("faulty").shuffles, 2u);
  const auto groups = f.Check(Plan(true), Shuffle<kOneLeaves>, kOneBlock, {out});
  ASSERT_EQ(groups.size(), 2u);  // and then the barrier
  EXPECT_EQ(groups[0].check, Check::kDivergentShuffle);
  EXPECT_THAT(groups[0].first[0].thread.thread, ElementsAre(32, 0, 0));
  EXPECT_THAT(groups[0].first[0].other.thread, ElementsAre(40, 0, 0));
  EXPECT_EQ(groups[1].check, Check::kDivergentBarrier);
  // Some at a barrier, others in a shuffle: on a device nobody would go on.
  const Finding finding = Only(f.Check(Plan(true), Shuffle<kOneAtBarrier>, kOneBlock, {out}));
  EXPECT_EQ(finding.check, Check::kDivergentShuffle);
  EXPECT_THAT(finding.ToString(), HasSubstr("the other waits at the barrier of site 1"));
}

TEST(Divergence, UndeclaredMeetings) {
  SimFixture f;
  const Finding finding = Only(f.Check(Plan(false), Meet<kAllCome>, kOneBlock, {}));
  EXPECT_EQ(finding.check, Check::kUndeclaredMeeting);
}

TEST(Findings, AreOnlyListedIfAsked) {
  SimFixture f({.findings_fail = false, .findings_kept_of_each = 2});
  auto plan = Plan(true);
  plan.checked = true;
  EXPECT_TRUE(f.Run(f.Make(plan, Meet<kOneEnds>), {{9, 1, 1}, {64, 1, 1}}, {}));
  const auto groups = f.sim->TakeFindings();
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].count, 9u);
  EXPECT_EQ(groups[0].first.size(), 2u);
  EXPECT_THAT(f.sim->TakeFindings(), IsEmpty());
}

}  // namespace
}  // namespace subfloor::device::sim
