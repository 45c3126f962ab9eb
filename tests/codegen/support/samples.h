#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "types/element_type.h"
#include "types/narrow.h"

/// Values to try: every one of a type of up to 16 bits, else the places where something happens and random
/// ones between.
namespace subfloor::testing {

/// Element bits as literals hold them.
inline std::vector<uint64_t> SampleBits(ElementType type, int random_count = 20000) {
  std::vector<uint64_t> bits;
  const int width = IsPred(type) ? 1 : BitWidth(type);
  if (width <= 16) {
    for (uint64_t v = 0; v < (uint64_t{1} << width); ++v) bits.push_back(v);
    return bits;
  }
  std::mt19937_64 random(static_cast<uint64_t>(width));
  const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  if (IsIntegral(type)) {
    for (int i = 0; i < width; ++i)
      for (int64_t d = -3; d <= 3; ++d) {
        bits.push_back(((uint64_t{1} << i) + static_cast<uint64_t>(d)) & mask);
        bits.push_back((uint64_t{0} - (uint64_t{1} << i) + static_cast<uint64_t>(d)) & mask);
      }
    // Ties and their neighbours in each narrow format: a few leading bits, then a half, then nearly nothing.
    for (int i = 0; i < random_count; ++i) {
      const int top = static_cast<int>(random() % static_cast<uint64_t>(width)),
                kept = 1 + static_cast<int>(random() % 26);
      uint64_t v = (random() | uint64_t{1} << 63) >> (63 - top);
      if (top > kept + 1) {
        const int low = top - kept;
        v = v >> low << low | uint64_t{1} << (low - 1);
        v += random() % 3 - 1;
      }
      bits.push_back((random() & 1 ? v : uint64_t{0} - v) & mask);
      bits.push_back(random() & mask);
    }
    return bits;
  }
  const FloatFormat format = FormatOf(type);
  const uint64_t infinity = Infinity(type), sign = uint64_t{1} << (width - 1);
  for (uint64_t s : {uint64_t{0}, sign}) {
    for (uint64_t d = 0; d < 4; ++d)
      for (uint64_t at : {uint64_t{0}, uint64_t{1} << format.mantissa_bits, infinity}) {
        bits.push_back(s | (at + d));
        if (at >= d) bits.push_back(s | (at - d));
      }
    bits.push_back(s | QuietNan(type));
    for (int i = 0; i <= 64; ++i)
      for (int d = -2; d <= 2; ++d)
        bits.push_back(
            s | (FromDouble(type, std::ldexp(1.0, i)) + static_cast<uint64_t>(static_cast<int64_t>(d))));
  }
  for (int i = 0; i < random_count; ++i) {
    bits.push_back(random() & mask);
    // Near a tie of some narrow format, in its range.
    const uint64_t kept = random() % 26;
    uint64_t v = FromDouble(type, std::ldexp(1.0, static_cast<int>(random() % 310) - 160)) |
                 (random() & ((uint64_t{1} << format.mantissa_bits) - 1));
    const uint64_t low = static_cast<uint64_t>(format.mantissa_bits) > kept + 1
                             ? static_cast<uint64_t>(format.mantissa_bits) - kept
                             : 0;
    if (low > 1) v = (v >> low << low | uint64_t{1} << (low - 1)) + random() % 3 - 1;
    bits.push_back(v | (random() & 1 ? sign : 0));
    // Of the size of small integers.
    bits.push_back(
        FromDouble(type, std::ldexp(static_cast<double>(random() % 4096), -4) * (random() & 1 ? 1 : -1)));
  }
  return bits;
}

/// Bits of 1, 2, 4 or 8 bytes an element, one after the other, padded with the first to a multiple of 64
/// elements.
class Packed {
 public:
  Packed(ElementType type, std::vector<uint64_t> bits)
      : type_(type), width_(static_cast<size_t>(ByteWidth(type))) {
    while (bits.size() % 64 != 0) bits.push_back(bits.front());
    bytes_.resize(bits.size() * width_);
    for (size_t i = 0; i < bits.size(); ++i) std::memcpy(&bytes_[i * width_], &bits[i], width_);
  }
  Packed(ElementType type, size_t count)
      : type_(type), width_(static_cast<size_t>(ByteWidth(type))), bytes_(count * width_) {}

  size_t size() const { return bytes_.size() / width_; }
  ElementType type() const { return type_; }
  uint64_t operator[](size_t i) const {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes_[i * width_], width_);
    return BitWidth(type_) == 64 ? bits : bits & ((uint64_t{1} << (8 * width_)) - 1);
  }
  void* data() { return bytes_.data(); }
  const void* data() const { return bytes_.data(); }

 private:
  ElementType type_;
  size_t width_;
  std::vector<uint8_t> bytes_;
};

/// Every pair of two sample lists' values if they are few, else paired at random.
inline std::pair<std::vector<uint64_t>, std::vector<uint64_t>> Pairs(const std::vector<uint64_t>& a,
                                                                     const std::vector<uint64_t>& b,
                                                                     size_t most = 100000) {
  std::pair<std::vector<uint64_t>, std::vector<uint64_t>> pairs;
  if (a.size() * b.size() <= most) {
    for (uint64_t x : a)
      for (uint64_t y : b) pairs.first.push_back(x), pairs.second.push_back(y);
    return pairs;
  }
  std::mt19937_64 random(7);
  for (size_t i = 0; i < most; ++i) {
    pairs.first.push_back(a[random() % a.size()]);
    pairs.second.push_back(random() % 16 == 0 ? pairs.first.back() : b[random() % b.size()]);
  }
  return pairs;
}

}  // namespace subfloor::testing
