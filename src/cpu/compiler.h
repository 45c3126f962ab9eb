#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "decision/compile_report.h"
#include "device/description/cpu_description.h"
#include "hlo/module.h"
#include "passes/pass.h"
#include "runtime/cpu/executable.h"

namespace subfloor::cpu {

struct CompileOptions {
  device::CpuDescription cpu;  ///< code is made for this one
  int threads = 1;             ///< compile threads, and the most workgroups of a kernel that will run at once
  int64_t memory_limit = 0;    ///< bytes; 0: device::UsableMemoryBytes()
  passes::PassOptions passes;
  /// Gets every stage: (stage, name, text). Stages: "hlo.<pass>", "hlo.final", "buffers", those of codegen,
  /// and "image", the bytes of the code image. Empty: none.
  std::function<void(std::string_view stage, std::string_view name, std::string_view text)> dump;
  /// Told what begins, for progress; may be empty.
  std::function<void(std::string_view phase)> on_phase;
  /// See codegen::CompileOptions.
  std::function<std::string()> leave_reproducer;
};

struct Compiled {
  std::shared_ptr<const runtime::Executable> executable;
  decision::CompileReport report;
};

/// Rewrites, fuses, assigns buffers, dispatches, generates code and loads it.
/// Takes: a verified module, left as it is. Gives: an executable whose parameters and outputs are the leaves
/// of the entry's parameters and root, in the layouts of Module::entry_layout(). Errors: not supported,
/// naming the op and what would work; out of resources; internal. Threads: any number of compiles.
Result<Compiled> Compile(const hlo::Module& module, const CompileOptions& options);

}  // namespace subfloor::cpu
