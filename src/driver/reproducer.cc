#include "driver/reproducer.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/file.h"
#include "hlo/printer.h"

namespace subfloor::driver {
namespace {

// The text as comments, a line each.
std::string Comment(std::string_view text) {
  std::string comment = "// ";
  for (char c : text) comment += c == '\n' ? std::string("\n// ") : std::string(1, c);
  return comment + "\n";
}

}  // namespace

std::string LeaveReproducer(const hlo::Module& module, const Options& options, std::string_view message) {
  if (options.reproducer_dir == "none") return "";
  std::string folder = options.reproducer_dir;
  if (folder.empty()) {
    const char* temporary = std::getenv("TMPDIR");
    folder = temporary != nullptr && *temporary != 0 ? temporary : "/tmp";
  }
  constexpr std::string_view kEnding = ".hlo";
  std::string path = folder + "/subfloor-bug-XXXXXX" + std::string(kEnding);
  const int file = mkstemps(path.data(), static_cast<int>(kEnding.size()));
  if (file < 0) return fmt::format("no reproducer could be made in {}: {}", folder, std::strerror(errno));
  close(file);
  const std::string text =
      Comment(message) + Comment("subfloor compile" + ChangedOptions(options)) + hlo::Print(module);
  if (const Status written = WriteFile(path, text); !written)
    return fmt::format("no reproducer was left: {}", written.error().message());
  return fmt::format("the program lies in {}", path);
}

Error WithReproducer(Error error, const hlo::Module& module, const Options& options) {
  if (error.kind() != ErrorKind::kInternal) return error;
  const std::string where = LeaveReproducer(module, options, error.ToString());
  if (where.empty()) return error;
  return Error(error.kind(), fmt::format("{}; {}", error.message(), where))
      .At(error.position())
      .In(error.instruction());
}

}  // namespace subfloor::driver
