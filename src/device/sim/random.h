#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

namespace subfloor::device::sim {

/// Numbers that a seed fixes, the same on every machine (splitmix64).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// In [0, limit), limit below 2^32 or so: large ones are a little uneven.
  uint64_t Below(uint64_t limit) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(Next()) * limit) >> 64);
  }

  template <typename T>
  void Permute(std::span<T> items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[Below(i)]);
  }

 private:
  uint64_t state_;
};

/// Every number of [0, count) once, in an order that a seed fixes; 0: in order. Takes no memory.
class PermutedRange {
 public:
  PermutedRange(uint64_t count, uint64_t seed) : count_(count) {
    if (seed == 0 || count < 2) return;
    Random random(seed);
    offset_ = random.Below(count);
    do {
      factor_ = 1 + random.Below(count - 1);
    } while (std::gcd(factor_, count) != 1);
  }
  uint64_t At(uint64_t i) const {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(i) * factor_ + offset_) % count_);
  }

 private:
  uint64_t count_, factor_ = 1, offset_ = 0;
};

}  // namespace subfloor::device::sim
