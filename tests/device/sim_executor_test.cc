#include "device/sim/sim_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <numeric>

#include "device/description/cpu_description.h"
#include "device/platform.h"
#include "device/support/sim_fixture.h"
#include "device/support/sim_kernels.h"

/// The device seam as the simulated platform fills it: memory, modules, launches, streams, events.
namespace subfloor::device::sim {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// One thread: argument 1 becomes argument 0 plus 1.
int32_t AddOne(const SubfloorKernelCall* call) {
  *static_cast<int32_t*>(call->arguments[1].data) = *static_cast<const int32_t*>(call->arguments[0].data) + 1;
  return SUBFLOOR_KERNEL_OK;
}

int32_t Refuse(const SubfloorKernelCall* call) {
  call->error->code = SUBFLOOR_KERNEL_INDEX_OUT_OF_BOUNDS;
  call->error->site = 7;
  return SUBFLOOR_KERNEL_INDEX_OUT_OF_BOUNDS;
}

TEST(Platform, OpensByName) {
  ASSERT_EQ(Platforms().front().name, "sim");
  auto device = OpenDevice("sim");
  ASSERT_TRUE(device);
  EXPECT_EQ((*device)->name(), "sim:h100");
  EXPECT_EQ((*OpenDevice("sim:mi300"))->name(), "sim:mi300");
  EXPECT_THAT(OpenDevice("cuda").error().message(),
              HasSubstr("no platform called 'cuda'; this build has sim"));
  EXPECT_THAT(OpenDevice("sim:no_such_chip").error().message(), HasSubstr("no_such_chip"));
}

TEST(SimExecutor, AddsByWholeBlocks) {
  SimFixture f;
  std::vector<float> a(1024), b(1024, 0.5f);
  std::iota(a.begin(), a.end(), 0.0f);
  const DeviceMemory out = f.Allocate<float>(1024);
  SimulatedKernelPlan plan{.symbol = "add", .whole_block = true};
  ASSERT_TRUE(f.Run(f.Make(plan, AddWholeBlock), {{8, 1, 1}, {128, 1, 1}}, {f.Put(a), f.Put(b), out}));
  const auto sum = f.Get<float>(out);
  for (size_t i = 0; i < sum.size(); ++i) ASSERT_EQ(sum[i], a[i] + 0.5f);
  const KernelCounters counters = f.sim->CountersOf("add");
  EXPECT_EQ(counters.launches, 1u);
  EXPECT_EQ(counters.blocks, 8u);
  EXPECT_EQ(counters.threads, 1024u);
}

void ExpectTransposes(uint32_t host_threads, uint64_t seed, bool checked) {
  SimFixture f({.seed = seed, .host_threads = host_threads});
  std::vector<float> in(128 * 128);
  std::iota(in.begin(), in.end(), 0.0f);
  const DeviceMemory out = f.Allocate<float>(in.size());
  SimulatedKernelPlan plan{
      .symbol = "transpose", .checked = checked, .synchronises = true, .shared_bytes = 32 * 33 * 4};
  Status status = f.Run(f.Make(plan, checked ? Transpose<true> : Transpose<false>), {{4, 4, 1}, {32, 4, 1}},
                        {f.Put(in), out});
  ASSERT_TRUE(status) << status.error().ToString();
  const auto result = f.Get<float>(out);
  for (size_t i = 0; i < in.size(); ++i) ASSERT_EQ(result[i], in[i % 128 * 128 + i / 128]) << i;
  EXPECT_EQ(f.sim->CountersOf("transpose").barriers, 16u);
}

TEST(SimExecutor, TransposesThroughSharedMemory) { ExpectTransposes(1, 0, false); }
TEST(SimExecutor, TransposesInAnyOrder) { ExpectTransposes(1, 99, false); }
TEST(SimExecutor, TransposesOnSeveralHostThreads) { ExpectTransposes(3, 5, false); }
TEST(SimExecutor, TransposesChecked) { ExpectTransposes(2, 0, true); }

// The image's kernel is of the host, one call a block: no different from a whole block.
TEST(SimExecutor, LoadsAModule) {
  std::ifstream file(SUBFLOOR_LOADER_KERNELS, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  CodeImage image;
  image.bytes.resize(bytes.size());
  std::memcpy(image.bytes.data(), bytes.data(), bytes.size());
  image.symbols = {"add_one"};
  image.triple = HostCpu().triple;
  image.kernel_abi_version = SUBFLOOR_KERNEL_ABI_VERSION;
  SimFixture f;
  EXPECT_THAT(f.sim->LoadModule(image).error().message(), HasSubstr("no kernels for a simulated device"));
  image.simulated = {{.symbol = "add_one", .whole_block = true}};
  auto module = f.sim->LoadModule(image);
  ASSERT_TRUE(module) << module.error().ToString();
  EXPECT_FALSE((*module)->FindKernel("add_two"));
  const DeviceMemory out = f.Allocate<float>(3);
  ASSERT_TRUE(f.Run(**(*module)->FindKernel("add_one"), {}, {f.Put<float>({1, 2, 3}), out}));
  EXPECT_THAT(f.Get<float>(out), ElementsAre(2, 3, 4));
  image.simulated = {{.symbol = "add_two"}};
  EXPECT_THAT(f.sim->LoadModule(image).error().message(), HasSubstr("'add_two'"));
}

TEST(SimExecutor, FreshMemoryIsNoZero) {
  SimFixture f;
  EXPECT_THAT(f.Get<int32_t>(f.Allocate<int32_t>(5)), Each(-1));
}

TEST(SimExecutor, RefusesMemoryThatIsNotThere) {
  DeviceDescription device = *DeviceByName("h100");
  device.memory_bytes = 1000;
  SimFixture f({}, device);
  const DeviceMemory a = f.Allocate<std::byte>(600);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a.address) % 256, 0u);
  auto b = f.sim->Allocate(401);
  ASSERT_FALSE(b);
  EXPECT_EQ(b.error().kind(), ErrorKind::kOutOfResources);
  EXPECT_THAT(b.error().message(), HasSubstr("401 bytes: 400 of the simulated device's 1000"));
  EXPECT_FALSE(f.sim->Free(a.Slice(0, 10)));
  EXPECT_FALSE(f.sim->Free(a.Slice(1, 599)));
  ASSERT_TRUE(f.sim->Free(a));
  EXPECT_FALSE(f.sim->Free(a));
  EXPECT_TRUE(f.sim->Allocate(1000));
  EXPECT_TRUE(f.sim->Allocate(0));
}

