#include "codegen/deep_stack.h"

#include <pthread.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <vector>

namespace subfloor::codegen {
namespace {

constexpr size_t kStackBytes = 64 << 20;

void* Call(void* work) {
  (*static_cast<const std::function<void()>*>(work))();
  return nullptr;
}

}  // namespace

Status RunOnDeepStacks(size_t count, const std::function<void()>& work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  std::vector<pthread_t> threads;
  for (size_t i = 0; i < count; ++i) {
    pthread_t thread;
    void* argument = const_cast<std::function<void()>*>(&work);
    int failed = pthread_create(&thread, &attributes, Call, argument);
    // A machine short of memory or threads for a moment may have some again: without one there is no result.
    for (int tries = 0; failed == EAGAIN && threads.empty() && tries < 50; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(4));
      failed = pthread_create(&thread, &attributes, Call, argument);
    }
    if (failed != 0) break;
    threads.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  if (threads.empty() && count > 0) return OutOfResources("cannot start a compile thread");
  return {};
}

}  // namespace subfloor::codegen
