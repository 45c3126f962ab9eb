#include "device/sim/race_shadow.h"

namespace subfloor::device::sim {

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
