#include <filesystem>
#include <memory>

#include "driver/program.h"
#include "driver/program_io.h"
#include "explain/compile_report.h"
#include "tools/subfloor/commands.h"

namespace subfloor::tool {
namespace {

struct CompileFlags {
  Common common;
  std::string dump;
  bool explain = false;
};

// Writes each stage to DIR/<number>.<stage>[.<name>].txt, numbered in order of arrival.
driver::Program::Dump DumpTo(const std::string& folder) {
  auto count = std::make_shared<int>(0);
  return [folder, count](std::string_view stage, std::string_view name, std::string_view text) {
    std::string file = fmt::format("{:04}.{}{}{}.txt", (*count)++, stage, name.empty() ? "" : ".", name);
    for (char& c : file) {
      if (c == '/' || c == ' ') c = '_';
    }
    if (Status written = driver::WriteFile(folder + "/" + file, text); !written) {
      fmt::print(stderr, "subfloor: {}\n", written.error().ToString());
    }
  };
}

Result<int> Compile(CompileFlags& flags) {
  SF_CHECK(flags.common.Resolve());
  Progress("reading");
  std::unique_ptr<hlo::Module> module = SF_TRY(driver::ReadProgram(flags.common.file));
  driver::Program::Dump dump;
  if (!flags.dump.empty()) {
    std::error_code problem;
    std::filesystem::create_directories(flags.dump, problem);
    if (problem) return BadInput("cannot make the folder {}: {}", flags.dump, problem.message());
    dump = DumpTo(flags.dump);
  }
  std::unique_ptr<driver::Program> program =
      SF_TRY(driver::Program::Compile(*module, flags.common.options, dump, Progress));
  ProgressDone();
  fmt::print("{}", flags.explain ? explain::Explain(driver::ToExplain(*module, program->report()))
                                 : explain::Summarize(driver::ToExplain(*module, program->report())));
  return kRight;
}

}  // namespace

void AddCompile(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("compile", "Compile a program; print phases, times, kernels and buffers");
  auto flags = std::make_shared<CompileFlags>();
  flags->common.AddTo(*command);
  command->add_option("--dump", flags->dump, "write every stage, from HLO to assembly, to this folder")
      ->type_name("DIR");
  command->callback([&action, flags] { action = [flags] { return Compile(*flags); }; });
}

void AddExplain(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "explain", "Compile a program; print each fusion, its emitter, every question and answer");
  auto flags = std::make_shared<CompileFlags>();
  flags->explain = true;
  flags->common.AddTo(*command);
  command->callback([&action, flags] { action = [flags] { return Compile(*flags); }; });
}

}  // namespace subfloor::tool
