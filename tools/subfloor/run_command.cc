#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

#include "driver/compiler.h"
#include "driver/device_program.h"
#include "driver/program.h"
#include "driver/program_io.h"
#include "tools/subfloor/commands.h"
#include "types/compare_literals.h"

namespace subfloor::tool {
namespace {

struct RunFlags {
  Common common;
  std::string inputs, outputs, target = "cpu", compare;
  uint64_t seed = 0;
  int64_t repeat = 1;
  bool profile = false, nan_check = false, optimize = false, as_fusion = false;
  CompareOptions tolerance;

  void AddTo(CLI::App& command, bool evaluator) {
    common.AddTo(command, /*with_options=*/true);
    command
        .add_option(
            "--inputs", inputs,
            "folder with in0.npy, in1.npy, ..., one for each array of the parameters (default: random)")
        ->type_name("DIR");
    command.add_option("--outputs", outputs, "folder for out0.npy, out1.npy, ... (default: print)")
        ->type_name("DIR");
    command.add_option("--seed", seed, "seed of the random inputs")
        ->check(WholeNumber(0, std::numeric_limits<uint64_t>::max()))
        ->capture_default_str();
    command.add_flag("--nan-check", nan_check,
                     "name the first op that makes a NaN out of none (by the evaluator)");
    if (evaluator) return;
    command
        .add_option("--target", target,
                    "what to run on: cpu, or a simulated GPU, sim:h100; with every access checked, "
                    "sim:h100:checked")
        ->type_name("TARGET")
        ->capture_default_str();
    command.add_flag("--optimize", optimize, "simplify and fuse anew (simulated GPUs; the CPU always does)");
    command.add_flag("--fusion", as_fusion,
                     "the entry is the body of one fusion, as it is without ENTRY (simulated GPUs)");
    command.add_option("--compare", compare, "compare the results with another way of computing them")
        ->check(CLI::IsMember({"evaluator"}));
    command.add_option("--max-ulp", tolerance.max_ulp, "accept this many units in the last place")
        ->check(Tolerance());
    command.add_option("--rtol", tolerance.rtol, "accept this relative error")->check(Tolerance());
    command.add_option("--atol", tolerance.atol, "accept this absolute error")->check(Tolerance());
    command.add_option("--repeat", repeat, "run so often and report the median time")
        ->check(WholeNumber(1, 1'000'000));
    command.add_flag("--profile", profile, "time every step and list the most expensive");
  }

  Result<std::vector<Literal>> Arguments(const hlo::Module& module) const {
    if (!inputs.empty()) return driver::ReadArguments(module, inputs);
    return driver::RandomArguments(module, seed);
  }

  Status CheckNan(const hlo::Module& module, std::span<const Literal> arguments) const {
    const driver::Compiler* compiler = SF_TRY(driver::LoadCompiler());
    Progress("looking for NaN");
    const std::string found = SF_TRY(compiler->FindFirstNan(module, arguments, common.options));
    ProgressDone();
    fmt::print("{}\n", found);
    return {};
  }

