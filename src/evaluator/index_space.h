#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "types/literal.h"
#include "types/shape.h"

/// Walking the indices of arrays in row-major order.
namespace subfloor::evaluator {

/// Moves `index` to the next one within `sizes`; false after the last, when it is all zeros again. Sizes must
/// not be 0.
bool NextIndex(std::span<int64_t> index, std::span<const int64_t> sizes);

/// The sum of index[d] * strides[d] for every index within `sizes`, in row-major order.
std::vector<int64_t> BoxOffsets(std::span<const int64_t> sizes, std::span<const int64_t> strides);

/// Offsets of an array's elements as the listed dimensions run through their sizes and the others stay at 0.
std::vector<int64_t> OffsetsOver(const Shape& shape, std::span<const int64_t> dimensions);

/// The dimensions of an array of this rank that are in none of the lists, ascending.
std::vector<int64_t> OtherDimensions(int64_t rank, std::span<const int64_t> listed,
                                     std::span<const int64_t> also = {});

bool Contains(std::span<const int64_t> list, int64_t value);

/// An array seen as [outer][length][inner bytes], cut along one dimension: the slice at i is `outer` pieces
/// of `inner` bytes.
struct Slicing {
  int64_t outer = 1, length, inner;
  Slicing(const Shape& shape, int64_t dimension);
  int64_t slice_bytes() const { return outer * inner; }
};

/// Element i of an integer array as an index: u64 values beyond int64 count as the largest int64.
int64_t IndexValue(const Literal& literal, int64_t i);

}  // namespace subfloor::evaluator
