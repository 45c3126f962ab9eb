#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "decision/decision.h"
#include "device/description/cpu_description.h"
#include "hlo/module.h"
#include "passes/pass.h"
#include "runtime/cpu/executable.h"

namespace subfloor::cpu {

struct CompileOptions {
  device::CpuDescription cpu;  ///< code is made for this one
  int threads = 1;             ///< compile threads, and the most workgroups of a kernel that will run at once
  int64_t memory_limit = 0;    ///< bytes; 0: DefaultMemoryLimit()
  passes::PassOptions passes;
  /// Gets every stage: (stage, name, text). Stages: "hlo.<pass>", "hlo.final", "buffers", those of codegen,
  /// and "image", the bytes of the code image. Empty: none.
  std::function<void(std::string_view stage, std::string_view name, std::string_view text)> dump;
  /// Told what begins, for progress; may be empty.
  std::function<void(std::string_view phase)> on_phase;
};

struct Phase {
  std::string name;
  std::chrono::nanoseconds elapsed{};
};

/// One fusion of the final program.
struct FusionReport {
  int64_t instruction = -1;
  std::string name;
  std::string emitter;
  std::string shape;
  std::string symbol;        ///< of its kernel; equal fusions share one
  int64_t instructions = 0;  ///< in its body
  int64_t workgroups = 1;
};

/// What was done and why; everything `explain` shows.
struct CompileReport {
  std::vector<Phase> phases;  ///< one after the other, by the clock
  std::vector<Phase>
      codegen_times;  ///< inside "code generation": processor time, summed over the compile threads
  std::vector<passes::PassTime> pass_times;
  decision::Log decisions;
  std::vector<FusionReport> fusions;
  std::vector<std::pair<int64_t, std::string>>
      names;  ///< instruction id -> name, ascending; final program and fused ops
  int64_t distinct_kernels = 0;
  int64_t code_bytes = 0;
  int64_t parameter_bytes = 0, output_bytes = 0, constant_bytes = 0, temp_bytes = 0;
  int64_t donated_bytes = 0;  ///< of parameters whose memory an output may take over
  int64_t copies = 0;         ///< transfers between buffers that could not be elided
};

struct Compiled {
  std::shared_ptr<const runtime::Executable> executable;
  CompileReport report;
};

/// Rewrites, fuses, assigns buffers, dispatches, generates code and loads it.
/// Takes: a verified module, left as it is. Gives: an executable whose parameters and outputs are the leaves
/// of the entry's parameters and root, in the layouts of Module::entry_layout(). Errors: not supported,
/// naming the op and what would work; out of resources; internal. Threads: any number of compiles.
Result<Compiled> Compile(const hlo::Module& module, const CompileOptions& options);

}  // namespace subfloor::cpu