TEST(SimExecutor, RefusesWrongCopies) {
  SimFixture f;
  const DeviceMemory a = f.Allocate<std::byte>(64), b = f.Allocate<std::byte>(64);
  std::vector<std::byte> host(65);
  EXPECT_FALSE(f.stream->CopyToDevice(a, host));
  EXPECT_FALSE(f.stream->CopyToHost(host, a));
  EXPECT_FALSE(f.stream->CopyToDevice({a.address, 65}, host));
  EXPECT_FALSE(f.stream->CopyToHost(host, {a.address - 1, 65}));
  EXPECT_FALSE(f.stream->CopyOnDevice(a, b.Slice(0, 63)));
  EXPECT_FALSE(f.stream->CopyOnDevice(a.Slice(0, 32), a.Slice(31, 32)));
  EXPECT_FALSE(f.stream->Fill({b.address, 65}, std::byte{0}));
  EXPECT_TRUE(f.stream->CopyOnDevice(a.Slice(0, 32), a.Slice(32, 32)));
  ASSERT_TRUE(f.sim->Free(a));
  EXPECT_FALSE(f.stream->CopyOnDevice(b, a));
}

TEST(SimExecutor, RefusesIllegalLaunches) {
  DeviceDescription device = *DeviceByName("h100");
  device.threads_per_block_limit = 256;
  device.shared_per_block_optin_bytes = 1024;
  SimFixture f({}, device);
  const DeviceMemory memory = f.Allocate<float>(4);
  const Kernel& kernel = f.Make({.block = {64, 2, 1}}, AddOne);
  const Kernel& any = f.Make({}, AddOne);
  const auto message = [&](const Kernel& k, const LaunchDimensions& d, std::vector<DeviceMemory> arguments) {
    Status status = f.stream->Launch(k, d, arguments);
    return status ? "accepted" : status.error().message();
  };
  EXPECT_THAT(message(kernel, {{1, 1, 1}, {128, 1, 1}}, {}),
              HasSubstr("made for a block of 64x2x1, not 128x1x1"));
  EXPECT_THAT(message(any, {{1, 1, 1}, {257, 1, 1}}, {}), HasSubstr("and 256 in all"));
  EXPECT_THAT(message(any, {{1, 1, 1}, {uint64_t{1} << 32, uint64_t{1} << 32, 1}}, {}),
              HasSubstr("and 256 in all"));
  EXPECT_THAT(message(any, {{1, 0, 1}, {1, 1, 1}}, {}), HasSubstr("a grid of 1x0x1"));
  EXPECT_THAT(message(any, {{~uint64_t{0}, ~uint64_t{0}, 1}, {1, 1, 1}}, {}), HasSubstr("a grid of"));
  EXPECT_THAT(message(any, {{1, 1, 1}, {1, 1, 1}, 1025}, {}),
              HasSubstr("1025 bytes of shared memory; sim:h100 has 1024"));
  EXPECT_THAT(message(any, {}, {memory, {memory.address, 17}}), HasSubstr("argument 1"));
  SimFixture other;
  EXPECT_THAT(other.stream->Launch(any, {}, {}).error().message(), HasSubstr("of another device"));
  EXPECT_FALSE(f.sim->MakeKernel({{.synchronises = true, .whole_block = true}, AddOne}));
  EXPECT_FALSE(f.sim->MakeKernel({{}, nullptr}));
  EXPECT_THAT(message(any, {{1, 1, 1}, {1, 1, 65}}, {}), HasSubstr("up to 1024x1024x64"));
  EXPECT_THAT(message(any, {{1, 65536, 1}, {1, 1, 1}}, {}), HasSubstr("a grid of 1x65536x1"));
  device.grid_threads_limit = 1 << 20;
  SimFixture narrow({}, device);
  EXPECT_THAT(
      narrow.stream->Launch(narrow.Make({}, AddOne), {{8193, 1, 1}, {128, 1, 1}}, {}).error().message(),
      HasSubstr("takes 1048576 threads"));
  device.threads_per_warp = 33;
  EXPECT_FALSE(MakeSimExecutor(device));
}

