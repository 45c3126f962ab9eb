#include "runtime/cpu/copy_thunk.h"

#include <algorithm>
#include <cstring>

namespace subfloor::runtime {

Status CopyThunk::Bind(const BindContext& context) {
  if (source_.size != destination_.size)
    return InternalError("a copy of {} bytes into {}", source_.size, destination_.size);
  if (source_.Overlaps(destination_) && source_ != destination_)
    return InternalError("a copy between overlapping slices");
  return {};
}

Completion CopyThunk::Execute(const RunContext& context) const {
  const std::byte* source = context.Address(source_);
  std::byte* destination = context.Address(destination_);
  if (source == destination || source_.size == 0) return {};
  constexpr int64_t kBlock = 1 << 20;  // below, one core moves it faster than a second one wakes up
  context.ParallelFor((source_.size + kBlock - 1) / kBlock, [&](int64_t block) {
    const int64_t begin = block * kBlock;
    std::memcpy(destination + begin, source + begin,
                static_cast<size_t>(std::min(kBlock, source_.size - begin)));
  });
  return {};
}

}  // namespace subfloor::runtime
