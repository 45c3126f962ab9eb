#include "driver/device_program.h"
#include "driver/explain_gpu.h"
#include "driver/program.h"
#include "driver/program_io.h"
#include "explain/compile_report.h"
#include "tools/subfloor/commands.h"

namespace subfloor::tool {
namespace {

struct ExplainFlags {
  Common common;
  std::string target = "cpu";
  bool json = false, optimize = false, as_fusion = false;
};

Result<int> ExplainCpu(ExplainFlags& flags) {
  if (flags.json || flags.optimize || flags.as_fusion) {
    return NotSupported(
        "--json, --optimize and --fusion are for GPU targets; the CPU's explanation is text, and "
        "always of the optimized program");
  }
  std::unique_ptr<driver::Program> program = SF_TRY(CompileFile(flags.common, {}));
  fmt::print("{}", explain::Explain(program->report()));
  return kRight;
}

Result<int> Explain(ExplainFlags& flags) {
  SF_CHECK(flags.common.Resolve());
  if (flags.target == "cpu") return ExplainCpu(flags);
  // A simulated device is explained as the device that it is.
  const bool simulated = flags.target.starts_with("sim:");
  const device::DeviceDescription device = simulated ? SF_TRY(driver::SimulatedTargetOf(flags.target)).device
                                                     : SF_TRY(driver::FindDevice(flags.target));
  const driver::TextAndProgram input = SF_TRY(driver::ReadTextAndProgram(flags.common.file));
  const bool as_fusion = !flags.optimize && (flags.as_fusion || !driver::MarksEntry(input.text));
  if (flags.optimize) {
    const driver::Compiler* compiler = SF_TRY(driver::LoadCompiler());
    SF_CHECK(compiler->OptimizeForDevice(*input.module, flags.common.options));
  }
  const explain::GpuReport report = driver::ExplainForGpu(*input.module, as_fusion, device);
  fmt::print("{}", flags.json ? explain::ExplainAsJson(report) : explain::Explain(report));
  return kRight;
}

}  // namespace

void AddExplain(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "explain", "Print each fusion, its emitter, every question and answer; for the CPU after compiling");
  auto flags = std::make_shared<ExplainFlags>();
  flags->common.AddTo(*command);
  command
      ->add_option("--target", flags->target,
                   "cpu (the default), a GPU such as h100 or mi300, or a file that describes one")
      ->type_name("NAME|FILE");
  command->add_flag("--json", flags->json, "for programs to read: docs/explain.md (GPU targets)");
  command->add_flag("--fusion", flags->as_fusion,
                    "the entry is the body of one fusion, as it is without ENTRY (GPU targets)");
  command->add_flag("--optimize", flags->optimize, "run the pipeline first");
  command->callback([&action, flags] { action = [flags] { return Explain(*flags); }; });
}

}  // namespace subfloor::tool
