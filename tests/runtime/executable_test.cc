#include "runtime/cpu/executable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfenv>
#include <cstdlib>
#include <thread>

#include "runtime/cpu/control_thunks.h"
#include "runtime/cpu/copy_thunk.h"
#include "runtime/cpu/custom_call_thunk.h"
#include "runtime/cpu/device_id_thunk.h"
#include "runtime/cpu/fill_thunk.h"
#include "runtime/cpu/kernel_thunk.h"
#include "runtime/cpu/profile_table.h"
#include "runtime/cpu/rng_state_thunk.h"
#include "runtime/float_environment.h"
#include "test_image.h"

namespace subfloor::runtime {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename T>
class Buffer {
 public:
  Buffer(std::initializer_list<T> values) : Buffer(std::vector<T>(values)) {}
  explicit Buffer(const std::vector<T>& values)
      : bytes_(*AlignedBytes::Allocate(static_cast<int64_t>(values.size() * sizeof(T)))) {
    std::copy(values.begin(), values.end(), data());
  }
  T* data() const { return reinterpret_cast<T*>(bytes_.data()); }
  size_t size() const { return static_cast<size_t>(bytes_.size()) / sizeof(T); }
  BufferView view() const { return {data(), bytes_.size()}; }
  std::vector<T> values() const { return {data(), data() + size()}; }

 private:
  AlignedBytes bytes_;
};

template <typename T>
std::shared_ptr<const AlignedBytes> ConstantOf(std::vector<T> values) {
  return std::make_shared<const AlignedBytes>(*AlignedBytes::CopyOf(std::as_bytes(std::span(values))));
}

std::unique_ptr<const Executable> Make(std::vector<Allocation> allocations, ThunkSequence thunks) {
  auto executable = Executable::Create({.name = "test",
                                        .allocations = std::move(allocations),
                                        .thunks = std::move(thunks),
                                        .image = TestImage(),
                                        .custom_calls = nullptr});
  if (!executable) {
    ADD_FAILURE() << executable.error().ToString();
    return nullptr;
  }
  return *std::move(executable);
}

Error CreateError(std::vector<Allocation> allocations, ThunkSequence thunks) {
  auto executable = Executable::Create({.name = "test",
                                        .allocations = std::move(allocations),
                                        .thunks = std::move(thunks),
                                        .image = TestImage(),
                                        .custom_calls = nullptr});
  return executable ? Error(ErrorKind::kInternal, "no error") : executable.error();
}

Status RunOnce(const Executable& executable, std::vector<BufferView> parameters,
               std::vector<BufferView> outputs, const RunOptions& options = {}) {
  return executable.Execute(parameters, outputs, options).Wait();
}

KernelLaunch Launch(std::string symbol, int64_t workgroups = 1, int64_t scratch = 0) {
  return {.symbol = std::move(symbol), .workgroups = workgroups, .scratch_bytes = scratch};
}

// y = (x + c) + x over n floats, through a temporary.
std::unique_ptr<const Executable> TwoAdds(int64_t n, int64_t workgroups) {
  const int64_t bytes = n * 4;
  BufferSlice x{0, 0, bytes}, c{1, 0, bytes}, y{2, 0, bytes}, t{3, 0, bytes};
  ThunkSequence thunks;
  thunks.Emplace<KernelThunk>(ThunkInfo{"", "add.1", 1}, Launch("add_f32", workgroups), std::vector{x, c},
                              std::vector{t});
  thunks.Emplace<KernelThunk>(ThunkInfo{"", "add.2", 2}, Launch("add_f32", workgroups), std::vector{t, x},
                              std::vector{y});
  return Make({Allocation::Parameter(0, bytes),
               Allocation::Constant(ConstantOf(std::vector<float>(static_cast<size_t>(n), 10))),
               Allocation::Output(0, bytes), Allocation::Temp(bytes)},
              std::move(thunks));
}

TEST(Executable, KernelsConstantsTemporaries) {
  auto executable = TwoAdds(3, 1);
  Buffer<float> x{1, 2, 3}, y{0, 0, 0};
  ASSERT_TRUE(RunOnce(*executable, {x.view()}, {y.view()}));
  EXPECT_THAT(y.values(), ElementsAre(12, 14, 16));
  EXPECT_EQ(executable->temp_bytes(), 64);
  EXPECT_EQ(executable->constant_bytes(), 12);
}

TEST(Executable, WorkgroupsShareAPool) {
  TaskPool pool(4);
  auto executable = TwoAdds(1001, 7);
  Buffer<float> x(std::vector<float>(1001, 2)), y(std::vector<float>(1001, 0));
  for (int cap : {0, 1, 2}) {
    std::fill_n(y.data(), y.size(), 0.0f);
    ASSERT_TRUE(RunOnce(*executable, {x.view()}, {y.view()}, {.pool = &pool, .max_threads = cap}));
    EXPECT_THAT(y.values(), Each(14));
  }
}

TEST(Executable, EightThreadsAtOnce) {
  TaskPool pool(3);
  auto executable = TwoAdds(5000, 5);
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      Buffer<float> x(std::vector<float>(5000, static_cast<float>(t))), y(std::vector<float>(5000, -1));
      for (int i = 0; i < 200; ++i) {
        std::fill_n(y.data(), y.size(), -1.0f);
        if (!RunOnce(*executable, {x.view()}, {y.view()}, {.pool = &pool})) return;
        for (float value : y.values())
          if (value != 2 * static_cast<float>(t) + 10) return;
      }
      ++good;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 8);
}

