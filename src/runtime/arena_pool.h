#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/aligned_bytes.h"

namespace subfloor::runtime {

/// Memory for temporaries, lent to one run and then kept for the next, of whatever executable: pages that
/// were touched a moment ago are cheaper than new ones. Threads: any.
class ArenaPool {
 public:
  /// Keeps at most `keep_bytes` that nobody uses.
  explicit ArenaPool(int64_t keep_bytes = int64_t{1} << 30) : keep_bytes_(keep_bytes) {}
  /// The one that runs use if they name none. Never destroyed.
  static ArenaPool& Default();

  /// At least that many bytes of undefined content. Errors: out of resources.
  Result<AlignedBytes> Take(int64_t size_bytes);
  void Give(AlignedBytes arena);
  /// Frees what nobody uses.
  void Trim();

  int64_t kept_bytes() const;

 private:
  mutable std::mutex mutex_;
  std::vector<AlignedBytes> free_;  // latest used last
  int64_t kept_bytes_ = 0;
  int64_t keep_bytes_;
};

}  // namespace subfloor::runtime
