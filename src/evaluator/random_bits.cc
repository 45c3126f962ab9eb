#include "evaluator/random_bits.h"

#include <bit>

namespace subfloor::evaluator {
namespace {

uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

}  // namespace

std::array<uint32_t, 4> PhiloxBlock(std::array<uint64_t, 2> counter, uint64_t key) {
  std::array<uint32_t, 4> c = {Low(counter[0]), High(counter[0]), Low(counter[1]), High(counter[1])};
  uint32_t k0 = Low(key), k1 = High(key);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{c[0]} * 0xD2511F53, p1 = uint64_t{c[2]} * 0xCD9E8D57;
    c = {High(p1) ^ c[1] ^ k0, Low(p1), High(p0) ^ c[3] ^ k1, Low(p0)};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return c;
}

std::array<uint32_t, 2> ThreefryBlock(std::array<uint32_t, 2> counter, uint64_t key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const std::array<uint32_t, 3> ks = {Low(key), High(key), Low(key) ^ High(key) ^ 0x1BD11BDA};
  uint32_t x0 = counter[0] + ks[0], x1 = counter[1] + ks[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int rotation : kRotations[group % 2]) {
      x0 += x1;
      x1 = std::rotl(x1, rotation) ^ x0;
    }
    x0 += ks[(group + 1) % 3];
    x1 += ks[(group + 2) % 3] + group + 1;
  }
  return {x0, x1};
}

std::array<uint64_t, 2> Advance(std::array<uint64_t, 2> counter, uint64_t delta) {
  const uint64_t low = counter[0] + delta;
  return {low, counter[1] + (low < delta ? 1 : 0)};
}

}  // namespace subfloor::evaluator
