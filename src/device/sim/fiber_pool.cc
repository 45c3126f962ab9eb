#include "device/sim/fiber_pool.h"

#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <cerrno>
#include <cstring>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SUBFLOOR_ASAN 1
#include <sanitizer/common_interface_defs.h>
#endif
#if __has_feature(thread_sanitizer)
#define SUBFLOOR_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif
#endif

namespace subfloor::device::sim {

namespace context = boost::context::detail;

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kStack = (size_t{64} << 10) + kPage;  // the last page is for `Colour`
// Stacks that begin at equal places of their pages fight for the same lines of the cache.
size_t Colour(size_t index) { return index * 320 % kPage; }

}  // namespace

struct Fiber {
  std::byte* memory = nullptr;  ///< the guard page and the stack
  context::fcontext_t self = nullptr, caller = nullptr;
  void (*body)(void*) = nullptr;
  void* argument = nullptr;
  bool ending = false;

  std::byte* stack() const { return memory + kPage; }
  ~Fiber() {
    if (memory != nullptr) munmap(memory, kPage + kStack + kPage);
  }

  // What sanitizers are told: which stack the code runs on.
#ifdef SUBFLOOR_ASAN
  void* own_fake = nullptr;
  void* caller_fake = nullptr;
  const void* caller_stack = nullptr;
  size_t caller_bytes = 0;
  void LeaveCaller() { __sanitizer_start_switch_fiber(&caller_fake, stack(), kStack); }
  void BackAtCaller() { __sanitizer_finish_switch_fiber(caller_fake, nullptr, nullptr); }
  void LeaveFiber(bool for_good) {
    __sanitizer_start_switch_fiber(for_good ? nullptr : &own_fake, caller_stack, caller_bytes);
  }
  void BackOnFiber() { __sanitizer_finish_switch_fiber(own_fake, &caller_stack, &caller_bytes); }
  void Made() {}
  void Gone() {}
#elif defined(SUBFLOOR_TSAN)
  void* own_tsan = nullptr;
  void* caller_tsan = nullptr;
  void LeaveCaller() {
    caller_tsan = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(own_tsan, 0);
  }
  void BackAtCaller() {}
  void LeaveFiber(bool) { __tsan_switch_to_fiber(caller_tsan, 0); }
  void BackOnFiber() {}
  void Made() { own_tsan = __tsan_create_fiber(0); }
  void Gone() { __tsan_destroy_fiber(own_tsan); }
#else
  void LeaveCaller() {}
  void BackAtCaller() {}
  void LeaveFiber(bool) {}
  void BackOnFiber() {}
  void Made() {}
  void Gone() {}
#endif
};

namespace {

void ToFiber(Fiber& fiber) {
  fiber.LeaveCaller();
  fiber.self = context::jump_fcontext(fiber.self, &fiber).fctx;
  fiber.BackAtCaller();
}

void ToCaller(Fiber& fiber, bool for_good = false) {
  fiber.LeaveFiber(for_good);
  fiber.caller = context::jump_fcontext(fiber.caller, nullptr).fctx;
  fiber.BackOnFiber();
}

void Enter(context::transfer_t from) {
  Fiber& fiber = *static_cast<Fiber*>(from.data);
  fiber.caller = from.fctx;
  fiber.BackOnFiber();
  while (!fiber.ending) {
    fiber.body(fiber.argument);
    ToCaller(fiber);
  }
  ToCaller(fiber, /*for_good=*/true);
}

}  // namespace

FiberPool::FiberPool() = default;

FiberPool::~FiberPool() {
  for (auto& fiber : fibers_) {
    // Also one that never ran: it has entered nothing then, and its loop ends at once.
    fiber->ending = true;
    ToFiber(*fiber);
    fiber->Gone();
  }
}

Status FiberPool::Reserve(size_t count) {
  while (fibers_.size() < count) {
    auto fiber = std::make_unique<Fiber>();
    void* memory = mmap(nullptr, kPage + kStack + kPage, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
      return OutOfResources("no memory for the stack of simulated thread {}: {}", fibers_.size(),
                            std::strerror(errno));
    fiber->memory = static_cast<std::byte*>(memory);
    if (mprotect(fiber->stack(), kStack, PROT_READ | PROT_WRITE) != 0)
      return OutOfResources("no memory for the stack of simulated thread {}: {}", fibers_.size(),
                            std::strerror(errno));
    const size_t bytes = kStack - Colour(fibers_.size());
    fiber->self = context::make_fcontext(fiber->stack() + bytes, bytes, Enter);
    fiber->Made();
    fibers_.push_back(std::move(fiber));
  }
  return {};
}

void FiberPool::SetBody(size_t index, void (*body)(void*), void* argument) {
  fibers_[index]->body = body;
  fibers_[index]->argument = argument;
}

void FiberPool::Resume(size_t index) { ToFiber(*fibers_[index]); }

void FiberPool::Suspend(size_t index) { ToCaller(*fibers_[index]); }

}  // namespace subfloor::device::sim
