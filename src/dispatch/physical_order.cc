#include "dispatch/physical_order.h"

#include <algorithm>

namespace subfloor::dispatch {

std::vector<int64_t> PhysicalOrder(const Shape& shape) {
  std::vector<int64_t> order;
  const Layout* layout = shape.layout();
  const bool has_order = layout && static_cast<int64_t>(layout->minor_to_major.size()) == shape.rank();
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const int64_t dimension =
        has_order ? layout->minor_to_major[static_cast<size_t>(shape.rank() - 1 - i)] : i;
    if (shape.dimension(dimension) != 1) order.push_back(dimension);
  }
  return order;
}

bool IsRowMajor(const Shape& shape) { return std::ranges::is_sorted(PhysicalOrder(shape)); }

bool SameBytesInOrder(const Shape& a, const Shape& b) {
  if (!a.IsArray() || !b.IsArray() || a.element_count() != b.element_count()) return false;
  if (IsRowMajor(a) && IsRowMajor(b)) return true;
  const auto sizes = [](const Shape& shape) {
    std::vector<int64_t> sizes;
    for (int64_t dimension : PhysicalOrder(shape)) sizes.push_back(shape.dimension(dimension));
    return sizes;
  };
  return sizes(a) == sizes(b);
}

bool MovesNothing(const Shape& from, const Shape& to, std::span<const int64_t> permutation) {
  std::vector<int64_t> order = PhysicalOrder(to);
  for (int64_t& dimension : order) dimension = permutation[static_cast<size_t>(dimension)];
  return order == PhysicalOrder(from);
}

}  // namespace subfloor::dispatch
