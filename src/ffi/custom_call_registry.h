#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace subfloor::ffi {

extern "C" {
/// What a custom call runs: dense row-major buffers in the order of operands and results, tuples flattened,
/// and the instruction's backend config as text. Null on success, else a message that stays valid until the
/// thread's next call.
typedef const char* (*SubfloorCustomCall)(void** outputs, const void** inputs, const char* opaque,
                                          size_t opaque_size);
}

/// Functions by custom_call_target. Threads: any.
class CustomCallRegistry {
 public:
  /// The process's registry.
  static CustomCallRegistry& Global();

  /// Errors: bad input if another function has the name already.
  Status Register(std::string name, SubfloorCustomCall function);
  /// nullopt if nobody registered the name.
  std::optional<SubfloorCustomCall> Find(std::string_view name) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, SubfloorCustomCall, std::less<>> functions_;
};

}  // namespace subfloor::ffi