  Status Report(const Literal& result) const {
    if (!outputs.empty()) return driver::WriteResult(result, outputs);
    fmt::print("{}", driver::DescribeResult(result));
    return {};
  }
};

// Text that leaves large constants out still runs, on values nobody chose: that must not pass for a result.
void WarnOfElidedConstants(const hlo::Module& module) {
  int64_t count = 0;
  for (const hlo::Computation* computation : module.computations()) {
    for (const hlo::Instruction* op : computation->instructions())
      count += op->IsConstant() && op->As<hlo::ConstantAttributes>().elided ? 1 : 0;
  }
  if (count == 0) return;
  fmt::print(
      stderr,
      "subfloor: the text leaves out {} large constant{} ({{...}}); a pattern stands in for the values\n",
      count, count == 1 ? "" : "s");
}

Result<Literal> RunEvaluator(const hlo::Module& module, std::span<const Literal> arguments,
                             const RunFlags& flags) {
  const driver::Compiler* compiler = SF_TRY(driver::LoadCompiler());
  Progress("evaluating");
  Result<Literal> result = compiler->Evaluate(module, arguments, flags.common.options);
  ProgressDone();
  return result;
}

// Compiles, runs and compares: the same for a driver::Program and a driver::DeviceProgram, which `compile`
// makes.
template <typename Compile, typename Profile>
Result<int> CompileAndRun(const RunFlags& flags, const hlo::Module& module, const Compile& compile,
                          const Profile& profile) {
  const std::vector<Literal> arguments = SF_TRY(flags.Arguments(module));
  if (flags.nan_check) SF_CHECK(flags.CheckNan(module, arguments));
  Progress("compiling");
  const auto start = std::chrono::steady_clock::now();
  const auto program = SF_TRY(compile());
  const double compile_milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  ProgressDone();
  const Literal result = SF_TRY(program->Run(arguments));
  SF_CHECK(flags.Report(result));
  if (flags.repeat > 1) {
    std::vector<double> times = SF_TRY(program->Time(arguments, flags.repeat));
    std::ranges::nth_element(times, times.begin() + static_cast<int64_t>(times.size() / 2));
    fmt::print("compiled in {:.1f} ms\nmedian of {} runs: {:.1f} us\n", compile_milliseconds, flags.repeat,
               times[times.size() / 2]);
  }
  if (flags.profile) fmt::print("{}", SF_TRY(profile(*program, arguments)));
  if (flags.compare.empty()) return kRight;
  const Literal expected = SF_TRY(RunEvaluator(module, arguments, flags));
  const Comparison comparison = SF_TRY(CompareLiterals(result, expected, flags.tolerance));
  fmt::print("{}\n", comparison.ToString());
  return comparison.Matches() ? kRight : kDifferent;
}

Result<int> RunOnDevice(const RunFlags& flags, const driver::TextAndProgram& input) {
  const driver::SimulatedTarget target = SF_TRY(driver::SimulatedTargetOf(flags.target));
  const driver::DeviceFusing fusing = FusingOf(flags.optimize, flags.as_fusion, input.text);
  return CompileAndRun(
      flags, *input.module,
      [&] { return driver::DeviceProgram::Compile(*input.module, flags.common.options, target, fusing); },
      [](const driver::DeviceProgram& program, std::span<const Literal>) -> Result<std::string> {
        return program.Counters();
      });
}

Result<int> Run(RunFlags& flags) {
  SF_CHECK(flags.common.Resolve());
  const driver::TextAndProgram input = SF_TRY(driver::ReadTextAndProgram(flags.common.file));
  WarnOfElidedConstants(*input.module);
  if (flags.target != "cpu") return RunOnDevice(flags, input);
  if (flags.optimize || flags.as_fusion)
    return NotSupported("--optimize and --fusion are for simulated GPUs; the CPU runs the optimized program");
  return CompileAndRun(
      flags, *input.module, [&] { return driver::Program::Compile(*input.module, flags.common.options); },
      [](const driver::Program& program, std::span<const Literal> arguments) {
        return program.Profile(arguments);
      });
}

Result<int> Eval(RunFlags& flags) {
  SF_CHECK(flags.common.Resolve());
  std::unique_ptr<hlo::Module> module = SF_TRY(driver::ReadProgram(flags.common.file));
  WarnOfElidedConstants(*module);
  const std::vector<Literal> arguments = SF_TRY(flags.Arguments(*module));
  if (flags.nan_check) SF_CHECK(flags.CheckNan(*module, arguments));
  SF_CHECK(flags.Report(SF_TRY(RunEvaluator(*module, arguments, flags))));
  return kRight;
}

}  // namespace

void AddRun(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Compile a program, run it, print or save the results");
  auto flags = std::make_shared<RunFlags>();
  flags->AddTo(*command, /*evaluator=*/false);
  command->callback([&action, flags] { action = [flags] { return Run(*flags); }; });
}

void AddEval(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("eval", "Run a program on the evaluator, which defines every result");
  auto flags = std::make_shared<RunFlags>();
  flags->AddTo(*command, /*evaluator=*/true);
  command->callback([&action, flags] { action = [flags] { return Eval(*flags); }; });
}

}  // namespace subfloor::tool
