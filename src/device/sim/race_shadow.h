#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace subfloor::device::sim {

/// Who accessed a byte last, packed: the block, the thread in it, how many barriers the block had passed
/// (from the low 16 bits of that), and marks. 0: nobody.
class AccessStamp {
 public:
  static constexpr uint64_t kBlockLimit = uint64_t{1} << 32;
  static constexpr uint64_t kThreadLimit = uint64_t{1} << 10;

  AccessStamp() = default;
  AccessStamp(uint64_t block, uint64_t thread, uint64_t barriers)
      : bits_(block << 31 | thread << 21 | (barriers & 0xffff) << 5 | kUsed) {}

  uint64_t block() const { return bits_ >> 31; }
  uint64_t thread() const { return bits_ >> 21 & 0x3ff; }
  bool used() const { return bits_ != 0; }

  /// Whether some access that this stamp stands for is by another thread than `me`, and nothing orders the
  /// two: no barrier between them, or another block.
  bool Unordered(AccessStamp me) const {
    if (bits_ == 0) return false;
    if ((bits_ & kManyBlocks) != 0 || block() != me.block()) return true;
    return SameEpoch(me) && (thread() != me.thread() || (bits_ & kManyThreads) != 0);
  }
  /// Likewise, of those that are not atomic.
  bool UnorderedPlain(AccessStamp me) const {
    if ((bits_ & (kPlain | kPlainBefore)) == 0) return false;
    if ((bits_ & kManyBlocks) != 0 || block() != me.block()) return true;
    return (bits_ & kPlain) != 0 && SameEpoch(me) && (thread() != me.thread() || (bits_ & kManyThreads) != 0);
  }

  /// Adds an access by `me`, which may stand beside the others: a read to reads, an atomic one to writes.
  void Join(AccessStamp me) {
    if (bits_ == 0 || bits_ == me.bits_) {
      bits_ = me.bits_;
    } else if (block() != me.block()) {
      bits_ |= kManyBlocks;
    } else if (!SameEpoch(me)) {
      bits_ = me.bits_ | (bits_ & kManyBlocks) | ((bits_ & (kPlain | kPlainBefore)) != 0 ? kPlainBefore : 0);
    } else if (thread() != me.thread()) {
      bits_ |= kManyThreads;
    }
  }
  /// A plain write by `me` takes the place of what was there.
  void Replace(AccessStamp me) {
    const bool others = bits_ != 0 && (block() != me.block() || (bits_ & kManyBlocks) != 0);
    bits_ = me.bits_ | kPlain | (others ? kManyBlocks : 0);
  }

 private:
  static constexpr uint64_t kUsed = 1, kManyThreads = 2, kManyBlocks = 4, kPlain = 8, kPlainBefore = 16;
  bool SameEpoch(AccessStamp me) const { return ((bits_ ^ me.bits_) >> 5 & 0xffff) == 0; }

  uint64_t bits_ = 0;
};

/// Who read and wrote each byte of a region during one run (a launch; of shared memory, a block), kept for
/// four bytes together until an access needs it finer. Costs four times the memory that is accessed, sixteen
/// times where narrow types are.
class RaceShadow {
 public:
  enum class Kind : uint8_t { kLoad, kStore, kAtomic };

  explicit RaceShadow(uint64_t size_bytes) : chunks_((size_bytes + kChunk - 1) / kChunk) {}

  /// Notes an access and gives the stamp of one that races with it, or an unused one. `run`: another number,
  /// not 0, for each run; what other runs did is forgotten.
  AccessStamp Access(uint64_t offset, uint64_t bytes, Kind kind, AccessStamp me, uint64_t run) {
    Chunk& chunk = chunks_[offset / kChunk];
    if (bytes == 4 && offset % 4 == 0 && chunk.run == run && chunk.shift == 2) [[likely]]
      return Note(chunk.cells[offset % kChunk / 4], kind, me);
    return AccessAny(offset, bytes, kind, me, run);
  }

 private:
  static constexpr uint64_t kChunk = 4096;
  struct Cell {
    AccessStamp write, read;
  };
  struct Chunk {
    uint64_t run = 0;
    uint32_t shift = 2;
    std::unique_ptr<Cell[]> cells;
  };

  [[gnu::always_inline]] static AccessStamp Note(Cell& cell, Kind kind, AccessStamp me) {
    AccessStamp other;
    switch (kind) {
      case Kind::kLoad:
        if (cell.write.Unordered(me)) other = cell.write;
        cell.read.Join(me);
        break;
      case Kind::kStore:
        if (cell.read.Unordered(me)) other = cell.read;
        if (cell.write.Unordered(me)) other = cell.write;
        cell.write.Replace(me);
        break;
      case Kind::kAtomic:
        if (cell.read.Unordered(me)) other = cell.read;
        if (cell.write.UnorderedPlain(me)) other = cell.write;
        cell.write.Join(me);
        break;
    }
    return other;
  }

  AccessStamp AccessAny(uint64_t offset, uint64_t bytes, Kind kind, AccessStamp me, uint64_t run);
  static void Forget(Chunk& chunk, uint64_t run);
  static void Refine(Chunk& chunk);

  std::vector<Chunk> chunks_;
};

}  // namespace subfloor::device::sim
