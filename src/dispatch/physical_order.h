#pragma once

#include <vector>

#include "types/shape.h"

namespace subfloor::dispatch {

/// The array's dimensions as they lie in memory, the slowest varying first; those of size 1 left out. Without
/// a layout the array is row-major.
std::vector<int64_t> PhysicalOrder(const Shape& shape);

/// True if the array is row-major, wherever dimensions of size 1 stand.
bool IsRowMajor(const Shape& shape);

/// Same bytes in the same order: going from the one to the other by reshape moves nothing. Element types are
/// not looked at.
bool SameBytesInOrder(const Shape& a, const Shape& b);

/// A bitcast, or a reshape or transpose that does a bitcast's work.
bool MovesNothing(const Shape& from, const Shape& to, std::span<const int64_t> permutation);

}  // namespace subfloor::dispatch
