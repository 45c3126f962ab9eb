#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "decision/compile_report.h"
#include "device/description/cpu_description.h"
#include "device/description/device_description.h"
#include "gpu/pipeline.h"
#include "hlo/module.h"
#include "passes/pass.h"
#include "runtime/gpu/device_executable.h"

namespace subfloor::gpu {

struct CompileOptions {
  device::DeviceDescription device;  ///< plans are made for this one
  device::CpuDescription host;       ///< the simulator's kernels are made for this one
  bool checked = false;              ///< kernels ask the simulator before every access
  bool native = false;               ///< code for the device itself, which nothing here runs
  Fusing fusing = Fusing::kAsGiven;
  bool deterministic = false;  ///< see codegen::KernelJob
  int threads = 1;             ///< compile threads
  int64_t memory_limit = 0;    ///< bytes; 0: what the device has
  passes::PassOptions passes;
  /// Gets every stage: (stage, name, text), by several threads at once. Empty: none.
  std::function<void(std::string_view stage, std::string_view name, std::string_view text)> dump;
  /// Told what begins, for progress; may be empty.
  std::function<void(std::string_view phase)> on_phase;
  /// See codegen::CompileOptions.
  std::function<std::string()> leave_reproducer;
};

/// A kernel as the device takes it.
struct NativeKernel {
  std::string symbol;
  std::string ptx;                ///< NVIDIA
  std::vector<std::byte> object;  ///< AMD: a relocatable object
  /// What ptxas made of it: registers, spills, shared memory; empty where there is no ptxas.
  std::string assembled;
};

struct Compiled {
  runtime::DeviceExecutable::Parts parts;  ///< without images if `native`
  std::vector<NativeKernel> kernels;       ///< of `native`, one a distinct kernel
  decision::CompileReport report;
};

/// Rewrites, fuses, assigns buffers, dispatches and generates code for the simulator of a GPU, or for the
/// GPU. Takes: a verified module, left as it is. Gives: a program whose parameters and outputs are the leaves
/// of the entry's parameters and root, in the layouts of Module::entry_layout(). Errors: not supported,
/// naming the op and what would work; out of resources; internal. Threads: any number of compiles.
Result<Compiled> Compile(const hlo::Module& module, const CompileOptions& options);

}  // namespace subfloor::gpu
