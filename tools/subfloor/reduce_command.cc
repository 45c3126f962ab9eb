#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>

#include "base/file.h"
#include "driver/compiler.h"
#include "driver/program.h"
#include "driver/program_io.h"
#include "driver/reduce.h"
#include "hlo/printer.h"
#include "tools/subfloor/commands.h"
#include "types/compare_literals.h"

namespace subfloor::tool {
namespace {

struct ReduceFlags {
  Common common;
  std::string test, output;
  uint64_t seed = 0;
  CompareOptions tolerance;
  int64_t attempts = 5000;
};

// Interesting by a command: it is given the candidate's path and must fail (exit other than 0), as the
// original does.
driver::Interesting ByCommand(const std::string& command) {
  return [command](const hlo::Module& module) {
    std::string path = (std::filesystem::temp_directory_path() / "subfloor-reduce-XXXXXX").string();
    const int file = mkstemp(path.data());
    if (file < 0) return false;
    close(file);
    hlo::PrintOptions print;
    print.print_large_constants = true;
    const bool written = WriteFile(path, hlo::Print(module, print)).has_value();
    const int code =
        written ? std::system(fmt::format("{} '{}' > /dev/null 2>&1", command, path).c_str()) : 0;
    std::filesystem::remove(path);
    // 126 and 127: the shell could not run the command, which says nothing of the program.
    const int status = WIFEXITED(code) ? WEXITSTATUS(code) : code;
    return status != 0 && status != 126 && status != 127;
  };
}

// Interesting by the evaluator: compiling fails other than with "not supported", or the results differ.
driver::Interesting ByEvaluator(const driver::Compiler& compiler, const ReduceFlags& flags) {
  return [&compiler, &flags](const hlo::Module& module) {
    const auto arguments = driver::RandomArguments(module, flags.seed);
    if (!arguments) return false;
    const auto expected = compiler.Evaluate(module, *arguments, flags.common.options);
    if (!expected) return false;
    const auto program = driver::Program::Compile(module, flags.common.options);
    if (!program) return program.error().kind() != ErrorKind::kNotSupported;
    const auto actual = (*program)->Run(*arguments);
    if (!actual) return true;
    const auto comparison = CompareLiterals(*actual, *expected, flags.tolerance);
    return comparison && !comparison->Matches();
  };
}

Result<int> ReduceProgram(ReduceFlags& flags) {
  SF_CHECK(flags.common.Resolve());
  flags.common.options.reproducer_dir = "none";  // the smallest program is what is wanted, not every step
  std::unique_ptr<hlo::Module> module = SF_TRY(driver::ReadProgram(flags.common.file));
  driver::ReduceOptions options;
  options.max_attempts = flags.attempts;
  options.on_progress = [](int64_t instructions, int64_t attempts) {
    Progress(fmt::format("{} instructions after {} attempts", instructions, attempts));
  };
  const driver::Interesting interesting =
      flags.test.empty() ? ByEvaluator(*SF_TRY(driver::LoadCompiler()), flags) : ByCommand(flags.test);
  std::unique_ptr<hlo::Module> reduced = SF_TRY(driver::Reduce(*module, interesting, options));
  ProgressDone();
  hlo::PrintOptions print;
  print.print_large_constants = true;
  const std::string text = hlo::Print(*reduced, print);
  if (flags.output.empty()) {
    fmt::print("{}", text);
  } else {
    SF_CHECK(WriteFile(flags.output, text));
  }
  return kRight;
}

}  // namespace

void AddReduce(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand(
      "reduce", "Make a failing program small: by default one whose results differ from the evaluator's");
  auto flags = std::make_shared<ReduceFlags>();
  flags->common.AddTo(*command);
  command
      ->add_option("--test", flags->test,
                   "command that fails for a program that shows the problem; gets its path")
      ->type_name("COMMAND");
  command->add_option("-o,--output", flags->output, "where to write the small program (default: print)");
  command->add_option("--seed", flags->seed, "seed of the inputs")
      ->check(WholeNumber(0, std::numeric_limits<uint64_t>::max()));
  command->add_option("--max-ulp", flags->tolerance.max_ulp, "differences up to this do not count")
      ->check(Tolerance());
  command->add_option("--rtol", flags->tolerance.rtol, "relative errors up to this do not count")
      ->check(Tolerance());
  command->add_option("--atol", flags->tolerance.atol, "absolute errors up to this do not count")
      ->check(Tolerance());
  command->add_option("--attempts", flags->attempts, "candidates to try at most")
      ->check(WholeNumber(1, 1'000'000'000));
  command->callback([&action, flags] { action = [flags] { return ReduceProgram(*flags); }; });
}

}  // namespace subfloor::tool
