#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/sim/sim_executor.h"

namespace subfloor::device::sim {

/// A simulated device with one stream, and what tests do with it over and over.
class SimFixture {
 public:
  explicit SimFixture(const SimOptions& options = {},
                      const DeviceDescription& device = *DeviceByName("h100")) {
    auto made = MakeSimExecutor(device, options);
    if (!made) ADD_FAILURE() << made.error().ToString();
    sim = *std::move(made);
    stream = *sim->MakeStream();
  }

  template <typename T>
  DeviceMemory Put(const std::vector<T>& values) {
    DeviceMemory memory = Allocate<T>(values.size());
    EXPECT_TRUE(stream->CopyToDevice(memory, std::as_bytes(std::span(values))));
    EXPECT_TRUE(stream->Synchronize());
    return memory;
  }
  /// Never written.
  template <typename T>
  DeviceMemory Allocate(size_t count) {
    auto memory = sim->Allocate(count * sizeof(T));
    EXPECT_TRUE(memory) << memory.error().ToString();
    return *memory;
  }
  template <typename T>
  std::vector<T> Get(DeviceMemory memory) {
    std::vector<T> values(memory.size_bytes / sizeof(T));
    EXPECT_TRUE(stream->CopyToHost(std::as_writable_bytes(std::span(values)), memory));
    EXPECT_TRUE(stream->Synchronize());
    return values;
  }

  const Kernel& Make(SimulatedKernelPlan plan, SubfloorKernel entry) {
    if (plan.symbol.empty()) plan.symbol = "kernel";
    auto kernel = sim->MakeKernel({std::move(plan), entry});
    EXPECT_TRUE(kernel) << kernel.error().ToString();
    kernels.push_back(*std::move(kernel));
    return *kernels.back();
  }

  /// Launches and waits.
  Status Run(const Kernel& kernel, const LaunchDimensions& dimensions, std::vector<DeviceMemory> arguments) {
    SF_CHECK(stream->Launch(kernel, dimensions, arguments));
    return stream->Synchronize();
  }
  /// The findings of a checked kernel that is made for this call.
  std::vector<FindingGroup> Check(SimulatedKernelPlan plan, SubfloorKernel entry,
                                  const LaunchDimensions& dimensions, std::vector<DeviceMemory> arguments) {
    plan.checked = true;
    Status status = Run(Make(std::move(plan), entry), dimensions, std::move(arguments));
    auto groups = sim->TakeFindings();
    EXPECT_EQ(status.has_value(), groups.empty());
    if (!status && !groups.empty())
      EXPECT_EQ(status.error().message().find(groups[0].first[0].ToString()), 0u);
    return groups;
  }

  std::unique_ptr<SimExecutor> sim;
  std::unique_ptr<Stream> stream;
  std::vector<std::unique_ptr<Kernel>> kernels;
};

}  // namespace subfloor::device::sim
