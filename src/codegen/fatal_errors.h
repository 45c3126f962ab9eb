#pragma once

#include <functional>
#include <string>

namespace subfloor::codegen {

/// What this thread hands to LLVM, for as long as it lives. LLVM ends the process on what it calls a fatal
/// error, and nothing can hold it back; what can be done is to say on stderr whose kernels they were, leave a
/// reproducer and exit as for any bug of ours, with code 70.
class LlvmWork {
 public:
  /// `kernels` (their names) and `leave_reproducer` (see CompileOptions) must outlive this; the first may
  /// grow.
  LlvmWork(const std::string& kernels, const std::function<std::string()>& leave_reproducer);
  ~LlvmWork();
  LlvmWork(const LlvmWork&) = delete;
  LlvmWork& operator=(const LlvmWork&) = delete;

  const std::string& kernels;
  const std::function<std::string()>& leave_reproducer;
};

}  // namespace subfloor::codegen
