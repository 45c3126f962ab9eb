#include "evaluator/index_space.h"

#include <algorithm>
#include <limits>

#include "types/narrow.h"

namespace subfloor::evaluator {

bool NextIndex(std::span<int64_t> index, std::span<const int64_t> sizes) {
  for (size_t d = index.size(); d-- > 0;) {
    if (++index[d] < sizes[d]) return true;
    index[d] = 0;
  }
  return false;
}

std::vector<int64_t> BoxOffsets(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  std::vector<int64_t> offsets = {0};
  for (size_t d = 0; d < sizes.size(); ++d) {
    std::vector<int64_t> finer;
    finer.reserve(offsets.size() * static_cast<size_t>(sizes[d]));
    for (int64_t offset : offsets) {
      for (int64_t i = 0; i < sizes[d]; ++i) finer.push_back(offset + i * strides[d]);
    }
    offsets = std::move(finer);
  }
  return offsets;
}

std::vector<int64_t> OffsetsOver(const Shape& shape, std::span<const int64_t> dimensions) {
  const std::vector<int64_t> all = RowMajorStrides(shape.dimensions());
  std::vector<int64_t> sizes, strides;
  for (int64_t d : dimensions) {
    sizes.push_back(shape.dimension(d));
    strides.push_back(all[static_cast<size_t>(d)]);
  }
  return BoxOffsets(sizes, strides);
}

std::vector<int64_t> OtherDimensions(int64_t rank, std::span<const int64_t> listed,
                                     std::span<const int64_t> also) {
  std::vector<int64_t> others;
  for (int64_t d = 0; d < rank; ++d) {
    if (!Contains(listed, d) && !Contains(also, d)) others.push_back(d);
  }
  return others;
}

bool Contains(std::span<const int64_t> list, int64_t value) {
  return std::ranges::find(list, value) != list.end();
}

Slicing::Slicing(const Shape& shape, int64_t dimension)
    : length(shape.dimension(dimension)), inner(ByteWidth(shape.element_type())) {
  for (int64_t d = 0; d < dimension; ++d) outer *= shape.dimension(d);
  for (int64_t d = dimension + 1; d < shape.rank(); ++d) inner *= shape.dimension(d);
}

int64_t IndexValue(const Literal& literal, int64_t i) {
  const int64_t value = GetAsInt(literal, i);
  if (literal.element_type() == ElementType::kU64 && value < 0) return std::numeric_limits<int64_t>::max();
  return value;
}

}  // namespace subfloor::evaluator
