#include "codegen/target/ptxas.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "codegen/target/temporary_folder.h"

extern char** environ;

namespace subfloor::codegen {
namespace {

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The program's exit status, what it prints sent to `output`.
Result<int> Run(const std::vector<std::string>& command, const std::string& output) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t process = 0;
  const int failed = posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    return OutOfResources("{} does not start: {}", command[0], std::generic_category().message(failed));
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return OutOfResources("{} cannot be waited for", command[0]);
  }
  return status;
}

// The number that stands before `unit` in the line, or 0.
int64_t NumberBefore(std::string_view line, std::string_view unit) {
  const size_t end = line.find(unit);
  if (end == std::string_view::npos) return 0;
  size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  int64_t number = 0;
  std::from_chars(line.data() + begin, line.data() + end, number);
  return number;
}

}  // namespace

std::optional<std::string> FindPtxas() {
  const auto usable = [](const std::string& path) { return access(path.c_str(), X_OK) == 0; };
  if (const char* given = std::getenv("SUBFLOOR_PTXAS"); given != nullptr && usable(given)) return given;
  std::vector<std::string> folders;
  if (const char* path = std::getenv("PATH")) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const size_t colon = rest.find(':');
      folders.emplace_back(rest.substr(0, colon));
      rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    }
  }
  if (const char* home = std::getenv("CUDA_HOME")) folders.push_back(std::string(home) + "/bin");
  folders.emplace_back("/usr/local/cuda/bin");
  for (const std::string& folder : folders) {
    if (!folder.empty() && usable(folder + "/ptxas")) return folder + "/ptxas";
  }
  return std::nullopt;
}

std::vector<PtxasKernel> ReadPtxasReport(std::string_view report) {
  std::vector<PtxasKernel> kernels;
  while (!report.empty()) {
    const size_t newline = report.find('\n');
    const std::string_view line = report.substr(0, newline);
    report = newline == std::string_view::npos ? std::string_view() : report.substr(newline + 1);
    constexpr std::string_view kBegins = "Compiling entry function '";
    if (const size_t at = line.find(kBegins); at != std::string_view::npos) {
      const std::string_view rest = line.substr(at + kBegins.size());
      kernels.push_back({.name = std::string(rest.substr(0, rest.find('\'')))});
      continue;
    }
    if (kernels.empty()) continue;
    PtxasKernel& kernel = kernels.back();
    if (line.find(" bytes stack frame") != std::string_view::npos) {
      kernel.stack_bytes = NumberBefore(line, " bytes stack frame");
      kernel.spill_store_bytes = NumberBefore(line, " bytes spill stores");
      kernel.spill_load_bytes = NumberBefore(line, " bytes spill loads");
    } else if (line.find("Used ") != std::string_view::npos) {
      kernel.registers = NumberBefore(line, " registers");
      kernel.shared_bytes = NumberBefore(line, " bytes smem");
    }
  }
  return kernels;
}

Result<PtxasResult> AssemblePtx(const std::string& ptxas, std::string_view ptx,
                                std::string_view architecture) {
  const TemporaryFolder folder;
  if (folder.path().empty()) return OutOfResources("no temporary folder for {}", ptxas);
  const auto file_at = [&](const char* name) { return (folder.path() / name).string(); };
  const std::string source = file_at("kernels.ptx"), cubin = file_at("kernels.cubin"),
                    report = file_at("report");
  {
    std::ofstream file(source, std::ios::binary);
    file.write(ptx.data(), static_cast<std::streamsize>(ptx.size()));
    file.flush();
    if (!file) return OutOfResources("{} cannot be written", source);
  }
  const int status =
      SF_TRY(Run({ptxas, "-v", "-O3", "-arch=" + std::string(architecture), source, "-o", cubin}, report));
  const std::string said = ReadAll(report);
  if (status != 0) return InternalError("ptxas refuses the code for {}: {}", architecture, said);
  PtxasResult result;
  const std::string bytes = ReadAll(cubin);
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  result.cubin.assign(begin, begin + bytes.size());
  result.kernels = ReadPtxasReport(said);
  return result;
}

}  // namespace subfloor::codegen
