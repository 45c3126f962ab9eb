// The one door into libsubfloor_compiler.

#include "codegen/run_lowering.h"
#include "driver/compiler.h"
#include "driver/compiling/compile_program.h"
#include "driver/compiling/nan_check.h"
#include "driver/compiling/run_passes.h"
#include "evaluator/evaluator.h"

namespace subfloor::driver {
namespace {

class CompilerLibrary final : public Compiler {
 public:
  Result<CompiledProgram> Compile(const hlo::Module& module, const Options& options, const Dump& dump,
                                  const OnPhase& on_phase) const override {
    return CompileProgram(module, options, dump, on_phase);
  }
  Result<Literal> Evaluate(const hlo::Module& module, std::span<const Literal> arguments,
                           uint64_t rng_seed) const override {
    EvaluateOptions options;
    options.rng_seed = rng_seed;
    return subfloor::Evaluate(module, arguments, options);
  }
  Result<std::string> FindFirstNan(const hlo::Module& module,
                                   std::span<const Literal> arguments) const override {
    return driver::FindFirstNan(module, arguments);
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