TEST(SimExecutor, AKernelsErrorFailsTheStreamOnce) {
  SimFixture f;
  const DeviceMemory memory = f.Put<int32_t>({1});
  ASSERT_TRUE(f.stream->Launch(f.Make({.symbol = "refuse"}, Refuse), {}, {}));
  ASSERT_TRUE(f.stream->Fill(memory, std::byte{0}));  // dropped
  EXPECT_THAT(f.stream->Synchronize().error().message(),
              HasSubstr("'refuse', block (0,0,0): error 1 at site 7"));
  EXPECT_TRUE(f.stream->Synchronize());
  EXPECT_THAT(f.Get<int32_t>(memory), ElementsAre(1));
}

TEST(SimExecutor, MemoryFreedBeforeTheKernelRuns) {
  SimFixture f;
  const DeviceMemory a = f.Put<int32_t>({1}), b = f.Allocate<int32_t>(1);
  const DeviceMemory arguments[] = {a, b};
  ASSERT_TRUE(f.stream->Launch(f.Make({}, AddOne), {}, arguments));
  ASSERT_TRUE(f.sim->Free(a));  // waits for the kernel
  EXPECT_THAT(f.Get<int32_t>(b), ElementsAre(2));
}

TEST(SimStreams, WorkIsInOrderAndWaitsToBeAskedFor) {
  SimFixture f;
  const DeviceMemory a = f.Put<int32_t>({1}), b = f.Put<int32_t>({0});
  const DeviceMemory arguments[] = {a, b};
  ASSERT_TRUE(f.stream->Launch(f.Make({}, AddOne), {}, arguments));
  ASSERT_TRUE(f.stream->CopyOnDevice(a, b));
  ASSERT_TRUE(f.stream->Launch(f.Make({}, AddOne), {}, arguments));
  int32_t result = 0;
  ASSERT_TRUE(f.stream->CopyToHost(std::as_writable_bytes(std::span(&result, 1)), b));
  EXPECT_EQ(result, 0);
  ASSERT_TRUE(f.sim->Synchronize());
  EXPECT_EQ(result, 3);
}

