#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "decision/compile_report.h"
#include "device/description/code_image.h"
#include "device/description/cpu_description.h"
#include "dispatch/emitter_kind.h"
#include "hlo/computation.h"

namespace subfloor::codegen {

struct NativeProgram;

/// One kernel to be made.
///
/// `body` is a fusion's computation in the layout normal form: every parameter is an array, the root is an
/// array or a tuple of arrays (one level), all row-major. It may hold a single op. Arguments of the kernel:
/// parameters in order, then output leaves in order, then scratch if the plan asks for some.
struct KernelJob {
  std::string name;  ///< wanted symbol; made unique and valid
  const hlo::Computation* body = nullptr;
  dispatch::EmitterKind emitter = dispatch::EmitterKind::kLoop;
  /// (output leaf, parameter): the two are the same buffer. Only the emitters for in-place updates, scatters
  /// and sorts make use of it; for others it promises nothing more than that each element is read before it
  /// is overwritten.
  std::vector<std::pair<int64_t, int64_t>> in_place;
  int64_t instruction = -1;  ///< id of the fusion, for decisions
  /// On a GPU: no sum of floats whose order the device would choose.
  bool deterministic = false;
  /// Instead of a body: several kernels and the control flow between them, as one function. Its arguments are
  /// the program's, then scratch if the plan asks for some; it has one workgroup.
  const NativeProgram* program = nullptr;
};

/// How a kernel is called.
struct KernelPlan {
  std::string symbol;  ///< jobs with equal bodies share one
  int64_t workgroups =
      1;  ///< calls with workgroup_id[0] in [0, workgroups) make the whole result, in any order
  int64_t scratch_bytes = 0;  ///< per workgroup; 0: no scratch argument
};

struct CompileOptions {
  device::CpuDescription cpu;
  int threads = 1;             ///< compile threads; the caller waits for them
  int64_t max_workgroups = 1;  ///< upper bound of KernelPlan::workgroups
  /// Called with (stage, kernel or module name, text) for every stage, by several threads at once; empty: no
  /// dumps.
  std::function<void(std::string_view stage, std::string_view name, std::string_view text)> dump;
  /// Called on a compile thread when LLVM is about to end the process: writes what shows the failure and
  /// gives a sentence that says where it lies. Empty: nothing is left.
  std::function<std::string()> leave_reproducer;
};

struct CompiledKernels {
  device::CodeImage image;
  std::vector<KernelPlan> plans;  ///< one per job, in the order of the jobs
  /// "emission", "lowering", "optimisation", "machine code", "link": processor time, summed over the threads.
  std::vector<decision::PhaseTime> times;
  int64_t distinct_kernels = 0;
};

/// `name` as a symbol that a C compiler would take.
std::string KernelSymbol(std::string_view name);

/// Emits, lowers, compiles and links all jobs. Equal bodies are compiled once; about thirty kernels share a
/// module. Errors: not supported, naming the op and what would work; internal, naming the kernel. Threads:
/// any.
Result<CompiledKernels> CompileKernels(std::span<const KernelJob> jobs, const CompileOptions& options,
                                       decision::Log* log = nullptr);

}  // namespace subfloor::codegen
