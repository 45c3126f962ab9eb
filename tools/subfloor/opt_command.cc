#include <algorithm>
#include <memory>

#include "driver/compiler.h"
#include "driver/program_io.h"
#include "hlo/printer.h"
#include "tools/subfloor/commands.h"

namespace subfloor::tool {
namespace {

struct OptFlags {
  Common common;
  std::vector<std::string> passes;
  std::string until, print;
  bool pipeline = false, dialect = false;
};

hlo::PrintOptions PrintOptionsOf(std::string_view form) {
  if (form == "long") return hlo::PrintOptions::Long();
  if (form == "canonical") return hlo::PrintOptions::Canonical();
  return hlo::PrintOptions::Short();
}

// Elided constants become ordinary ones, with the values that they stand for here.
void SpellOutConstants(hlo::Module& module) {
  for (hlo::Computation* computation : module.computations()) {
    for (hlo::Instruction* instruction : computation->instructions()) {
      if (instruction->IsConstant()) instruction->MutableAs<hlo::ConstantAttributes>().elided = false;
    }
  }
}

Result<int> OptHlo(const OptFlags& flags) {
  if (!flags.passes.empty() && (flags.pipeline || !flags.until.empty()))
    return BadInput("--pass runs passes by hand; it does not go with --pipeline or --until");
  std::unique_ptr<hlo::Module> module = SF_TRY(driver::ReadProgram(flags.common.file));
  if (!flags.passes.empty() || flags.pipeline || !flags.until.empty()) {
    const driver::Compiler* compiler = SF_TRY(driver::LoadCompiler());
    SF_CHECK(flags.passes.empty() ? compiler->RunPipeline(*module, flags.until, flags.common.options)
                                  : compiler->RunPasses(*module, flags.passes, flags.common.options));
  }
  if (flags.print == "large") SpellOutConstants(*module);
  fmt::print("{}", hlo::Print(*module, PrintOptionsOf(flags.print)));
  return kRight;
}

Result<int> OptDialect(const OptFlags& flags) {
  if (!flags.passes.empty()) {
    return BadInput("the dialect is lowered step by step: --until=STEP or --pipeline, not --pass");
  }
  if (!flags.print.empty()) return BadInput("--print is for HLO; the dialect has one form");
  const std::string text = SF_TRY(driver::ReadInput(flags.common.file));
  const driver::Compiler* compiler = SF_TRY(driver::LoadCompiler());
  fmt::print("{}",
             SF_TRY(compiler->RunLowering(text, flags.common.file, flags.pipeline ? "all" : flags.until)));
  return kRight;
}

Result<int> Opt(OptFlags& flags) {
  SF_CHECK(flags.common.Resolve());
  if (flags.pipeline && !flags.until.empty())
    return BadInput("--pipeline runs everything; --until stops before");
  if (flags.dialect || flags.common.file.ends_with(".mlir")) return OptDialect(flags);
  return OptHlo(flags);
}

// What can be run, told by the compiler itself.
std::string PassList() {
  const Result<const driver::Compiler*> compiler = driver::LoadCompiler();
  if (!compiler) return fmt::format("No passes to list: {}\n", compiler.error().message());
  std::string text = "Passes over HLO (--pass):\n";
  for (const driver::PassInfo& pass : (*compiler)->Passes())
    text += fmt::format("  {:<28} {}\n", pass.name, pass.summary);
  text += "\nThe CPU pipeline (--pipeline, --until):\n ";
  size_t column = 1;
  for (std::string_view name : (*compiler)->Pipeline()) {
    if (column + name.size() + 1 > 100) text += "\n ", column = 1;
    text += fmt::format(" {}", name);
    column += name.size() + 1;
  }
  text += "\n\nSteps from the dialect to LLVM (--pipeline, --until):\n ";
  for (const std::string& name : (*compiler)->LoweringSteps()) text += " " + name;
  return text + "\n";
}

}  // namespace

void AddOpt(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "opt", "Run passes over a program, or lower a kernel of the dialect, and print what became of it");
  auto flags = std::make_shared<OptFlags>();
  flags->common.AddTo(*command);
  command->add_option("--pass,--passes", flags->passes, "run these passes, in the order given")
      ->delimiter(',')
      ->type_name("PASS,...");
  command->add_flag("--pipeline", flags->pipeline, "run the whole pipeline");
  command
      ->add_option("--until", flags->until,
                   "run the pipeline and stop after this pass has run, or after its third run: PASS:3")
      ->type_name("PASS[:N]");
  command->add_flag("--dialect", flags->dialect, "the file is MLIR text of the dialect, as any FILE.mlir is");
  command
      ->add_option("--print", flags->print,
                   "short (the default), long (with operand shapes), large (elided constants spelled out), "
                   "canonical (no names)")
      ->check(CLI::IsMember({"short", "long", "large", "canonical"}));
  command->footer(PassList);
  command->callback([&action, flags] { action = [flags] { return Opt(*flags); }; });
}

}  // namespace subfloor::tool
