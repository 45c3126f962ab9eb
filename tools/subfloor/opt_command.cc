#include <memory>

#include "cpu/pipeline.h"
#include "device/description/cpu_description.h"
#include "driver/program_io.h"
#include "hlo/printer.h"
#include "passes/registry.h"
#include "tools/subfloor/commands.h"

namespace subfloor::tool {
namespace {

struct OptFlags {
  Common common;
  std::vector<std::string> passes;
  std::string until, print = "short";
  bool pipeline = false;
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

Result<int> Opt(OptFlags& flags) {
  SF_CHECK(flags.common.Resolve());
  std::unique_ptr<hlo::Module> module = SF_TRY(driver::ReadProgram(flags.common.file));
  passes::PassContext context;
  context.cpu = SF_TRY(device::CpuByName(flags.common.options.cpu));
  std::vector<passes::Pass> order;
  for (const std::string& name : flags.passes) {
    order.push_back(SF_TRY(passes::FindPass(name)));
  }
  if (flags.pipeline || !flags.until.empty()) {
    if (!flags.until.empty()) {
      // A prefix: each pass once, in the pipeline's order, up to and with the one that is named.
      bool found = false;
      for (const passes::Pass& pass : cpu::MakePipeline().passes()) {
        if (found) break;
        order.push_back(pass);
        found = pass.name == flags.until;
      }
      if (!found)
        return BadInput("no pass of the pipeline is called '{}' (subfloor opt --help lists them)",
                        flags.until);
    } else {
      SF_TRY(cpu::MakePipeline().Run(*module, context));
    }
  }
  for (const passes::Pass& pass : order) SF_TRY(passes::RunPass(pass, *module, context));
  if (flags.print == "large") SpellOutConstants(*module);
  fmt::print("{}", hlo::Print(*module, PrintOptionsOf(flags.print)));
  return kRight;
}

std::string PassList() {
  std::string text = "passes:\n";
  for (const passes::Pass& pass : passes::AllPasses())
    text += fmt::format("  {:<32} {}\n", pass.name, pass.summary);
  return text;
}

}  // namespace

void AddOpt(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("opt", "Run passes over a program and print it");
  auto flags = std::make_shared<OptFlags>();
  flags->common.AddTo(*command);
  command->add_option("--pass", flags->passes, "run these passes, in order")->delimiter(',');
  command->add_flag("--pipeline", flags->pipeline, "run the whole CPU pipeline");
  command->add_option("--until", flags->until, "run the CPU pipeline up to and with this pass")
      ->type_name("PASS");
  command
      ->add_option("--print", flags->print,
                   "short, long (operand shapes), large (every constant whole), canonical")
      ->check(CLI::IsMember({"short", "long", "large", "canonical"}));
  command->footer(PassList);
  command->callback([&action, flags] { action = [flags] { return Opt(*flags); }; });
}

}  // namespace subfloor::tool
