#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "device/description/kernel_abi.h"

/// What kernels for the simulator are written with by hand: one call is one thread, and every access goes by
/// way of the simulator if CHECKED.
namespace subfloor::device::sim {

template <bool CHECKED>
class KernelThread {
 public:
  explicit KernelThread(const SubfloorKernelCall* call) : call_(call), thread_(call->thread) {}

  uint64_t block(int d = 0) const { return call_->workgroup_id[d]; }
  uint64_t thread(int d = 0) const { return thread_->thread_id[d]; }
  template <typename T>
  T* argument(int i) const {
    return static_cast<T*>(call_->arguments[i].data);
  }
  template <typename T>
  T* shared() const {
    return static_cast<T*>(thread_->shared);
  }

  template <typename T>
  T Load(uint32_t site, const T* address, uint32_t space = 0) const {
    return *At(site, const_cast<T*>(address), SUBFLOOR_ACCESS_LOAD | space);
  }
  template <typename T>
  void Store(uint32_t site, T* address, T value, uint32_t space = 0) const {
    *At(site, address, SUBFLOOR_ACCESS_STORE | space) = value;
  }
  template <typename T>
  T LoadShared(uint32_t site, const T* address) const {
    return Load(site, address, SUBFLOOR_ACCESS_SHARED);
  }
  template <typename T>
  void StoreShared(uint32_t site, T* address, T value) const {
    Store(site, address, value, SUBFLOOR_ACCESS_SHARED);
  }
  template <typename T>
  void AtomicAdd(uint32_t site, T* address, T value, uint32_t space = 0) const {
    __atomic_fetch_add(At(site, address, SUBFLOOR_ACCESS_ATOMIC | space), value, __ATOMIC_RELAXED);
  }
  void Barrier(uint32_t site) const { thread_->hooks->barrier(thread_, site); }
  uint32_t ShuffleDown(uint32_t site, uint32_t value, uint32_t distance) const {
    return thread_->hooks->shuffle_down(thread_, site, value, distance);
  }

 private:
  template <typename T>
  T* At(uint32_t site, T* address, uint32_t kind) const {
    if constexpr (CHECKED)
      return static_cast<T*>(thread_->hooks->access(thread_, site, address, sizeof(T), kind));
    return address;
  }

  const SubfloorKernelCall* call_;
  const SubfloorKernelThread* thread_;
};

/// Adds two arrays of f32, an element a thread. Arguments: two operands, the result. Block: 128 threads.
int32_t AddWholeBlock(const SubfloorKernelCall* call);
template <bool CHECKED>
int32_t Add(const SubfloorKernelCall* call) {
  const KernelThread<CHECKED> self(call);
  const uint64_t i = self.block() * 128 + self.thread();
  const float sum =
      self.Load(0, self.template argument<float>(0) + i) + self.Load(1, self.template argument<float>(1) + i);
  self.Store(2, self.template argument<float>(2) + i, sum);
  return SUBFLOOR_KERNEL_OK;
}

/// Transposes a square of f32, of `workgroup_count[0]` tiles of 32 x 32 a side, through a tile of 32 x PITCH
/// in shared memory. Arguments: operand, result. Block: 32 x 4 threads.
template <bool CHECKED, int PITCH = 33>
int32_t Transpose(const SubfloorKernelCall* call) {
  const KernelThread<CHECKED> self(call);
  const uint64_t side = call->workgroup_count[0] * 32;
  const uint64_t x = self.thread(0), y = self.thread(1);
  float* tile = self.template shared<float>();
  const float* in = self.template argument<float>(0) + self.block(1) * 32 * side + self.block(0) * 32;
  for (uint64_t row = y; row < 32; row += 4)
    self.StoreShared(1, tile + row * PITCH + x, self.Load(0, in + row * side + x));
  self.Barrier(2);
  float* out = self.template argument<float>(1) + self.block(0) * 32 * side + self.block(1) * 32;
  for (uint64_t row = y; row < 32; row += 4)
    self.Store(4, out + row * side + x, self.LoadShared(3, tile + x * PITCH + row));
  return SUBFLOOR_KERNEL_OK;
}

}  // namespace subfloor::device::sim
