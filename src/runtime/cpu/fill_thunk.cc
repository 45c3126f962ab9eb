#include "runtime/cpu/fill_thunk.h"

#include <algorithm>
#include <cstring>

namespace subfloor::runtime {

FillThunk::FillThunk(ThunkInfo info, std::span<const std::byte> element, BufferSlice destination)
    : Thunk(ThunkKind::kFill, std::move(info)), element_bytes_(element.size()), destination_(destination) {
  for (size_t i = 0; i < pattern_.size() && !element.empty(); ++i) pattern_[i] = element[i % element.size()];
}

Status FillThunk::Bind(const BindContext& context) {
  const bool divides = element_bytes_ > 0 && pattern_.size() % element_bytes_ == 0;
  if (!divides || destination_.size % static_cast<int64_t>(element_bytes_) != 0)
    return InternalError("a fill of {} bytes with an element of {}", destination_.size, element_bytes_);
  return {};
}

Completion FillThunk::Execute(const RunContext& context) const {
  std::byte* destination = context.Address(destination_);
  constexpr int64_t kBlock = 1 << 20;  // a multiple of the pattern
  context.ParallelFor((destination_.size + kBlock - 1) / kBlock, [&](int64_t block) {
    std::byte* at = destination + block * kBlock;
    size_t left = static_cast<size_t>(std::min(kBlock, destination_.size - block * kBlock));
    for (; left >= pattern_.size(); left -= pattern_.size(), at += pattern_.size())
      std::memcpy(at, pattern_.data(), pattern_.size());
    std::memcpy(at, pattern_.data(), left);
  });
  return {};
}

}  // namespace subfloor::runtime
