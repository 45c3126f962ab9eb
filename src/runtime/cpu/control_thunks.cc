#include "runtime/cpu/control_thunks.h"

#include <cstring>

namespace subfloor::runtime {

Status WhileThunk::Bind(const BindContext& context) {
  if (trip_count_ && *trip_count_ < 0) return InternalError("a loop with trip count {}", *trip_count_);
  if (!trip_count_ && predicate_.size != 1)
    return InternalError("a loop's predicate of {} bytes", predicate_.size);
  return {};
}

BufferUses WhileThunk::buffer_uses() const {
  if (trip_count_) return {};
  return {{predicate_, BufferUse::Kind::kWrite}};
}

Completion WhileThunk::Execute(const RunContext& context) const {
  if (trip_count_) {
    for (int64_t i = 0; i < *trip_count_; ++i)
      if (Completion body = body_.Execute(context); !body.IsDone()) return body;
    return {};
  }
  while (true) {
    if (Completion condition = condition_.Execute(context); !condition.IsDone()) return condition;
    if (*context.Address(predicate_) == std::byte{0}) return {};
    if (Completion body = body_.Execute(context); !body.IsDone()) return body;
  }
}

Status ConditionalThunk::Bind(const BindContext& context) {
  const bool pred = selector_.size == 1 && branches_.size() == 2;
  const bool index = selector_.size == 4 && !branches_.empty();
  if (!pred && !index)
    return InternalError("a conditional with a selector of {} bytes and {} branches", selector_.size,
                         branches_.size());
  return {};
}

std::vector<ThunkSequence*> ConditionalThunk::nested() {
  std::vector<ThunkSequence*> all;
  for (ThunkSequence& branch : branches_) all.push_back(&branch);
  return all;
}

Completion ConditionalThunk::Execute(const RunContext& context) const {
  const std::byte* selector = context.Address(selector_);
  if (selector_.size == 1) return branches_[*selector != std::byte{0} ? 0 : 1].Execute(context);
  int32_t index;
  std::memcpy(&index, selector, sizeof(index));
  const bool inside = index >= 0 && static_cast<size_t>(index) < branches_.size();
  return branches_[inside ? static_cast<size_t>(index) : branches_.size() - 1].Execute(context);
}

}  // namespace subfloor::runtime
