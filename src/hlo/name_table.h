#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace subfloor::hlo {

/// Hashes names of a few to some dozens of characters, a step for every sixteen of them. Differs from process
/// to process.
struct NameHash {
  using is_transparent = void;
  size_t operator()(std::string_view name) const {
    const char* p = name.data();
    const size_t size = name.size();
    uint64_t state = reinterpret_cast<uintptr_t>(&kSeed) ^ size * kSecond;
    if (size > 16) {
      for (size_t i = 0; i + 16 < size; i += 16) {
        state = Mix(Load<uint64_t>(p + i) ^ kFirst, Load<uint64_t>(p + i + 8) ^ state);
      }
      return Mix(Load<uint64_t>(p + size - 16) ^ kSecond, Load<uint64_t>(p + size - 8) ^ state);
    }
    uint64_t low = 0, high = 0;
    if (size >= 8) {
      low = Load<uint64_t>(p), high = Load<uint64_t>(p + size - 8);
    } else if (size >= 4) {
      low = Load<uint32_t>(p), high = Load<uint32_t>(p + size - 4);
    } else if (size > 0) {
      low = static_cast<uint8_t>(p[0]);
      high =
          static_cast<uint64_t>(static_cast<uint8_t>(p[size / 2])) << 8 | static_cast<uint8_t>(p[size - 1]);
    }
    return Mix(low ^ kFirst, high ^ state);
  }

 private:
  static constexpr uint64_t kFirst = 0x9e3779b97f4a7c15,
                            kSecond = 0xd6e8feb86659fd93;  // odd, bits well mixed
  static inline char kSeed = 0;                            // its address is what changes
  template <typename T>
  static T Load(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof(value));
    return value;
  }
  static uint64_t Mix(uint64_t a, uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }
};

/// The names of all objects of one kind in a module, each taken by one, and who has it.
///
/// Holds views of the owners' names: an owner's name stays as it is, where it is, from Take to Release.
template <typename Owner>
class NameTable {
 public:
  /// Sets `owner`'s `name` to `wanted`, or if that is taken to its stem with the next free number ("add.3" is
  /// taken: "add.4", "add.5" ... from where the stem's last search ended).
  void Take(Owner* owner, std::string& name, std::string_view wanted) {
    if (TryInsert(owner, name, wanted)) return;
    const std::string stem(StemOf(wanted));
    int64_t& suffix = last_suffix_[stem];
    do {
      ++suffix;
    } while (!TryInsert(owner, name, fmt::format("{}.{}", stem, suffix)));
  }
  /// Makes room for so many names, which saves moving them as they come.
  void Reserve(size_t count) { owners_.reserve(count); }
  /// The owner of a name, or nullptr.
  Owner* Find(std::string_view name) const {
    const auto it = owners_.find(name);
    return it == owners_.end() ? nullptr : it->second;
  }
  void Release(std::string_view name) {
    last_suffix_.erase(name);
    owners_.erase(name);
  }

 private:
  // A stem that was numbered counts as taken, so that what is printed as `add` was always `add`.
  bool IsStem(std::string_view name) const { return !last_suffix_.empty() && last_suffix_.contains(name); }
  bool TryInsert(Owner* owner, std::string& name, std::string_view wanted) {
    if (IsStem(wanted)) return false;
    bool fresh = false;
    owners_.lazy_emplace(wanted, [&](const auto& construct) {
      name = wanted;
      construct(std::string_view(name), owner);
      fresh = true;
    });
    return fresh;
  }
  static std::string_view StemOf(std::string_view name) {
    const size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot + 1 >= name.size() || dot + 12 <= name.size()) return name;
    const bool numbered = name.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
    return numbered ? name.substr(0, dot) : name;
  }

  absl::flat_hash_map<std::string_view, Owner*, NameHash> owners_;
  absl::flat_hash_map<std::string, int64_t, NameHash, std::equal_to<>> last_suffix_;
};

}  // namespace subfloor::hlo
