#include <filesystem>
#include <memory>
#include <mutex>

#include "base/file.h"
#include "driver/device_program.h"
#include "driver/explain_gpu.h"
#include "driver/program.h"
#include "driver/program_io.h"
#include "explain/compile_report.h"
#include "tools/subfloor/commands.h"

namespace subfloor::tool {
namespace {

struct CompileFlags {
  Common common;
  std::string dump, output, target = "cpu";
  bool no_cache = false, optimize = false, as_fusion = false;
};

// What tools that know the stage's language expect a file to be called.
std::string_view Extension(std::string_view stage) {
  if (stage.starts_with("hlo.")) return "hlo";
  if (stage == "buffers") return "txt";
  if (stage == "llvm") return "ll";
  if (stage == "asm") return "s";
  if (stage == "ptx") return "ptx";
  if (stage == "image") return "so";
  return "mlir";  // the dialect and what became of it
}

// Writes each stage to DIR/<number>.<stage>[.<name>].<extension>, numbered in order of arrival; kernels are
// lowered on several threads.
class StageFiles {
 public:
  explicit StageFiles(std::string folder) : folder_(std::move(folder)) {}

  void Write(std::string_view stage, std::string_view name, std::string_view text) {
    const std::lock_guard lock(mutex_);
    std::string file =
        fmt::format("{:04}.{}{}{}.{}", count_++, stage, name.empty() ? "" : ".", name, Extension(stage));
    for (char& c : file) {
      if (c == '/' || c == ' ') c = '_';
    }
    Status written = WriteFile(folder_ + "/" + file, text);
    if (!written && status_) status_ = std::move(written);
  }
  /// The first file that could not be written.
  const Status& status() const { return status_; }

 private:
  std::string folder_;
  std::mutex mutex_;
  int count_ = 0;
  Status status_;
};

}  // namespace

Result<std::unique_ptr<driver::Program>> CompileFile(Common& common, const driver::Dump& dump) {
  Progress("reading");
  std::unique_ptr<hlo::Module> module = SF_TRY(driver::ReadProgram(common.file));
  std::unique_ptr<driver::Program> program =
      SF_TRY(driver::Program::Compile(*module, common.options, dump, Progress));
  ProgressDone();
  return program;
}

driver::DeviceFusing FusingOf(bool optimize, bool as_fusion, std::string_view text) {
  if (optimize) return driver::DeviceFusing::kOurs;
  return as_fusion || !driver::MarksEntry(text) ? driver::DeviceFusing::kOneBody
                                                : driver::DeviceFusing::kAsGiven;
}

namespace {

// Writes each kernel's code to OUTPUT/<symbol>.ptx or .o.
Status WriteKernels(const driver::CompiledForDevice& compiled, const std::string& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return BadInput("cannot make the folder {}: {}", folder, problem.message());
  for (const driver::NativeKernel& kernel : compiled.kernels) {
    const bool object = kernel.code.starts_with(
        "\x7f"
        "ELF");
    SF_CHECK(WriteFile(fmt::format("{}/{}.{}", folder, kernel.symbol, object ? "o" : "ptx"), kernel.code));
  }
  return {};
}

Result<int> CompileForDevice(const CompileFlags& flags, const driver::Dump& dump, const StageFiles& stages) {
  const driver::SimulatedTarget target = SF_TRY(driver::TargetOf(flags.target));
  if (!target.native && !flags.output.empty())
    return NotSupported("--output with {}: the device's own code has files, --target={}", flags.target,
                        target.device.name);
  Progress("reading");
  const driver::TextAndProgram input = SF_TRY(driver::ReadTextAndProgram(flags.common.file));
  const driver::Compiler* compiler = SF_TRY(driver::LoadCompiler());
  const driver::CompiledForDevice compiled = SF_TRY(
      compiler->CompileForDevice(*input.module, flags.common.options, target,
                                 FusingOf(flags.optimize, flags.as_fusion, input.text), dump, Progress));
  ProgressDone();
  SF_CHECK(stages.status());
  if (!flags.output.empty()) SF_CHECK(WriteKernels(compiled, flags.output));
  fmt::print("{}", explain::Summarize(compiled.report));
  for (const driver::NativeKernel& kernel : compiled.kernels) {
    fmt::print("  {:<32} {:>7} bytes{}{}\n", kernel.symbol, kernel.code.size(),
               kernel.assembled.empty() ? "" : ", by ptxas ", kernel.assembled);
  }
  return kRight;
}

Result<int> Compile(CompileFlags& flags) {
  SF_CHECK(flags.common.Resolve());
  StageFiles stages(flags.dump);
  std::string image;
  driver::Dump dump;
  if (!flags.dump.empty()) {
    std::error_code problem;
    std::filesystem::create_directories(flags.dump, problem);
    if (problem) return BadInput("cannot make the folder {}: {}", flags.dump, problem.message());
  }
  if (!flags.dump.empty() || !flags.output.empty()) {
    dump = [&](std::string_view stage, std::string_view name, std::string_view text) {
      if (!flags.dump.empty()) stages.Write(stage, name, text);
      if (stage == "image") image = text;
    };
  }
  if (flags.target != "cpu") return CompileForDevice(flags, dump, stages);
  if (flags.optimize || flags.as_fusion)
    return NotSupported("--optimize and --fusion are for GPUs; for the CPU programs are always optimized");
  std::unique_ptr<driver::Program> program = SF_TRY(CompileFile(flags.common, dump));
  SF_CHECK(stages.status());
  if (!flags.output.empty()) {
    if (image.empty()) return NotSupported("no image to write: the program has no kernel of its own");
    SF_CHECK(WriteFile(flags.output, image));
  }
  fmt::print("{}", explain::Summarize(program->report()));
  return kRight;
}

}  // namespace

void AddCompile(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("compile", "Compile a program; print phases and their times, kernels and buffers");
  auto flags = std::make_shared<CompileFlags>();
  flags->common.AddTo(*command);
  command
      ->add_option(
          "-o,--output", flags->output,
          "write the code image, an ELF shared object with every kernel (objdump -d shows it); for a GPU a "
          "folder, with PTX or an object for each kernel")
      ->type_name("FILE");
  command
      ->add_option("--target", flags->target,
                   "what to compile for: cpu, a GPU such as h100 or mi300, or its simulator, sim:h100")
      ->type_name("TARGET")
      ->capture_default_str();
  command->add_flag("--optimize", flags->optimize, "simplify and fuse anew (GPUs; the CPU always does)");
  command->add_flag("--fusion", flags->as_fusion,
                    "the entry is the body of one fusion, as it is without ENTRY (GPUs)");
  command
      ->add_option("--dump", flags->dump,
                   "write every stage, from HLO through the dialect and LLVM to assembly, to this folder")
      ->type_name("DIR");
  command->add_flag(
      "--no-cache", flags->no_cache,
      "compile even if a cache holds the result (nothing is cached so far, so it changes nothing)");
  command->callback([&action, flags] { action = [flags] { return Compile(*flags); }; });
}

}  // namespace subfloor::tool