TEST(Executable, WrongBuffersAreRefused) {
  auto executable = TwoAdds(3, 1);
  Buffer<float> x{1, 2, 3}, y{0, 0, 0}, wide{0, 0, 0, 0, 0};
  EXPECT_THAT(RunOnce(*executable, {}, {y.view()}).error().message(), HasSubstr("0 parameter and 1 output"));
  EXPECT_THAT(RunOnce(*executable, {wide.view()}, {y.view()}).error().message(),
              HasSubstr("parameter 0 has 20 bytes"));
  EXPECT_THAT(RunOnce(*executable, {x.view()}, {{wide.data() + 1, 12}}).error().message(),
              HasSubstr("no multiple of 64"));
  EXPECT_THAT(RunOnce(*executable, {x.view()}, {{nullptr, 12}}).error().message(), HasSubstr("null"));
}

// Parameter 0 becomes output 0: in place when donated, a copy otherwise.
TEST(Executable, Donation) {
  ThunkSequence thunks;
  BufferSlice x{0, 0, 4};
  thunks.Emplace<KernelThunk>(ThunkInfo{"", "inc", 1}, Launch("increment_s32"), std::vector{x},
                              std::vector{x});
  auto executable = Make({Allocation::ParameterAndOutput(0, 0, 4)}, std::move(thunks));
  EXPECT_EQ(executable->aliased_parameter(0), 0);
  Buffer<int32_t> a{41}, b{0};
  ASSERT_TRUE(RunOnce(*executable, {a.view()}, {b.view()}));
  EXPECT_EQ(a.values()[0], 41);
  EXPECT_EQ(b.values()[0], 42);
  ASSERT_TRUE(RunOnce(*executable, {a.view()}, {a.view()}));
  EXPECT_EQ(a.values()[0], 42);
}

