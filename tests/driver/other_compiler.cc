// A compiler library for tests of how one is opened and how its failures come through. By default it answers
// every call with an internal error; built with OF_ANOTHER_BUILD it claims another interface.

#include "driver/compiler.h"

namespace subfloor::driver {
namespace {

class OtherCompiler final : public Compiler {
 public:
  Result<CompiledProgram> Compile(const hlo::Module&, const Options&, const Dump&,
                                  const OnPhase&) const override {
    return Bug();
  }
  Result<CompiledForDevice> CompileForDevice(const hlo::Module&, const Options&, const SimulatedTarget&,
                                             DeviceFusing, const Dump&, const OnPhase&) const override {
    return Bug();
  }
  Status OptimizeForDevice(hlo::Module&, const Options&) const override { return Bug(); }
  Result<Literal> Evaluate(const hlo::Module&, std::span<const Literal>, const Options&) const override {
    return Bug();
  }
  Result<std::string> FindFirstNan(const hlo::Module&, std::span<const Literal>,
                                   const Options&) const override {
    return Bug();
  }
  std::vector<PassInfo> Passes() const override { return {}; }
  std::vector<std::string_view> Pipeline() const override { return {}; }
  Status RunPasses(hlo::Module&, std::span<const std::string>, const Options&) const override {
    return Bug();
  }
  Status RunPipeline(hlo::Module&, std::string_view, const Options&) const override { return Bug(); }
  std::vector<std::string> LoweringSteps() const override { return {}; }
  Result<std::string> RunLowering(std::string_view, std::string_view, std::string_view) const override {
    return Bug();
  }

 private:
  static std::unexpected<Error> Bug() { return InternalError("made to fail by a test"); }
};

}  // namespace
}  // namespace subfloor::driver

extern "C" const subfloor::driver::CompilerEntry* subfloor_compiler_entry() {
  using subfloor::driver::CompilerEntry;
  static const subfloor::driver::OtherCompiler compiler;
#ifdef OF_ANOTHER_BUILD
  static const CompilerEntry entry{CompilerEntry::kInterface + 1, subfloor::driver::LayoutOfBuild(),
                                   SUBFLOOR_VERSION, &compiler};
#else
  static const CompilerEntry entry{CompilerEntry::kInterface, subfloor::driver::LayoutOfBuild(),
                                   SUBFLOOR_VERSION, &compiler};
#endif
  return &entry;
}
