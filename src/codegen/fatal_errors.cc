#include "codegen/fatal_errors.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "base/error.h"
#include "llvm/Support/ErrorHandling.h"

namespace subfloor::codegen {
namespace {

thread_local const LlvmWork* current = nullptr;

void OnFatalError(void*, const char* reason, bool) {
  // Another user of LLVM in this process may have failed: then it is theirs to end.
  if (current == nullptr) return;
  fmt::print(stderr, "subfloor: LLVM failed on kernels {}: {}\n", current->kernels, reason);
  if (current->leave_reproducer) fmt::print(stderr, "{}\n", current->leave_reproducer());
  std::fflush(stderr);
  std::_Exit(ExitCode(ErrorKind::kInternal));
}

}  // namespace

LlvmWork::LlvmWork(const std::string& kernels, const std::function<std::string()>& leave_reproducer)
    : kernels(kernels), leave_reproducer(leave_reproducer) {
  static std::once_flag once;
  std::call_once(once, [] { llvm::install_fatal_error_handler(OnFatalError); });
  current = this;
}

LlvmWork::~LlvmWork() { current = nullptr; }

}  // namespace subfloor::codegen
