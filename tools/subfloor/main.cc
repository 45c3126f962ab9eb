#include <fmt/ranges.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>

#include "base/nearest.h"
#include "tools/subfloor/commands.h"

namespace subfloor::tool {

void Common::AddTo(CLI::App& command, bool with_options) {
  command.add_option("file", file, "HLO text; - reads standard input")->required();
  if (with_options) {
    command.add_option("--set", set, "set an option, NAME=VALUE; `subfloor options` lists them")
        ->type_name("NAME=VALUE");
  }
}

Status Common::Resolve() {
  for (const std::string& assignment : set) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos) return BadInput("--set wants NAME=VALUE, found '{}'", assignment);
    SF_CHECK(driver::SetOption(options, assignment.substr(0, equals), assignment.substr(equals + 1)));
  }
  return {};
}

CLI::Validator WholeNumber(uint64_t least, uint64_t most) {
  const auto check = [least, most](std::string& text) -> std::string {
    uint64_t value = 0;
    const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = problem == std::errc() && stop == text.data() + text.size();
    if (whole && value >= least && value <= most) return {};
    return fmt::format("wants a whole number from {} to {}, found '{}'", least, most, text);
  };
  return CLI::Validator(check, fmt::format("{}..{}", least, most));
}

CLI::Validator Tolerance() {
  const auto check = [](std::string& text) -> std::string {
    double value = 0;
    const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool number = problem == std::errc() && stop == text.data() + text.size();
    if (number && value >= 0) return {};
    return fmt::format("wants a number of 0 or more, found '{}'", text);
  };
  return CLI::Validator(check, ">=0");
}

void Progress(std::string_view text) {
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K{}", text);
}

void ProgressDone() {
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K");
}

namespace {

// What is wrong with a command line, and where its help is; the whole help where nothing was asked for.
void ReportUsage(const CLI::App& app, int argc, char** argv, const CLI::ParseError& error) {
  if (argc < 2) {
    fmt::print(stderr, "{}", app.help());
    return;
  }
  const std::string_view word = argv[1];
  std::vector<std::string_view> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  const bool known = std::ranges::find(commands, word) != commands.end();
  if (known || word.starts_with('-')) {
    const std::string command = known ? fmt::format(" {}", word) : "";
    fmt::print(stderr, "subfloor{}: {}\n`subfloor{} --help` tells what it takes\n", command, error.what(),
               command);
    return;
  }
  const std::string_view nearest = Nearest(word, commands);
  fmt::print(stderr, "subfloor: no command is called '{}'{}{}{}; there are {}\n", word,
             nearest.empty() ? "" : "; the nearest is '", nearest, nearest.empty() ? "" : "'",
             fmt::join(commands, ", "));
}

int Main(int argc, char** argv) {
  CLI::App app(
      "Subfloor compiles HLO programs, as JAX writes them, and shows what became of them and why.\n"
      "Get HLO text from JAX with  jax.jit(f).lower(*args).as_text(\"hlo\")\n");
  app.name("subfloor");
  app.footer(
      "\nsubfloor COMMAND --help tells what a command takes.\n"
      "Exit codes: 0 right, 1 compared and different, 2 usage, 3 bad input, 4 not supported, 5 out of "
      "resources,\n"
      "70 a bug of ours.");
  app.require_subcommand(1);
  Action action;
  AddRun(app, action);
  AddEval(app, action);
  AddCompile(app, action);
  AddExplain(app, action);
  AddOpt(app, action);
  AddReduce(app, action);
  AddOptions(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // help was asked for
      app.exit(error);
      return kRight;
    }
    ReportUsage(app, argc, argv, error);
    return kUsage;
  }
  const Result<int> code = action();
  ProgressDone();
  if (code) return *code;
  fmt::print(stderr, "subfloor: {}\n", code.error().ToString());
  if (code.error().kind() == ErrorKind::kInternal) {
    fmt::print(stderr, "this is a bug of subfloor, not of the program: please report it with the program\n");
  }
  return ExitCode(code.error().kind());
}

}  // namespace
}  // namespace subfloor::tool

int main(int argc, char** argv) { return subfloor::tool::Main(argc, argv); }
