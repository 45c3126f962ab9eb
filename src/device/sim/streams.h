#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "device/sim/random.h"

namespace subfloor::device::sim {

struct Queue;

/// One recording of an event.
struct Moment {
  Queue* queue = nullptr;  ///< where it was recorded; gone perhaps once it is done
  bool done = false;
  std::optional<Error> error;  ///< the queue failed before
  int64_t time_ns = 0;         ///< on the host's steady clock
};

/// A step of a stream: something to do, a moment to wait for, or a moment that comes.
struct Step {
  std::function<Status()> work;
  std::shared_ptr<Moment> waits_for, records;
};

struct Queue {
  std::deque<Step> steps;
  std::optional<Error> error;  ///< of the first step that failed, until somebody is told
};

/// Does the steps of all streams of a device: each stream's in order, and as little more as options say.
/// Threads: one at a time.
class Scheduler {
 public:
  explicit Scheduler(uint64_t seed) : seed_(seed), random_(seed) {}

  void Add(Queue* queue) { queues_.push_back(queue); }
  void Remove(Queue* queue) { std::erase(queues_, queue); }

  /// Until nothing is left in the queue.
  void Drain(Queue& queue);
  void DrainAll();
  void RunUntil(const Moment& moment);
  /// One step on the way there, if there is any.
  void RunOneTowards(const Moment& moment);

 private:
  /// Does one step: of `wanted` or of what it waits for; with a seed, of any queue that can go on.
  void RunOne(Queue& wanted);
  static void Do(Queue& queue);

  uint64_t seed_;
  Random random_;
  std::vector<Queue*> queues_;
};

}  // namespace subfloor::device::sim
