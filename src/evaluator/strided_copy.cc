#include "evaluator/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "types/narrow.h"

namespace subfloor::evaluator {
namespace {

template <size_t kBytes>
void CopyRow(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride, int64_t count) {
  constexpr auto kStep = static_cast<int64_t>(kBytes);
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to, from, kBytes);
    to += to_stride * kStep;
    from += from_stride * kStep;
  }
}

void CopyRow(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride, int64_t count,
             int64_t element_bytes) {
  if (to_stride == 1 && from_stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(count * element_bytes));
    return;
  }
  switch (element_bytes) {
    case 1:
      return CopyRow<1>(to, to_stride, from, from_stride, count);
    case 2:
      return CopyRow<2>(to, to_stride, from, from_stride, count);
    case 4:
      return CopyRow<4>(to, to_stride, from, from_stride, count);
    case 8:
      return CopyRow<8>(to, to_stride, from, from_stride, count);
    default:
      return CopyRow<16>(to, to_stride, from, from_stride, count);
  }
}

struct Loop {
  int64_t size, to_stride, from_stride;
};

}  // namespace

void CopyBlock(std::byte* to, const StridedView& to_view, const std::byte* from, const StridedView& from_view,
               std::span<const int64_t> sizes, int64_t element_bytes) {
  std::vector<Loop> loops;  // outermost first; neighbours that walk on without a gap are one
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] <= 0) return;
    if (sizes[i] == 1) continue;
    const Loop loop{sizes[i], to_view.strides[i], from_view.strides[i]};
    if (!loops.empty() && loops.back().to_stride == loop.to_stride * loop.size &&
        loops.back().from_stride == loop.from_stride * loop.size) {
      loops.back() = {loops.back().size * loop.size, loop.to_stride, loop.from_stride};
    } else {
      loops.push_back(loop);
    }
  }
  to += to_view.offset * element_bytes;
  from += from_view.offset * element_bytes;
  if (loops.empty()) {
    std::memcpy(to, from, static_cast<size_t>(element_bytes));
    return;
  }
  const Loop row = loops.back();
  loops.pop_back();
  std::vector<int64_t> index(loops.size(), 0);
  while (true) {
    CopyRow(to, row.to_stride, from, row.from_stride, row.size, element_bytes);
    size_t d = loops.size();
    while (d > 0) {
      --d;
      to += loops[d].to_stride * element_bytes;
      from += loops[d].from_stride * element_bytes;
      if (++index[d] < loops[d].size) break;
      to -= loops[d].size * loops[d].to_stride * element_bytes;
      from -= loops[d].size * loops[d].from_stride * element_bytes;
      index[d] = 0;
      if (d == 0) return;
    }
    if (loops.empty()) return;
  }
}

Result<std::vector<int64_t>> ClampedStarts(Operands indices, std::span<const int64_t> dimensions,
                                           std::span<const int64_t> window) {
  const bool as_vector = indices.size() == 1 && indices[0]->shape().rank() == 1;
  const size_t given = as_vector ? static_cast<size_t>(indices[0]->shape().element_count()) : indices.size();
  if (given != dimensions.size() || window.size() != dimensions.size()) {
    return BadInput("{} start indices for {} dimensions", given, dimensions.size());
  }
  std::vector<int64_t> starts;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const Literal& literal = *indices[as_vector ? 0 : i];
    const int64_t value = GetAsInt(literal, as_vector ? static_cast<int64_t>(i) : 0);
    const int64_t last = dimensions[i] - window[i];
    if (last < 0) return BadInput("a window of {} in a dimension of {}", window[i], dimensions[i]);
    // A u64 above the int64 range comes as a negative number but lies beyond every end.
    const bool huge = literal.element_type() == ElementType::kU64 && value < 0;
    starts.push_back(huge ? last : std::clamp<int64_t>(value, 0, last));
  }
  return starts;
}

}  // namespace subfloor::evaluator
