#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace subfloor::testing_support {

/// A small deterministic source of choices (SplitMix64).
class RandomSource {
 public:
  explicit RandomSource(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t x = state_ += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  /// In [0, n). Precondition: n > 0.
  int64_t Below(int64_t n) { return static_cast<int64_t>(Next() % static_cast<uint64_t>(n)); }
  /// In [low, high].
  int64_t Between(int64_t low, int64_t high) { return low + Below(high - low + 1); }
  bool OneIn(int64_t n) { return Below(n) == 0; }
  template <typename T>
  T Pick(std::initializer_list<T> choices) {
    return choices.begin()[Below(static_cast<int64_t>(choices.size()))];
  }
  template <typename T>
  const T& Pick(const std::vector<T>& choices) {
    return choices[static_cast<size_t>(Below(static_cast<int64_t>(choices.size())))];
  }
  /// 0 .. n-1 in random order.
  std::vector<int64_t> Permutation(int64_t n) {
    std::vector<int64_t> order;
    for (int64_t i = 0; i < n; ++i) order.insert(order.begin() + Below(i + 1), i);
    return order;
  }

 private:
  uint64_t state_;
};

}  // namespace subfloor::testing_support
