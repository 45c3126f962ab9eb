#include "runtime/task_pool.h"

#include <algorithm>
#include <system_error>

#include "runtime/float_environment.h"

namespace subfloor::runtime {
namespace {

void Pause() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

// About 20 microseconds: longer than the gap between two kernels, short against a time slice.
constexpr int kSpins = 500;

}  // namespace

// Lives on the caller's stack. Helpers join and leave under the pool's mutex, so that none touches it after
// the caller, having taken it off the list, has seen the last one leave.
struct TaskPool::Loop {
  Body body;
  void* context;
  int64_t count;
  std::atomic<int64_t> next{0};
  std::atomic<int> helpers{0};  // written under the mutex; the caller may watch it without
  int helpers_left;             // how many more may join
  Loop* below = nullptr;        // older loop
};

TaskPool::TaskPool(int threads) {
  try {
    for (int i = 1; i < threads; ++i) helpers_.emplace_back([this] { Help(); });
  } catch (const std::system_error&) {
    // The machine gives no more threads: those that are there do it all, in the end the caller alone.
  }
}

TaskPool::~TaskPool() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  posted_.fetch_add(1);
  wake_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void TaskPool::Work(Loop& loop) {
  for (int64_t i; (i = loop.next.fetch_add(1, std::memory_order_relaxed)) < loop.count;)
    loop.body(loop.context, i);
}

void TaskPool::Help() {
  DefaultFloatEnvironment environment;  // a new thread starts with its maker's settings
  std::unique_lock lock(mutex_);
  while (true) {
    Loop* loop = loops_;
    while (loop && (loop->helpers_left == 0 || loop->next.load(std::memory_order_relaxed) >= loop->count))
      loop = loop->below;
    if (loop) {
      --loop->helpers_left;
      loop->helpers.fetch_add(1, std::memory_order_relaxed);
      lock.unlock();
      Work(*loop);
      lock.lock();
      if (loop->helpers.fetch_sub(1, std::memory_order_release) == 1) finished_.notify_all();
      continue;
    }
    if (stopping_) return;
    const uint32_t seen = posted_.load(std::memory_order_relaxed);
    lock.unlock();
    for (int i = 0; i < kSpins && posted_.load(std::memory_order_relaxed) == seen; ++i) Pause();
    lock.lock();
    wake_.wait(lock, [&] { return stopping_ || posted_.load(std::memory_order_relaxed) != seen; });
  }
}

void TaskPool::ParallelFor(int64_t count, int max_threads, Body body, void* context) {
  const int allowed = max_threads > 0 ? std::min(max_threads, threads()) : threads();
  const int wanted = static_cast<int>(std::min<int64_t>(allowed, count));
  if (wanted <= 1) {
    for (int64_t i = 0; i < count; ++i) body(context, i);
    return;
  }
  Loop loop{.body = body, .context = context, .count = count, .helpers_left = wanted - 1};
  {
    std::lock_guard lock(mutex_);
    loop.below = loops_;
    loops_ = &loop;
    posted_.fetch_add(1, std::memory_order_relaxed);
  }
  for (int i = 1; i < wanted; ++i) wake_.notify_one();
  Work(loop);
  {
    std::lock_guard lock(mutex_);
    Loop** place = &loops_;
    while (*place != &loop) place = &(*place)->below;
    *place = loop.below;
  }
  // Nobody joins any more; those who did have at most one index left each.
  for (int i = 0; i < kSpins && loop.helpers.load(std::memory_order_acquire) != 0; ++i) Pause();
  std::unique_lock lock(mutex_);  // also waits for the last helper to be out of its critical section
  finished_.wait(lock, [&] { return loop.helpers.load(std::memory_order_acquire) == 0; });
}

}  // namespace subfloor::runtime
