#include "device/sim/race_shadow.h"

#include <algorithm>

namespace subfloor::device::sim {

AccessStamp RaceShadow::AccessAny(uint64_t offset, uint64_t bytes, Kind kind, AccessStamp me, uint64_t run) {
  AccessStamp other;
  for (const uint64_t end = offset + bytes; offset < end;) {
    const uint64_t piece_end = std::min(end, (offset / kChunk + 1) * kChunk);
    Chunk& chunk = chunks_[offset / kChunk];
    if (chunk.run != run) Forget(chunk, run);
    if (chunk.shift != 0 && ((offset | piece_end) & 3) != 0) Refine(chunk);
    const uint64_t first = offset % kChunk >> chunk.shift;
    const uint64_t last = (piece_end - 1) % kChunk >> chunk.shift;
    for (uint64_t i = first; i <= last; ++i) {
      const AccessStamp found = Note(chunk.cells[i], kind, me);
      if (found.used()) other = found;
    }
    offset = piece_end;
  }
  return other;
}

void RaceShadow::Forget(Chunk& chunk, uint64_t run) {
  chunk.run = run;
  const uint64_t count = kChunk >> chunk.shift;
  if (chunk.cells == nullptr) {
    chunk.cells = std::make_unique<Cell[]>(count);
  } else {
    std::fill_n(chunk.cells.get(), count, Cell{});
  }
}

void RaceShadow::Refine(Chunk& chunk) {
  auto fine = std::make_unique<Cell[]>(kChunk);
  for (uint64_t i = 0; i < kChunk; ++i) fine[i] = chunk.cells[i >> chunk.shift];
  chunk.cells = std::move(fine);
  chunk.shift = 0;
}

}  // namespace subfloor::device::sim
