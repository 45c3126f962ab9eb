#pragma once

#include <cstdint>
#include <vector>

namespace subfloor::runtime {

/// A piece of one of an executable's allocations.
struct BufferSlice {
  int32_t allocation = -1;  ///< index into the executable's allocation table
  int64_t offset = 0;       ///< bytes
  int64_t size = 0;         ///< bytes

  bool operator==(const BufferSlice&) const = default;
  bool Overlaps(const BufferSlice& other) const {
    return allocation == other.allocation && size > 0 && other.size > 0 &&
           offset < other.offset + other.size && other.offset < offset + size;
  }
};

/// How a thunk touches a slice. What the content is worth before and after tells the three apart.
struct BufferUse {
  enum class Kind : uint8_t {
    kRead,     ///< valid before and after
    kWrite,    ///< valid after (also when it was read first: an update in place is a kWrite and a kRead)
    kScratch,  ///< valid neither before nor after
  };
  BufferSlice slice;
  Kind kind = Kind::kRead;

  bool Writes() const { return kind != Kind::kRead; }
  /// True if the order of the two uses matters.
  bool ConflictsWith(const BufferUse& other) const {
    return (Writes() || other.Writes()) && slice.Overlaps(other.slice);
  }
};
using BufferUses = std::vector<BufferUse>;

/// A use of something that is no buffer but has an order: two uses of one resource conflict if at least one
/// writes.
struct ResourceUse {
  enum class Kind : uint8_t { kToken, kCollective, kRngState, kHost };
  Kind kind = Kind::kToken;
  int64_t id = 0;  ///< tells resources of one kind apart: the token's number, the communicator, the state
  bool writes = true;

  bool ConflictsWith(const ResourceUse& other) const {
    return kind == other.kind && id == other.id && (writes || other.writes);
  }
};
using ResourceUses = std::vector<ResourceUse>;

}  // namespace subfloor::runtime
