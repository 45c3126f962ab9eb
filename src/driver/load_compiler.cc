#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "driver/compiler.h"

namespace subfloor::driver {
namespace {

constexpr const char* kFileName = "libsubfloor_compiler.so." SUBFLOOR_SOVERSION;

// The folder of the file that holds this function.
std::string OwnFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&OwnFolder), &info) == 0 || info.dli_fname == nullptr) return "";
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

Result<const Compiler*> Open() {
  const char* named = std::getenv("SUBFLOOR_COMPILER");
  const std::string path = named != nullptr && *named != '\0' ? named : OwnFolder() + kFileName;
  // Never closed: LLVM does not survive that, and there is one compiler a process.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* problem = dlerror();
    return NotSupported(
        "the compiler library cannot be opened: {}; it lies beside libsubfloor, or SUBFLOOR_COMPILER names "
        "it",
        problem != nullptr ? problem : path);
  }
  const auto entry_function = reinterpret_cast<CompilerEntryFunction>(dlsym(library, CompilerEntry::kSymbol));
  if (entry_function == nullptr) return NotSupported("{} is not a compiler library of subfloor", path);
  const CompilerEntry& entry = *entry_function();
  if (entry.interface != CompilerEntry::kInterface || entry.layout != LayoutOfBuild() ||
      std::string_view(entry.version) != SUBFLOOR_VERSION) {
    return NotSupported(
        "{} is of another build: version {}, interface {}; libsubfloor is version {}, interface {}; install "
        "both "
        "from one build",
        path, entry.version, entry.interface, SUBFLOOR_VERSION, CompilerEntry::kInterface);
  }
  return entry.compiler;
}

}  // namespace

Result<const Compiler*> LoadCompiler() {
  static const Result<const Compiler*> compiler = Open();
  return compiler;
}

}  // namespace subfloor::driver
