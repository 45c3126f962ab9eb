#include "device/sim/streams.h"

#include <chrono>
#include <utility>

namespace subfloor::device::sim {
namespace {

bool Blocked(const Queue& queue) {
  const auto& waits_for = queue.steps.front().waits_for;
  return waits_for != nullptr && !waits_for->done;
}

}  // namespace

void Scheduler::Drain(Queue& queue) {
  while (!queue.steps.empty()) RunOne(queue);
}

void Scheduler::DrainAll() {
  for (size_t i = 0; i < queues_.size(); ++i) Drain(*queues_[i]);
}

void Scheduler::RunUntil(const Moment& moment) {
  while (!moment.done) RunOne(*moment.queue);
}

void Scheduler::RunOneTowards(const Moment& moment) {
  if (!moment.done) RunOne(*moment.queue);
}

void Scheduler::RunOne(Queue& wanted) {
  if (seed_ != 0) {
    std::vector<Queue*> ready;
    for (Queue* queue : queues_) {
      if (!queue->steps.empty() && !Blocked(*queue)) ready.push_back(queue);
    }
    return Do(*ready[random_.Below(ready.size())]);
  }
  // A moment is recorded before anything can wait for it, so the chain ends at a step that can be done.
  Queue* queue = &wanted;
  while (Blocked(*queue)) queue = queue->steps.front().waits_for->queue;
  Do(*queue);
}

void Scheduler::Do(Queue& queue) {
  const Step step = std::move(queue.steps.front());
  queue.steps.pop_front();
  if (step.waits_for != nullptr && step.waits_for->error && !queue.error) {
    queue.error = step.waits_for->error;
    queue.error->Prepend("the stream waited for an event of a stream that failed");
  }
  if (step.work && !queue.error) {
    if (Status status = step.work(); !status) queue.error = std::move(status).error();
  }
  if (step.records != nullptr) {
    step.records->done = true;
    step.records->error = queue.error;
    step.records->time_ns =
        std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
}

}  // namespace subfloor::device::sim
