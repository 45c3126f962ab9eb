#pragma once

#include <span>
#include <vector>

#include "codegen/compile_gpu.h"
#include "device/description/device_description.h"
#include "device/sim/sim_executor.h"
#include "dispatch/cpu_dispatch.h"
#include "dispatch/gpu_dispatch.h"
#include "types/literal.h"

/// What tests of GPU kernels share: one fusion's kernel on a simulated device.
namespace subfloor::codegen::testing {

inline std::vector<const Shape*> OutputLeaves(const hlo::Computation& body) {
  return Leaves(body.root()->shape());
}

inline KernelJob JobOf(const hlo::Computation& body, const dispatch::GpuChoice& choice) {
  KernelJob job;
  job.name = "kernel";
  job.body = &body;
  if (choice.emitter == dispatch::GpuEmitter::kInPlaceUpdate || choice.kind == dispatch::GpuKind::kScatter) {
    for (auto [parameter, leaf] : dispatch::InPlaceUpdates(body)) job.in_place.emplace_back(leaf, parameter);
  }
  return job;
}

inline Result<std::vector<Literal>> RunOnSimulator(const hlo::Computation& body,
                                                   std::span<const Literal> arguments,
                                                   const dispatch::GpuChoice& choice,
                                                   const device::DeviceDescription& description,
                                                   bool checked) {
  const KernelJob job = JobOf(body, choice);
  CompileOptions options;
  options.cpu = device::HostCpu();
  const device::CodeImage image = SF_TRY(CompileSimulatedKernel(job, choice, description, checked, options));
  const device::SimulatedKernelPlan& plan = image.simulated.at(0);
  const auto executor = SF_TRY(device::sim::MakeSimExecutor(description));
  const auto module = SF_TRY(executor->LoadModule(image));
  const device::Kernel* kernel = SF_TRY(module->FindKernel(plan.symbol));
  const auto stream = SF_TRY(executor->MakeStream());
  std::vector<device::DeviceMemory> memory;
  for (const Literal& argument : arguments) {
    memory.push_back(SF_TRY(executor->Allocate(argument.bytes().size())));
    SF_CHECK(stream->CopyToDevice(memory.back(), argument.bytes()));
  }
  const std::vector<const Shape*> leaves = OutputLeaves(body);
  for (size_t i = 0; i < leaves.size(); ++i) {
    int64_t shared = -1;
    for (auto [leaf, parameter] : job.in_place) {
      if (leaf == static_cast<int64_t>(i)) shared = parameter;
    }
    memory.push_back(shared >= 0 ? memory[static_cast<size_t>(shared)]
                                 : SF_TRY(executor->Allocate(static_cast<uint64_t>(leaves[i]->byte_size()))));
  }
  SF_CHECK(stream->Launch(*kernel, {plan.grid, plan.block, plan.shared_bytes}, memory));
  std::vector<Literal> results;
  for (const Shape* leaf : leaves) results.push_back(SF_TRY(Literal::Zeros(*leaf)));
  for (size_t i = 0; i < leaves.size(); ++i)
    SF_CHECK(stream->CopyToHost(results[i].mutable_bytes(), memory[arguments.size() + i]));
  SF_CHECK(stream->Synchronize());
  return results;
}

}  // namespace subfloor::codegen::testing
