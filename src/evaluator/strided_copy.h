#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluator/op_functions.h"
#include "types/shape.h"

namespace subfloor::evaluator {

/// Where the elements of a block lie in an array: the first one, and a stride for each dimension of the
/// block, both in elements; a stride may be zero or negative.
struct StridedView {
  int64_t offset = 0;
  std::vector<int64_t> strides;
};

/// Copies a block of the given sizes from one array to another. Everything that moves elements is such a
/// copy.
void CopyBlock(std::byte* to, const StridedView& to_view, const std::byte* from, const StridedView& from_view,
               std::span<const int64_t> sizes, int64_t element_bytes);

/// Start indices of dynamic-slice and dynamic-update-slice, one operand a dimension or one vector for all,
/// each clamped so that a window of `window` fits into `dimensions`. Indices count by their own signedness.
Result<std::vector<int64_t>> ClampedStarts(Operands indices, std::span<const int64_t> dimensions,
                                           std::span<const int64_t> window);

}  // namespace subfloor::evaluator