TEST(Executable, ScratchIsEachWorkgroupsOwn) {
  KernelLaunch launch = Launch("use_scratch", 4, 100);
  ASSERT_EQ(KernelThunk::ScratchBytes(launch), 4 * 128);
  ThunkSequence thunks;
  thunks.Emplace<KernelThunk>(ThunkInfo{}, launch, std::vector<BufferSlice>{},
                              std::vector{BufferSlice{0, 0, 64}}, BufferSlice{1, 0, 512});
  auto executable = Make({Allocation::Output(0, 64), Allocation::Temp(512)}, std::move(thunks));
  TaskPool pool(2);
  Buffer<uint64_t> out(std::vector<uint64_t>(8));
  ASSERT_TRUE(RunOnce(*executable, {}, {out.view()}, {.pool = &pool}));
  for (uint64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(out.data()[2 * i], i);
    EXPECT_EQ(out.data()[2 * i + 1], out.data()[1] + 128 * i);
    EXPECT_EQ(out.data()[2 * i + 1] % 64, 0u);
  }
}

TEST(Executable, KernelsMayUseTheHostsLoop) {
  ThunkSequence thunks;
  thunks.Emplace<KernelThunk>(ThunkInfo{}, Launch("squares"), std::vector<BufferSlice>{},
                              std::vector{BufferSlice{0, 0, 40}});
  auto executable = Make({Allocation::Output(0, 40)}, std::move(thunks));
  TaskPool pool(2);
  Buffer<int64_t> out(std::vector<int64_t>(5));
  ASSERT_TRUE(RunOnce(*executable, {}, {out.view()}, {.pool = &pool}));
  EXPECT_THAT(out.values(), ElementsAre(0, 1, 4, 9, 16));
}

TEST(Executable, ErrorsNameTheInstruction) {
  for (int64_t workgroups : {1, 6}) {
    ThunkSequence thunks;
    thunks.Emplace<KernelThunk>(ThunkInfo{"", "gather.7", 7}, Launch("fail_at_five", workgroups),
                                std::vector<BufferSlice>{}, std::vector<BufferSlice>{});
    auto executable = Make({}, std::move(thunks));
    Status status = RunOnce(*executable, {}, {});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().ToString(), "%gather.7: index 5 is outside of [0, 4) (site 2)");
  }
}

TEST(Executable, DefaultFloatEnvironmentAndBack) {
  ThunkSequence thunks;
  thunks.Emplace<KernelThunk>(ThunkInfo{}, Launch("float_environment"), std::vector<BufferSlice>{},
                              std::vector{BufferSlice{0, 0, 8}});
  auto executable = Make({Allocation::Output(0, 8)}, std::move(thunks));
  Buffer<float> out{0, 0};
  std::fesetround(FE_UPWARD);
  Status status = RunOnce(*executable, {}, {out.view()});
  const int after = std::fegetround();
  std::fesetround(FE_TONEAREST);
  ASSERT_TRUE(status);
  EXPECT_EQ(after, FE_UPWARD);
  EXPECT_EQ(out.values()[0], 1e-45f);
  EXPECT_EQ(out.values()[1], 1.0f);  // upward it would be more
#if defined(__x86_64__)
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040);  // flush subnormals, in and out
  status = RunOnce(*executable, {}, {out.view()});
  const unsigned flushing = _mm_getcsr();
  _mm_setcsr(saved);
  ASSERT_TRUE(status);
  EXPECT_EQ(flushing & 0x8040, 0x8040u);
  EXPECT_EQ(out.values()[0], 1e-45f);
#endif
}

TEST(Executable, CopyAndFill) {
  constexpr size_t kCount = (3 << 20) / 4 + 5;  // several blocks and a rest
  const int64_t bytes = kCount * 4;
  const float two = 2;
  ThunkSequence thunks;
  thunks.Emplace<FillThunk>(ThunkInfo{}, std::as_bytes(std::span(&two, 1)), BufferSlice{1, 0, bytes});
  thunks.Emplace<CopyThunk>(ThunkInfo{}, BufferSlice{0, 0, 8}, BufferSlice{1, 4, 8});
  thunks.Emplace<CopyThunk>(ThunkInfo{}, BufferSlice{1, 0, bytes}, BufferSlice{2, 0, bytes});
  auto executable = Make({Allocation::Parameter(0, 8), Allocation::Temp(bytes), Allocation::Output(0, bytes)},
                         std::move(thunks));
  TaskPool pool(2);
  Buffer<float> in{7, 8}, out(std::vector<float>(kCount, 0));
  ASSERT_TRUE(RunOnce(*executable, {in.view()}, {out.view()}, {.pool = &pool}));
  std::vector<float> expected(kCount, 2);
  expected[1] = 7;
  expected[2] = 8;
  EXPECT_EQ(out.values(), expected);
}

