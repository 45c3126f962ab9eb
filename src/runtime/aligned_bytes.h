#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/error.h"

namespace subfloor::runtime {

/// Owned bytes that start at a multiple of SUBFLOOR_BUFFER_ALIGNMENT. Content is undefined until written.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  /// Errors: out of resources.
  static Result<AlignedBytes> Allocate(int64_t size_bytes);
  static Result<AlignedBytes> CopyOf(std::span<const std::byte> bytes);

  std::byte* data() const { return data_.get(); }
  int64_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Free> data_;
  int64_t size_ = 0;
};

}  // namespace subfloor::runtime
