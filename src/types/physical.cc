#include "types/physical.h"

#include <cstring>
#include <vector>

namespace subfloor {
namespace {

bool IsRowMajor(const Shape& shape) { return !shape.layout() || shape.layout()->IsRowMajor(); }

// Walks the array in row-major order, calling visit(row-major element, physical element).
template <typename Visit>
void Walk(const Shape& shape, Visit&& visit) {
  const auto rank = static_cast<size_t>(shape.rank());
  std::vector<int64_t> stride(rank);
  int64_t next = 1;
  for (int64_t dimension : shape.layout()->minor_to_major) {
    stride[static_cast<size_t>(dimension)] = next;
    next *= shape.dimension(dimension);
  }
  std::vector<int64_t> index(rank, 0);
  int64_t physical = 0;
  const int64_t count = shape.element_count();
  for (int64_t linear = 0; linear < count; ++linear) {
    visit(linear, physical);
    for (size_t d = rank; d-- > 0;) {
      physical += stride[d];
      if (++index[d] < shape.dimension(static_cast<int64_t>(d))) break;
      physical -= index[d] * stride[d];
      index[d] = 0;
    }
  }
}

}  // namespace

void RowMajorToPhysical(const Shape& shape, std::span<const std::byte> row_major,
                        std::span<std::byte> physical) {
  if (row_major.empty()) return;
  if (IsRowMajor(shape)) {
    std::memcpy(physical.data(), row_major.data(), row_major.size());
    return;
  }
  const auto width = static_cast<size_t>(ByteWidth(shape.element_type()));
  Walk(shape, [&](int64_t linear, int64_t place) {
    std::memcpy(physical.data() + static_cast<size_t>(place) * width,
                row_major.data() + static_cast<size_t>(linear) * width, width);
  });
}

void PhysicalToRowMajor(const Shape& shape, std::span<const std::byte> physical,
                        std::span<std::byte> row_major) {
  if (physical.empty()) return;
  if (IsRowMajor(shape)) {
    std::memcpy(row_major.data(), physical.data(), physical.size());
    return;
  }
  const auto width = static_cast<size_t>(ByteWidth(shape.element_type()));
  Walk(shape, [&](int64_t linear, int64_t place) {
    std::memcpy(row_major.data() + static_cast<size_t>(linear) * width,
                physical.data() + static_cast<size_t>(place) * width, width);
  });
}

}  // namespace subfloor
