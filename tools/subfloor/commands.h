#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "driver/options.h"
#include "driver/program.h"

/// The subcommands. Each Add... function declares its flags on `app` and leaves in `action` what runs if it
/// was chosen; the action gives the exit code, or an error that main turns into one (docs/cli.md).
namespace subfloor::tool {

using Action = std::function<Result<int>()>;

constexpr int kRight = 0, kDifferent = 1, kUsage = 2;

/// Flags that every command which reads or compiles a program shares.
struct Common {
  std::string file;
  std::vector<std::string> set;  ///< --set NAME=VALUE
  driver::Options options;

  void AddTo(CLI::App& command, bool with_options = true);
  /// Applies --set. Errors: bad input.
  Status Resolve();
};

/// Reads and compiles, showing progress.
Result<std::unique_ptr<driver::Program>> CompileFile(Common& common, const driver::Dump& dump);

/// What of a program is fused for a device, by the flags and by whether its text marks an ENTRY.
driver::DeviceFusing FusingOf(bool optimize, bool as_fusion, std::string_view text);

void AddRun(CLI::App& app, Action& action);
void AddEval(CLI::App& app, Action& action);
void AddCompile(CLI::App& app, Action& action);
void AddExplain(CLI::App& app, Action& action);
void AddOpt(CLI::App& app, Action& action);
void AddReduce(CLI::App& app, Action& action);
void AddOptions(CLI::App& app, Action& action);

/// Numbers that an option takes. A value outside is wrong use, and the message names the range.
CLI::Validator WholeNumber(uint64_t least, uint64_t most);
CLI::Validator Tolerance();  ///< 0 or more; no NaN

/// A line of progress on standard error while `step` runs; silent unless that is a terminal.
void Progress(std::string_view text);
void ProgressDone();

}  // namespace subfloor::tool
