#include "runtime/arena_pool.h"

#include <utility>

namespace subfloor::runtime {

ArenaPool& ArenaPool::Default() {
  static auto* pool = new ArenaPool;
  return *pool;
}

Result<AlignedBytes> ArenaPool::Take(int64_t size_bytes) {
  {
    std::lock_guard lock(mutex_);
    // The smallest that is large enough but not wastefully so; of equals the latest, which is the warmest.
    constexpr int64_t kSlack = 1 << 20;
    size_t best = free_.size();
    for (size_t i = 0; i < free_.size(); ++i) {
      const int64_t size = free_[i].size();
      if (size < size_bytes || size - size_bytes > size_bytes + kSlack) continue;
      if (best == free_.size() || size <= free_[best].size()) best = i;
    }
    if (best != free_.size()) {
      AlignedBytes arena = std::move(free_[best]);
      free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(best));
      kept_bytes_ -= arena.size();
      return arena;
    }
  }
  return AlignedBytes::Allocate(size_bytes);
}

void ArenaPool::Give(AlignedBytes arena) {
  std::vector<AlignedBytes> dropped;  // freed after the lock is
  std::lock_guard lock(mutex_);
  kept_bytes_ += arena.size();
  free_.push_back(std::move(arena));
  while (kept_bytes_ > keep_bytes_) {
    kept_bytes_ -= free_.front().size();
    dropped.push_back(std::move(free_.front()));
    free_.erase(free_.begin());
  }
}

void ArenaPool::Trim() {
  std::vector<AlignedBytes> dropped;
  std::lock_guard lock(mutex_);
  dropped.swap(free_);
  kept_bytes_ = 0;
}

int64_t ArenaPool::kept_bytes() const {
  std::lock_guard lock(mutex_);
  return kept_bytes_;
}

}  // namespace subfloor::runtime
