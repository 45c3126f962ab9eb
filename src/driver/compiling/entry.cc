// The one door into libsubfloor_compiler.

#include "codegen/run_lowering.h"
#include "device/description/cgroup.h"
#include "driver/compiler.h"
#include "driver/compiling/compile_for_device.h"
#include "driver/compiling/compile_program.h"
#include "driver/compiling/nan_check.h"
#include "driver/compiling/run_passes.h"
#include "evaluator/evaluator.h"

namespace subfloor::driver {
namespace {

EvaluateOptions EvaluateOptionsOf(const Options& options) {
  EvaluateOptions evaluate;
  evaluate.rng_seed = static_cast<uint64_t>(options.rng_seed);
  evaluate.memory_limit_bytes = options.memory_limit > 0 ? options.memory_limit : device::UsableMemoryBytes();
  return evaluate;
}

class CompilerLibrary final : public Compiler {
 public:
  Result<CompiledProgram> Compile(const hlo::Module& module, const Options& options, const Dump& dump,
                                  const OnPhase& on_phase) const override {
    return CompileProgram(module, options, dump, on_phase);
  }
  Result<CompiledForDevice> CompileForDevice(const hlo::Module& module, const Options& options,
                                             const SimulatedTarget& target, DeviceFusing fusing,
                                             const Dump& dump, const OnPhase& on_phase) const override {
    return driver::CompileForDevice(module, options, target, fusing, dump, on_phase);
  }
  Status OptimizeForDevice(hlo::Module& module, const Options& options) const override {
    return driver::OptimizeForDevice(module, options);
  }
  Result<Literal> Evaluate(const hlo::Module& module, std::span<const Literal> arguments,
                           const Options& options) const override {
    return subfloor::Evaluate(module, arguments, EvaluateOptionsOf(options));
  }
  Result<std::string> FindFirstNan(const hlo::Module& module, std::span<const Literal> arguments,
                                   const Options& options) const override {
    return driver::FindFirstNan(module, arguments, EvaluateOptionsOf(options));
  }
  std::vector<PassInfo> Passes() const override { return ListPasses(); }
  std::vector<std::string_view> Pipeline() const override { return ListPipeline(); }
  Status RunPasses(hlo::Module& module, std::span<const std::string> names,
                   const Options& options) const override {
    return driver::RunPasses(module, names, options);
  }
  Status RunPipeline(hlo::Module& module, std::string_view until, const Options& options) const override {
    return driver::RunPipeline(module, until, options);
  }
  std::vector<std::string> LoweringSteps() const override { return codegen::LoweringPassNames(); }
  Result<std::string> RunLowering(std::string_view text, std::string_view name,
                                  std::string_view last) const override {
    return codegen::RunLowering(text, last, name);
  }
};

}  // namespace
}  // namespace subfloor::driver

extern "C" __attribute__((visibility("default"))) const subfloor::driver::CompilerEntry*
subfloor_compiler_entry() {
  using subfloor::driver::CompilerEntry;
  static const subfloor::driver::CompilerLibrary compiler;
  static const CompilerEntry entry{CompilerEntry::kInterface, subfloor::driver::LayoutOfBuild(),
                                   SUBFLOOR_VERSION, &compiler};
  return &entry;
}
