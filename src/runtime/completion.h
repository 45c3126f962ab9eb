#pragma once

#include <functional>
#include <memory>

#include "base/error.h"

namespace subfloor::runtime {

/// The end of a piece of work, perhaps still to come. A value: copies name the same end.
///
/// Work that ended well before anybody looked is the default value and costs neither an allocation nor an
/// atomic. Threads: any.
class [[nodiscard]] Completion {
 public:
  Completion() = default;  ///< done, without an error
  static Completion Failed(Error error);
  /// Done, with the error if there is one.
  static Completion Of(Status status) { return status ? Completion() : Failed(std::move(status).error()); }

  bool IsDone() const { return state_ == nullptr; }  ///< done without an error; the only test on the hot path
  bool IsReady() const;                              ///< done, with or without an error
  /// Blocks until the work has ended.
  Status Wait() const;
  /// Calls `then` with the outcome: at once if the work has ended, else on the thread that ends it.
  void Then(std::function<void(const Status&)> then) const;

 private:
  friend class Promise;
  struct State;
  std::shared_ptr<State> state_;
};

/// The other side of a Completion that is not ready yet.
class Promise {
 public:
  Promise();
  Completion completion() const { return completion_; }
  /// Once only.
  void Fulfil(Status status) const;

 private:
  Completion completion_;
};

}  // namespace subfloor::runtime
