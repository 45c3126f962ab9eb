#pragma once

#include <optional>
#include <vector>

#include "runtime/thunk.h"

namespace subfloor::runtime {

/// Runs `condition` and, while it leaves a non-zero byte in `predicate`, `body`. With a known trip count the
/// body runs that often and the condition never does.
class WhileThunk final : public Thunk {
 public:
  WhileThunk(ThunkInfo info, ThunkSequence condition, ThunkSequence body, BufferSlice predicate,
             std::optional<int64_t> trip_count = std::nullopt)
      : Thunk(ThunkKind::kWhile, std::move(info)),
        condition_(std::move(condition)),
        body_(std::move(body)),
        predicate_(predicate),
        trip_count_(trip_count) {}

  Status Bind(const BindContext& context) override;
  BufferUses buffer_uses() const override;
  std::vector<ThunkSequence*> nested() override { return {&condition_, &body_}; }
  Completion Execute(const RunContext& context) const override;

 private:
  ThunkSequence condition_, body_;
  BufferSlice predicate_;
  std::optional<int64_t> trip_count_;
};

/// Runs one of its branches. A one-byte selector is a pred: non-zero picks branch 0, zero branch 1. A
/// four-byte one is an s32 index; outside of the range it picks the last branch.
class ConditionalThunk final : public Thunk {
 public:
  ConditionalThunk(ThunkInfo info, BufferSlice selector, std::vector<ThunkSequence> branches)
      : Thunk(ThunkKind::kConditional, std::move(info)),
        selector_(selector),
        branches_(std::move(branches)) {}

  Status Bind(const BindContext& context) override;
  BufferUses buffer_uses() const override { return {{selector_, BufferUse::Kind::kRead}}; }
  std::vector<ThunkSequence*> nested() override;
  Completion Execute(const RunContext& context) const override;

 private:
  BufferSlice selector_;
  std::vector<ThunkSequence> branches_;
};

/// Runs a sequence as one step.
class CallThunk final : public Thunk {
 public:
  CallThunk(ThunkInfo info, ThunkSequence called)
      : Thunk(ThunkKind::kCall, std::move(info)), called_(std::move(called)) {}

  BufferUses buffer_uses() const override { return {}; }
  std::vector<ThunkSequence*> nested() override { return {&called_}; }
  Completion Execute(const RunContext& context) const override { return called_.Execute(context); }

 private:
  ThunkSequence called_;
};

}  // namespace subfloor::runtime
