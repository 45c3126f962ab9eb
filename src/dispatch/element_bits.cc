#include "dispatch/element_bits.h"

#include <algorithm>
#include <limits>

namespace subfloor::dispatch {

int64_t NarrowestBits(std::span<const hlo::Instruction* const> values) {
  int64_t bits = std::numeric_limits<int64_t>::max();
  for (const hlo::Instruction* value : values) {
    for (const Shape* leaf : Leaves(value->shape())) {
      if (leaf->IsArray()) bits = std::min<int64_t>(bits, BitWidth(leaf->element_type()));
    }
  }
  return bits;
}

int64_t WidestStoredBits(std::span<const hlo::Instruction* const> values) {
  int64_t bits = 8;
  for (const hlo::Instruction* value : values) {
    for (const Shape* leaf : Leaves(value->shape())) {
      if (leaf->IsArray()) bits = std::max<int64_t>(bits, 8 * ByteWidth(leaf->element_type()));
    }
  }
  return bits;
}

}  // namespace subfloor::dispatch
