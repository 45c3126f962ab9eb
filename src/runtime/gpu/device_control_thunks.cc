#include "runtime/gpu/device_control_thunks.h"

#include <cstring>

namespace subfloor::runtime {
namespace {

// The bytes of a slice, once everything before is done.
template <typename T>
Result<T> Fetch(const DeviceRun& run, const BufferSlice& slice) {
  T value{};
  SF_CHECK(run.stream.CopyToHost(std::as_writable_bytes(std::span(&value, 1)), run.Memory(slice)));
  SF_CHECK(run.stream.Synchronize());
  return value;
}

}  // namespace

Status DeviceWhileThunk::Enqueue(const DeviceRun& run) const {
  if (trip_count_) {
    for (int64_t i = 0; i < *trip_count_; ++i) SF_CHECK(body_.Enqueue(run));
    return {};
  }
  while (true) {
    SF_CHECK(condition_.Enqueue(run));
    const uint8_t go_on = SF_TRY(Fetch<uint8_t>(run, predicate_));
    if (go_on == 0) return {};
    SF_CHECK(body_.Enqueue(run));
  }
}

std::vector<DeviceSequence*> DeviceConditionalThunk::nested() {
  std::vector<DeviceSequence*> sequences;
  for (DeviceSequence& branch : branches_) sequences.push_back(&branch);
  return sequences;
}

Status DeviceConditionalThunk::Enqueue(const DeviceRun& run) const {
  size_t chosen = branches_.size() - 1;
  if (selector_.size == 1) {
    const uint8_t first = SF_TRY(Fetch<uint8_t>(run, selector_));
    chosen = first != 0 ? 0 : 1;
  } else {
    const int32_t index = SF_TRY(Fetch<int32_t>(run, selector_));
    if (index >= 0 && static_cast<size_t>(index) < branches_.size()) chosen = static_cast<size_t>(index);
  }
  return branches_[chosen].Enqueue(run);
}

}  // namespace subfloor::runtime
