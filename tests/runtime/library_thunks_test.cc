#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/cpu/convolution_thunk.h"
#include "runtime/cpu/dot_thunk.h"
#include "runtime/cpu/executable.h"
#include "runtime/cpu/fft_thunk.h"

namespace subfloor::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Runs one thunk that reads parameters and writes the only output.
std::vector<float> RunThunk(std::unique_ptr<Thunk> thunk, const std::vector<std::vector<float>>& parameters,
                            size_t output_count, TaskPool* pool) {
  auto bytes = [](size_t count) { return static_cast<int64_t>(count * sizeof(float)); };
  std::vector<Allocation> allocations;
  std::vector<AlignedBytes> memory;
  std::vector<BufferView> views;
  for (const auto& values : parameters) {
    allocations.push_back(Allocation::Parameter(static_cast<int64_t>(views.size()), bytes(values.size())));
    memory.push_back(*AlignedBytes::CopyOf(std::as_bytes(std::span(values))));
    views.push_back({memory.back().data(), memory.back().size()});
  }
  allocations.push_back(Allocation::Output(0, bytes(output_count)));
  AlignedBytes out = *AlignedBytes::Allocate(bytes(output_count));
  ThunkSequence thunks;
  thunks.Append(std::move(thunk));
  auto executable = Executable::Create({.name = "t",
                                        .allocations = std::move(allocations),
                                        .thunks = std::move(thunks),
                                        .image = std::nullopt,
                                        .custom_calls = nullptr});
  if (!executable) {
    ADD_FAILURE() << executable.error().ToString();
    return {};
  }
  const BufferView outputs[] = {{out.data(), out.size()}};
  Status status = (*executable)->Execute(views, outputs, {.pool = pool}).Wait();
  EXPECT_TRUE(status) << status.error().ToString();
  const float* data = reinterpret_cast<const float*>(out.data());
  return {data, data + output_count};
}

TEST(DotThunk, ProductInEqualBitsOnAnyNumberOfThreads) {
  constexpr int64_t kSize = 300;
  std::vector<float> a(kSize * kSize), b(kSize * kSize);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<float>(i % 17) * 0.37f - 2, b[i] = static_cast<float>(i % 23) * 0.11f - 1;
  auto run = [&](TaskPool* pool) {
    constexpr int64_t kBytes = kSize * kSize * 4;
    return RunThunk(std::make_unique<DotThunk>(
                        ThunkInfo{}, libraries::MatmulDescription{.m = kSize, .n = kSize, .k = kSize},
                        BufferSlice{0, 0, kBytes}, BufferSlice{1, 0, kBytes}, BufferSlice{2, 0, kBytes}),
                    {a, b}, kSize * kSize, pool);
  };
  TaskPool two(2), five(5);
  const std::vector<float> alone = run(nullptr);
  double first = 0;
  for (size_t p = 0; p < kSize; ++p) first += static_cast<double>(a[p]) * b[p * kSize];
  EXPECT_NEAR(alone[0], first, 1e-3);
  EXPECT_EQ(run(&two), alone);
  EXPECT_EQ(run(&five), alone);
}

TEST(DotThunk, SlicesThatAreTooSmall) {
  ThunkSequence thunks;
  thunks.Emplace<DotThunk>(ThunkInfo{"", "dot.1", 1}, libraries::MatmulDescription{.m = 2, .n = 2, .k = 2},
                           BufferSlice{0, 0, 16}, BufferSlice{0, 0, 12}, BufferSlice{1, 0, 16});
  auto executable =
      Executable::Create({.name = "t",
                          .allocations = {Allocation::Parameter(0, 16), Allocation::Output(0, 16)},
                          .thunks = std::move(thunks),
                          .image = std::nullopt,
                          .custom_calls = nullptr});
  ASSERT_FALSE(executable);
  EXPECT_THAT(executable.error().ToString(),
              HasSubstr("%dot.1: the product f32[2,2] x f32[2,2] -> f32 needs 16, 16 and 16 bytes"));
}

TEST(ConvolutionThunk, OneDimension) {
  libraries::ConvolutionDescription d{.spatial_rank = 1};
  d.spatial[0] = {.input = 4, .kernel = 2, .output = 3};
  EXPECT_THAT(RunThunk(std::make_unique<ConvolutionThunk>(ThunkInfo{}, d, BufferSlice{0, 0, 16},
                                                          BufferSlice{1, 0, 8}, BufferSlice{2, 0, 12}),
                       {{1, 2, 3, 4}, {10, 1}}, 3, nullptr),
              ElementsAre(12, 23, 34));
}

TEST(FftThunk, RealTransform) {
  libraries::FftDescription d{.kind = libraries::FftKind::kRfft, .batch = 2, .lengths = {4}};
  TaskPool pool(2);
  EXPECT_THAT(
      RunThunk(std::make_unique<FftThunk>(ThunkInfo{}, d, BufferSlice{0, 0, 32}, BufferSlice{1, 0, 48}),
               {{1, 2, 3, 4, 1, 1, 1, 1}}, 12, &pool),
      ElementsAre(10, 0, -2, 2, -2, 0, 4, 0, 0, 0, 0, 0));
}

}  // namespace
}  // namespace subfloor::runtime