ThunkSequence One(std::unique_ptr<Thunk> thunk) {
  ThunkSequence sequence;
  sequence.Append(std::move(thunk));
  return sequence;
}

std::unique_ptr<Thunk> Increment(BufferSlice value) {
  return std::make_unique<KernelThunk>(ThunkInfo{"", "inc", 2}, Launch("increment_s32"), std::vector{value},
                                       std::vector{value});
}

// Counts parameter 0 up: while (i < bound) ++i, or a known number of times.
TEST(Executable, Loops) {
  for (bool known : {false, true}) {
    BufferSlice i{0, 0, 4}, bound{1, 0, 4}, predicate{2, 0, 1};
    auto condition = One(std::make_unique<KernelThunk>(ThunkInfo{"", "less", 1}, Launch("less_s32"),
                                                       std::vector{i, bound}, std::vector{predicate}));
    ThunkSequence thunks;
    thunks.Emplace<WhileThunk>(ThunkInfo{"", "while", 3}, std::move(condition), One(Increment(i)), predicate,
                               known ? std::optional<int64_t>(5) : std::nullopt);
    auto executable =
        Make({Allocation::ParameterAndOutput(0, 0, 4), Allocation::Parameter(1, 4), Allocation::Temp(1)},
             std::move(thunks));
    ASSERT_EQ(executable->thunks().size(), 3u);
    EXPECT_EQ(executable->thunks()[0]->kind(), ThunkKind::kWhile);
    EXPECT_EQ(executable->thunks()[1]->info().instruction, "less");
    Profile profile = executable->MakeProfile();
    Buffer<int32_t> start{3}, limit{10}, out{0};
    ASSERT_TRUE(RunOnce(*executable, {start.view(), limit.view()}, {out.view()}, {.profile = &profile}));
    EXPECT_EQ(out.values()[0], known ? 8 : 10);
    EXPECT_EQ(profile.entries[0].runs, 1);
    EXPECT_EQ(profile.entries[1].runs, known ? 0 : 8);
    EXPECT_EQ(profile.entries[2].runs, known ? 5 : 7);
    EXPECT_GE(profile.entries[0].elapsed, profile.entries[2].elapsed);
    // Times that are known: the loop's own is 30 of 100 or, where the condition runs, 20.
    profile.entries[0].elapsed = std::chrono::microseconds(100);
    profile.entries[1].elapsed = std::chrono::microseconds(known ? 0 : 10);
    profile.entries[2].elapsed = std::chrono::microseconds(70);
    const std::string table = ProfileTable(*executable, profile);
    EXPECT_LT(table.find("%inc"), table.find("%while")) << table;  // the costlier first
    EXPECT_EQ(table.find("%less") == std::string::npos, known) << table;
    EXPECT_THAT(table, HasSubstr("3 steps, 100.0 us a run"));
    EXPECT_THAT(table, HasSubstr("70.0  70.0%"));
    EXPECT_THAT(table, HasSubstr(known ? "30.0  30.0%" : "20.0  20.0%"));
    EXPECT_EQ(ProfileTable(*executable, profile, 1, 1).find("%while"), std::string::npos);
  }
}