TEST(SimStreams, EventsOrderStreams) {
  SimFixture f;
  auto second = *f.sim->MakeStream();
  auto event = *f.sim->MakeEvent(), after = *f.sim->MakeEvent();
  EXPECT_TRUE(*event->Query());  // never recorded
  EXPECT_THAT(f.sim->ElapsedNs(*event, *after).error().message(), HasSubstr("never recorded"));
  const DeviceMemory a = f.Put<int32_t>({4}), b = f.Put<int32_t>({0}), c = f.Put<int32_t>({0});
  const DeviceMemory first_arguments[] = {a, b}, second_arguments[] = {b, c};
  ASSERT_TRUE(f.stream->Launch(f.Make({}, AddOne), {}, first_arguments));
  ASSERT_TRUE(f.stream->Record(*event));
  EXPECT_THAT(f.sim->ElapsedNs(*event, *event).error().message(), HasSubstr("has not happened"));
  ASSERT_TRUE(second->Wait(*event));
  ASSERT_TRUE(second->Launch(f.Make({}, AddOne), {}, second_arguments));
  ASSERT_TRUE(second->Record(*after));
  ASSERT_TRUE(second->Synchronize());
  EXPECT_THAT(f.Get<int32_t>(c), ElementsAre(6));
  EXPECT_GE(*f.sim->ElapsedNs(*event, *after), 0);
  EXPECT_LE(*f.sim->ElapsedNs(*after, *event), 0);
}

TEST(SimStreams, QueriesEndByThemselves) {
  SimFixture f;
  auto event = *f.sim->MakeEvent();
  const DeviceMemory a = f.Put<int32_t>({1});
  ASSERT_TRUE(f.stream->Fill(a, std::byte{1}));
  ASSERT_TRUE(f.stream->Fill(a, std::byte{2}));
  ASSERT_TRUE(f.stream->Record(*event));
  EXPECT_FALSE(*event->Query());
  int asked = 0;
  while (!*event->Query()) ASSERT_LT(++asked, 10);
  ASSERT_TRUE(event->Synchronize());
  EXPECT_THAT(f.Get<int32_t>(a), ElementsAre(0x02020202));
}

TEST(SimStreams, AFailureGoesAlongEvents) {
  SimFixture f;
  auto second = *f.sim->MakeStream();
  auto event = *f.sim->MakeEvent();
  ASSERT_TRUE(f.stream->Launch(f.Make({.symbol = "refuse"}, Refuse), {}, {}));
  ASSERT_TRUE(f.stream->Record(*event));
  ASSERT_TRUE(second->Wait(*event));
  EXPECT_THAT(second->Synchronize().error().message(),
              HasSubstr("waited for an event of a stream that failed"));
  EXPECT_FALSE(event->Synchronize());
  EXPECT_FALSE(event->Query());
  EXPECT_FALSE(f.stream->Synchronize());
}

// What the second stream reads depends on whether the first has written, which nothing orders: without a seed
// only what is waited for runs; among seeds both orders come.
TEST(SimStreams, SeedsShowAMissingEvent) {
  const auto run = [](uint64_t seed) {
    SimFixture f({.seed = seed});
    auto second = *f.sim->MakeStream();
    const DeviceMemory a = f.Put<int32_t>({0}), b = f.Put<int32_t>({0});
    EXPECT_TRUE(f.stream->Fill(a, std::byte{1}));
    EXPECT_TRUE(second->CopyOnDevice(b, a));
    EXPECT_TRUE(second->Synchronize());
    return f.Get<int32_t>(b)[0];
  };
  EXPECT_EQ(run(0), 0);
  int written = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    written += run(seed) != 0;
    EXPECT_EQ(run(seed), run(seed));
  }
  EXPECT_GT(written, 0);
  EXPECT_LT(written, 20);
}

}  // namespace
}  // namespace subfloor::device::sim
