#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace subfloor::device::sim {

/// Which bytes of a region were ever written. At first none. Costs a bit a byte, once a part of it is
/// written.
class InitialisedBytes {
 public:
  explicit InitialisedBytes(uint64_t size_bytes) : size_(size_bytes) {}

  void Clear() {
    all_ = false;
    std::ranges::fill(words_, 0);
  }

  void Mark(uint64_t offset, uint64_t bytes) {
    if (all_ || bytes == 0) return;
    if (bytes == size_) {
      all_ = true;
      words_ = {};
      return;
    }
    if (words_.empty()) words_.resize((size_ + 63) / 64);
    const uint64_t shift = offset % 64;
    if (shift + bytes <= 64) {
      words_[offset / 64] |= Ones(bytes) << shift;
      return;
    }
    words_[offset / 64] |= ~uint64_t{0} << shift;
    const uint64_t end = offset + bytes;
    for (uint64_t w = offset / 64 + 1; w < end / 64; ++w) words_[w] = ~uint64_t{0};
    if (end % 64 != 0) words_[end / 64] |= Ones(end % 64);
  }

  /// The first of these bytes that was not written.
  std::optional<uint64_t> FirstUnwritten(uint64_t offset, uint64_t bytes) const {
    if (all_ || bytes == 0) return std::nullopt;
    if (words_.empty()) return offset;
    const uint64_t shift = offset % 64;
    if (shift + bytes <= 64) {
      const uint64_t wanted = Ones(bytes) << shift;
      if ((words_[offset / 64] & wanted) == wanted) return std::nullopt;
    }
    for (uint64_t i = offset; i < offset + bytes; ++i) {
      if ((words_[i / 64] >> (i % 64) & 1) == 0) return i;
    }
    return std::nullopt;
  }

  /// As if the bytes of `other` had been copied here.
  void CopyFrom(uint64_t offset, const InitialisedBytes& other, uint64_t other_offset, uint64_t bytes) {
    if (!other.FirstUnwritten(other_offset, bytes)) return Mark(offset, bytes);
    if (all_) {
      all_ = false;
      words_.assign((size_ + 63) / 64, ~uint64_t{0});
    }
    if (words_.empty()) words_.resize((size_ + 63) / 64);
    for (uint64_t i = 0; i < bytes; ++i) {
      const uint64_t bit = uint64_t{1} << ((offset + i) % 64);
      uint64_t& word = words_[(offset + i) / 64];
      word = other.FirstUnwritten(other_offset + i, 1) ? word & ~bit : word | bit;
    }
  }

 private:
  static uint64_t Ones(uint64_t count) { return count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1; }

  uint64_t size_;
  bool all_ = false;
  std::vector<uint64_t> words_;
};

}  // namespace subfloor::device::sim