// Branch i adds to output i; out-of-range indices take the last.
TEST(Executable, ConditionalByIndex) {
  std::vector<ThunkSequence> branches;
  for (int32_t b = 0; b < 3; ++b) branches.push_back(One(Increment({1, b * 64, 4})));
  ThunkSequence thunks;
  thunks.Emplace<ConditionalThunk>(ThunkInfo{}, BufferSlice{0, 0, 4}, std::move(branches));
  auto executable =
      Make({Allocation::Parameter(0, 4), Allocation::ParameterAndOutput(1, 0, 192)}, std::move(thunks));
  for (auto [index, branch] : {std::pair(0, 0), {1, 1}, {2, 2}, {3, 2}, {-1, 2}, {INT32_MIN, 2}}) {
    Buffer<int32_t> selector{index}, counts(std::vector<int32_t>(48, 0));
    ASSERT_TRUE(RunOnce(*executable, {selector.view(), counts.view()}, {counts.view()}));
    for (int b = 0; b < 3; ++b) EXPECT_EQ(counts.data()[b * 16], b == branch) << index;
  }
}

TEST(Executable, ConditionalByPred) {
  std::vector<ThunkSequence> branches;
  for (int32_t b = 0; b < 2; ++b) branches.push_back(One(Increment({1, b * 64, 4})));
  ThunkSequence thunks;
  thunks.Emplace<ConditionalThunk>(ThunkInfo{}, BufferSlice{0, 0, 1}, std::move(branches));
  auto executable =
      Make({Allocation::Parameter(0, 1), Allocation::ParameterAndOutput(1, 0, 128)}, std::move(thunks));
  for (auto [pred, branch] : {std::pair(1, 0), {0, 1}, {255, 0}}) {
    Buffer<uint8_t> selector{static_cast<uint8_t>(pred)};
    Buffer<int32_t> counts(std::vector<int32_t>(32, 0));
    ASSERT_TRUE(RunOnce(*executable, {selector.view(), counts.view()}, {counts.view()}));
    EXPECT_EQ(counts.data()[branch * 16], 1);
    EXPECT_EQ(counts.data()[16 - branch * 16], 0);
  }
}

const char* DoubleIt(void** outputs, const void** inputs, const char* opaque, size_t opaque_size) {
  if (std::string_view(opaque, opaque_size) == "fail") return "asked to fail";
  *static_cast<float*>(outputs[0]) = 2 * *static_cast<const float*>(inputs[0]);
  return nullptr;
}

TEST(Executable, CustomCalls) {
  ffi::CustomCallRegistry registry;
  ASSERT_TRUE(registry.Register("double_it", &DoubleIt));
  auto make = [&](std::string target, std::string opaque) {
    ThunkSequence thunks;
    thunks.Emplace<CustomCallThunk>(ThunkInfo{"", "cc", 1}, std::move(target), std::move(opaque),
                                    std::vector{BufferSlice{0, 0, 4}}, std::vector{BufferSlice{1, 0, 4}});
    return Executable::Create({.name = "t",
                               .allocations = {Allocation::Parameter(0, 4), Allocation::Output(0, 4)},
                               .thunks = std::move(thunks),
                               .image = std::nullopt,
                               .custom_calls = &registry});
  };
  Buffer<float> in{21}, out{0};
  auto good = make("double_it", "");
  ASSERT_TRUE(good);
  ASSERT_TRUE(RunOnce(**good, {in.view()}, {out.view()}));
  EXPECT_EQ(out.values()[0], 42);
  EXPECT_EQ(RunOnce(**make("double_it", "fail"), {in.view()}, {out.view()}).error().ToString(),
            "%cc: custom call 'double_it': asked to fail");
  auto missing = make("treble_it", "");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind(), ErrorKind::kNotSupported);
  EXPECT_THAT(missing.error().ToString(), HasSubstr("%cc: nobody registered a custom call 'treble_it'"));
}

