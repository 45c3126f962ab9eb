#include "runtime/completion.h"

#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

namespace subfloor::runtime {

struct Completion::State {
  mutable std::mutex mutex;
  std::condition_variable ended;
  bool ready = false;
  Status status;
  std::vector<std::function<void(const Status&)>> waiters;
};

Completion Completion::Failed(Error error) {
  Completion completion;
  completion.state_ = std::make_shared<State>();
  completion.state_->ready = true;
  completion.state_->status = std::unexpected(std::move(error));
  return completion;
}

bool Completion::IsReady() const {
  if (!state_) return true;
  std::lock_guard lock(state_->mutex);
  return state_->ready;
}

Status Completion::Wait() const {
  if (!state_) return {};
  std::unique_lock lock(state_->mutex);
  state_->ended.wait(lock, [&] { return state_->ready; });
  return state_->status;
}

void Completion::Then(std::function<void(const Status&)> then) const {
  if (!state_) return then(Status());
  {
    std::lock_guard lock(state_->mutex);
    if (!state_->ready) {
      state_->waiters.push_back(std::move(then));
      return;
    }
  }
  then(state_->status);  // no longer written once it is ready
}

Promise::Promise() { completion_.state_ = std::make_shared<Completion::State>(); }

void Promise::Fulfil(Status status) const {
  Completion::State& state = *completion_.state_;
  std::vector<std::function<void(const Status&)>> waiters;
  {
    std::lock_guard lock(state.mutex);
    state.status = std::move(status);
    state.ready = true;
    waiters.swap(state.waiters);
  }
  state.ended.notify_all();
  for (auto& waiter : waiters) waiter(state.status);
}

}  // namespace subfloor::runtime
