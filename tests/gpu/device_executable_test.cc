#include "runtime/gpu/device_executable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "device/sim/sim_executor.h"
#include "gpu/compiler.h"
#include "hlo/parser.h"

// Executables as the compiler makes them, on a simulated H100: shared by threads, given too little, and what
// the report says of their kernels.

namespace subfloor::gpu {
namespace {

using ::testing::HasSubstr;

// x is negated until the count, which only the device knows, has come to seven; two constants, two equal
// kernels.
constexpr const char* kLoop = R"(
HloModule loop
more { s = (s32[], f32[1000]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(7)
  ROOT go = pred[] compare(i, n), direction=LT }
step { s = (s32[], f32[1000]) parameter(0) i = s32[] get-tuple-element(s), index=0
  v = f32[1000] get-tuple-element(s), index=1 one = s32[] constant(1) next = s32[] add(i, one)
  w = f32[1000] negate(v) ROOT t = (s32[], f32[1000]) tuple(next, w) }
ENTRY main { x = f32[1000] parameter(0) n = s32[] parameter(1) start = (s32[], f32[1000]) tuple(n, x)
  ROOT end = (s32[], f32[1000]) while(start), condition=more, body=step }
)";

struct OnDevice {
  std::unique_ptr<device::sim::SimExecutor> executor;
  std::unique_ptr<const runtime::DeviceExecutable> executable;  // goes before the executor
  decision::CompileReport report;
};

Result<OnDevice> Make(const char* text, bool checked) {
  const auto module = SF_TRY(hlo::ParseModule(text, "test"));
  CompileOptions options;
  options.device = SF_TRY(device::DeviceByName("h100"));
  options.host = device::HostCpu();
  options.checked = checked;
  Compiled compiled = SF_TRY(Compile(*module, options));
  OnDevice made;
  made.executor = SF_TRY(device::sim::MakeSimExecutor(options.device));
  made.report = std::move(compiled.report);
  made.executable = SF_TRY(runtime::DeviceExecutable::Create(std::move(compiled.parts), *made.executor));
  return made;
}

// Runs the loop from `count` on and tells whether the results are right.
bool LoopIsRight(const runtime::DeviceExecutable& executable, int32_t count, float first) {
  std::vector<float> x(1000), y(1000, 0.0f);
  for (size_t i = 0; i < x.size(); ++i) x[i] = first + static_cast<float>(i);
  int32_t end = -1;
  const std::array<std::span<const std::byte>, 2> parameters = {std::as_bytes(std::span(x)),
                                                                std::as_bytes(std::span(&count, 1))};
  const std::array<std::span<std::byte>, 2> outputs = {std::as_writable_bytes(std::span(&end, 1)),
                                                       std::as_writable_bytes(std::span(y))};
  if (!executable.Run(parameters, outputs)) return false;
  const int32_t steps = std::max(0, 7 - count);
  if (end != count + steps) return false;
  for (size_t i = 0; i < x.size(); ++i) {
    if (y[i] != (steps % 2 == 0 ? x[i] : -x[i])) return false;
  }
  return true;
}

TEST(DeviceExecutable, ThreadsShareOne) {
  const Result<OnDevice> made = Make(kLoop, /*checked=*/false);
  ASSERT_TRUE(made) << made.error().ToString();
  std::atomic<int> right{0};
  std::vector<std::jthread> threads;
  for (int32_t id = 0; id < 4; ++id) {
    threads.emplace_back([&, id] {
      for (int32_t i = 0; i < 10; ++i)
        right += LoopIsRight(*made->executable, (id + i) % 9, static_cast<float>(100 * id + i));
    });
  }
  threads.clear();  // waits for them
  EXPECT_EQ(right, 40);
}

TEST(DeviceExecutable, RunsAgainUnderAllChecks) {
  const Result<OnDevice> made = Make(kLoop, /*checked=*/true);
  ASSERT_TRUE(made) << made.error().ToString();
  for (int32_t count : {0, 6, 7, 3}) EXPECT_TRUE(LoopIsRight(*made->executable, count, 0.5f)) << count;
  EXPECT_TRUE(made->executor->TakeFindings().empty());
}

TEST(DeviceExecutable, SizesThatDifferAreNamed) {
  const Result<OnDevice> made = Make(kLoop, /*checked=*/false);
  ASSERT_TRUE(made) << made.error().ToString();
  std::vector<std::byte> x(4000), y(4000), number(4);
  const std::vector<std::span<const std::byte>> parameters = {x, number};
  const std::vector<std::span<std::byte>> short_outputs = {number, std::span(y).first(3996)};
  const Status wrong_size = made->executable->Run(parameters, short_outputs);
  ASSERT_FALSE(wrong_size);
  EXPECT_EQ(wrong_size.error().kind(), ErrorKind::kBadInput);
  EXPECT_THAT(wrong_size.error().message(), HasSubstr("output 1 has 3996 bytes, the program wants 4000"));
  const Status wrong_count = made->executable->Run(std::span(parameters).first(1), short_outputs);
  ASSERT_FALSE(wrong_count);
  EXPECT_THAT(wrong_count.error().message(), HasSubstr("1 parameters and 2 outputs"));
  // What failed leaves nothing behind that a later run would see.
  EXPECT_TRUE(LoopIsRight(*made->executable, 2, 3.0f));
}

TEST(DeviceCompiler, EqualKernelsAreCompiledOnce) {
  const Result<OnDevice> made = Make(R"(
HloModule twins
ENTRY main { a = f32[64] parameter(0) b = f32[64] parameter(1) x = f32[64] exponential(a)
  y = f32[64] exponential(b) ROOT t = (f32[64], f32[64]) tuple(x, y) }
)",
                                     /*checked=*/false);
  ASSERT_TRUE(made) << made.error().ToString();
  ASSERT_EQ(made->report.fusions.size(), 2u);
  EXPECT_EQ(made->report.distinct_kernels, 1);
  EXPECT_EQ(made->report.fusions[0].symbol, made->report.fusions[1].symbol);
}

// The sum of a and twice b depends on the order, so that no tree of threads may compute it.
TEST(DeviceCompiler, WhatAnEmitterRefusesIsALoopAndTheLogSaysSo) {
  const Result<OnDevice> made = Make(R"(
HloModule odd
odd { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] add(b, b) ROOT s = f32[] add(a, c) }
ENTRY main { x = f32[16,512] parameter(0) z = f32[] constant(0)
  ROOT r = f32[16] reduce(x, z), dimensions={1}, to_apply=odd }
)",
                                     /*checked=*/false);
  ASSERT_TRUE(made) << made.error().ToString();
  ASSERT_EQ(made->report.fusions.size(), 1u);
  EXPECT_EQ(made->report.fusions[0].emitter, "loop");
  EXPECT_TRUE(std::ranges::any_of(made->report.decisions.records(), [](const decision::Record& record) {
    return record.question == decision::Question::kLoop && record.fact == decision::Fact::kEmitterRefused;
  }));
}

}  // namespace
}  // namespace subfloor::gpu