TEST(Executable, RngStateLastsAcrossRuns) {
  ThunkSequence thunks;
  thunks.Emplace<RngStateThunk>(ThunkInfo{}, /*delta=*/5, BufferSlice{0, 0, 16});
  auto executable = Make({Allocation::Output(0, 16)}, std::move(thunks));
  Buffer<uint64_t> out{1, 1};
  ASSERT_TRUE(RunOnce(*executable, {}, {out.view()}));
  EXPECT_THAT(out.values(), ElementsAre(0x7012395u, 0u));
  ASSERT_TRUE(RunOnce(*executable, {}, {out.view()}));
  EXPECT_THAT(out.values(), ElementsAre(0x701239au, 0u));
}

TEST(Executable, DeviceIds) {
  ThunkSequence thunks;
  thunks.Emplace<DeviceIdThunk>(ThunkInfo{}, ThunkKind::kReplicaId, BufferSlice{0, 0, 4});
  thunks.Emplace<DeviceIdThunk>(ThunkInfo{}, ThunkKind::kPartitionId, BufferSlice{1, 0, 4});
  auto executable = Make({Allocation::Output(0, 4), Allocation::Output(1, 4)}, std::move(thunks));
  Buffer<int32_t> replica{-1}, partition{-1};
  ASSERT_TRUE(
      RunOnce(*executable, {}, {replica.view(), partition.view()}, {.replica_id = 3, .partition_id = 4}));
  EXPECT_EQ(replica.values()[0], 3);
  EXPECT_EQ(partition.values()[0], 4);
}

TEST(Executable, ContradictionsAreFound) {
  auto copy = [](BufferSlice from, BufferSlice to) {
    return One(std::make_unique<CopyThunk>(ThunkInfo{"", "copy.1", 1}, from, to));
  };
  const std::vector<Allocation> table{Allocation::Parameter(0, 8), Allocation::Output(0, 8),
                                      Allocation::Constant(ConstantOf(std::vector<int64_t>{1}))};
  EXPECT_THAT(CreateError(table, copy({0, 4, 8}, {1, 0, 8})).ToString(),
              HasSubstr("%copy.1: bytes [4, 12) of allocation 0"));
  EXPECT_THAT(CreateError(table, copy({0, 0, 8}, {5, 0, 8})).message(), HasSubstr("a slice of allocation 5"));
  EXPECT_THAT(CreateError(table, copy({1, 0, 8}, {2, 0, 8})).message(), HasSubstr("a constant"));
  EXPECT_THAT(CreateError(table, copy({1, 0, 8}, {0, 0, 8})).message(),
              HasSubstr("a parameter and no output"));
  EXPECT_THAT(CreateError(table, copy({0, 0, 8}, {1, 0, 4})).message(),
              HasSubstr("a copy of 8 bytes into 4"));
  EXPECT_THAT(CreateError({Allocation::Parameter(1, 8)}, {}).message(), HasSubstr("out of range"));
  EXPECT_THAT(CreateError({Allocation::Parameter(1, 8), Allocation::Temp(1)}, {}).message(),
              HasSubstr("parameter 0 has no"));
  EXPECT_THAT(CreateError({Allocation::Output(0, 8), Allocation::Output(0, 8)}, {}).message(),
              HasSubstr("both for output 0"));
}

TEST(Executable, DeepNestingIsRefused) {
  auto nest = [](int depth) {
    ThunkSequence thunks;
    for (int i = 0; i < depth; ++i)
      thunks = One(std::make_unique<CallThunk>(ThunkInfo{"", "call", 1}, std::move(thunks)));
    return thunks;
  };
  EXPECT_TRUE(RunOnce(*Make({}, nest(Executable::kMaxNesting)), {}, {}));
  EXPECT_EQ(CreateError({}, nest(Executable::kMaxNesting + 1)).kind(), ErrorKind::kNotSupported);
}

TEST(Executable, TooLargeForMemory) {
  auto executable = Make({Allocation::Temp(int64_t{1} << 60)}, {});
  Status status = RunOnce(*executable, {}, {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind(), ErrorKind::kOutOfResources);
}

}  // namespace
}  // namespace subfloor::runtime
