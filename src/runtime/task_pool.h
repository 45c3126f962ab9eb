#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace subfloor::runtime {

/// Threads that help a caller through a loop. Threads: any number of callers at once, from loop bodies too: a
/// caller works on its own loop and so never depends on somebody else to be free. Allocates nothing after
/// construction.
class TaskPool {
 public:
  using Body = void (*)(void* context, int64_t index);

  /// `threads` counts the caller of a loop, so that 1 (or less) means no helpers. Where the
  /// system refuses to start as many, there are fewer. Helpers run in the default
  /// floating-point environment.
  explicit TaskPool(int threads);
  ~TaskPool();  ///< no loop may be running
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  int threads() const { return static_cast<int>(helpers_.size()) + 1; }

  /// Calls body(context, i) for every i in [0, count), on at most `max_threads` threads (0: all there are),
  /// and returns when all have returned. Which thread runs which index is not determined.
  void ParallelFor(int64_t count, int max_threads, Body body, void* context);

  template <typename F>
  void ParallelFor(int64_t count, int max_threads, F&& f) {
    using Function = std::remove_reference_t<F>;
    ParallelFor(
        count, max_threads, [](void* context, int64_t index) { (*static_cast<Function*>(context))(index); },
        const_cast<void*>(static_cast<const void*>(&f)));
  }

 private:
  struct Loop;
  void Help();
  static void Work(Loop& loop);

  std::mutex mutex_;
  std::condition_variable wake_;      // helpers sleep here
  std::condition_variable finished_;  // callers whose helpers are not done yet
  Loop* loops_ = nullptr;             // loops that helpers may join; guarded by mutex_
  bool stopping_ = false;
  std::atomic<uint32_t> posted_{0};  // grows with every loop: helpers watch it for a while before they sleep
  std::vector<std::thread> helpers_;
};

}  // namespace subfloor::runtime
