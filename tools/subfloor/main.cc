#include <unistd.h>

#include <cstdio>

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

void Progress(std::string_view text) {
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K{}", text);
}

void ProgressDone() {
  if (isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[K");
}

namespace {

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
  app.failure_message(CLI::FailureMessage::help);
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
    const bool asked_for_help = error.get_exit_code() == 0;
    app.exit(error);
    return asked_for_help ? kRight : kUsage;
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
