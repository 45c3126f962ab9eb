#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "decision/compile_report.h"
#include "device/description/device_description.h"
#include "driver/options.h"
#include "hlo/module.h"
#include "runtime/cpu/executable.h"
#include "runtime/gpu/device_executable.h"
#include "types/literal.h"

/// The seam between the two libraries. libsubfloor reads, checks, loads and runs; whatever rewrites, compiles
/// or evaluates lies in libsubfloor_compiler, which brings LLVM along and is opened when it is first needed.
namespace subfloor::driver {

/// Gets every stage of a compilation: (stage, name, text). The stage "image" is the code image, an ELF file.
using Dump = std::function<void(std::string_view stage, std::string_view name, std::string_view text)>;
/// Told what begins, for progress.
using OnPhase = std::function<void(std::string_view phase)>;

struct CompiledProgram {
  std::shared_ptr<const runtime::Executable> executable;
  decision::CompileReport report;
};

/// A device that is simulated, and how.
struct SimulatedTarget {
  device::DeviceDescription device;
  bool checked = false;  ///< every access is checked, and what is wrong with one is an error
  bool native = false;   ///< not simulated at all: code for the device, which nothing here runs
};

/// A kernel's code for a device.
struct NativeKernel {
  std::string symbol;
  std::string code;       ///< PTX, or the bytes of an AMD object
  std::string assembled;  ///< what ptxas made of it; empty where there is none
};

/// What of a program is fused for a device: docs/cli.md.
enum class DeviceFusing : uint8_t { kOneBody, kAsGiven, kOurs };

struct CompiledForDevice {
  runtime::DeviceExecutable::Parts parts;
  std::vector<NativeKernel> kernels;  ///< of a native target
  decision::CompileReport report;
};

struct PassInfo {
  std::string_view name, summary;
};

/// What the compiler library does. Every text and span it gives lives as long as the process.
/// Threads: any number of calls at once.
class Compiler {
 public:
  virtual ~Compiler() = default;

  /// Errors: those of cpu::Compile; bad input for an option's value.
  virtual Result<CompiledProgram> Compile(const hlo::Module& module, const Options& options, const Dump& dump,
                                          const OnPhase& on_phase) const = 0;
  /// The same for a simulated device. Errors: those of gpu::Compile; bad input for an option's value.
  virtual Result<CompiledForDevice> CompileForDevice(const hlo::Module& module, const Options& options,
                                                     const SimulatedTarget& target, DeviceFusing fusing,
                                                     const Dump& dump, const OnPhase& on_phase) const = 0;
  /// Simplifies and fuses as compiling for a GPU does.
  virtual Status OptimizeForDevice(hlo::Module& module, const Options& options) const = 0;

  /// Counts of the options: rng-seed, memory-limit. Errors: those of the evaluator.
  virtual Result<Literal> Evaluate(const hlo::Module& module, std::span<const Literal> arguments,
                                   const Options& options) const = 0;
  /// Evaluates op by op and tells which instruction first makes a NaN out of operands that hold none, where
  /// in its result, or that there is none.
  virtual Result<std::string> FindFirstNan(const hlo::Module& module, std::span<const Literal> arguments,
                                           const Options& options) const = 0;

  /// Passes over HLO, sorted by name, and the names of the CPU pipeline in their order.
  virtual std::vector<PassInfo> Passes() const = 0;
  virtual std::vector<std::string_view> Pipeline() const = 0;
  /// Runs single passes in the order given. Errors: bad input for a name that no pass has, naming the
  /// nearest.
  virtual Status RunPasses(hlo::Module& module, std::span<const std::string> names,
                           const Options& options) const = 0;
  /// Runs the CPU pipeline as compiling does; all of it for an empty `until`, else up to and with the first
  /// run of the pass so called, or the third for "name:3". Errors: bad input for a name or number that never
  /// comes.
  virtual Status RunPipeline(hlo::Module& module, std::string_view until, const Options& options) const = 0;

  /// The steps that lower the dialect to LLVM's, in order.
  virtual std::vector<std::string> LoweringSteps() const = 0;
  /// Parses and verifies MLIR text, runs the steps up to and with `last` ("": none, "all") and prints the
  /// result. Errors: bad input for text that does not parse or verify and for an unknown step.
  virtual Result<std::string> RunLowering(std::string_view text, std::string_view name,
                                          std::string_view last) const = 0;
};

/// The compiler, opened on the first call: the file that SUBFLOOR_COMPILER names, else the one that lies
/// beside libsubfloor. Errors: not supported, saying where it was looked for, if it is missing or of another
/// build. Threads: any.
Result<const Compiler*> LoadCompiler();

/// What the two libraries check of each other before anything else passes between them.
struct CompilerEntry {
  static constexpr uint32_t kInterface =
      2;  ///< counts changes of Compiler and of what its functions take and give
  static constexpr const char* kSymbol = "subfloor_compiler_entry";
  uint32_t interface;
  uint64_t layout;      ///< LayoutOfBuild()
  const char* version;  ///< of the project
  const Compiler* compiler;
};
using CompilerEntryFunction = const CompilerEntry* (*)();

/// Sizes of what passes between the libraries, mixed: builds that disagree about a type most likely differ
/// here.
constexpr uint64_t LayoutOfBuild() {
  uint64_t mixed = CompilerEntry::kInterface;
  for (uint64_t size :
       {sizeof(Options), sizeof(CompiledProgram), sizeof(hlo::Module), sizeof(hlo::Instruction),
        sizeof(Literal), sizeof(Shape), sizeof(runtime::Executable), sizeof(Error)}) {
    mixed = (mixed ^ size) * 0x100000001b3u;
  }
  return mixed;
}

}  // namespace subfloor::driver
