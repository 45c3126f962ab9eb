#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "device/sim/access_checker.h"
#include "device/sim/fiber_pool.h"
#include "device/sim/launch.h"
#include "device/sim/random.h"
#include "device/sim/sim_thread.h"

namespace subfloor::device::sim {

/// Runs blocks, one at a time: as one call, thread by thread, or, where threads meet, on fibers. Keeps its
/// stacks from launch to launch. Threads: one at a time; several runners may run blocks of one launch.
class BlockRunner {
 public:
  BlockRunner(uint32_t threads_per_warp, const SimOptions& options);
  ~BlockRunner();

  /// Errors: out of resources.
  Status StartLaunch(const Launch& launch);
  void Run(uint64_t block);

  /// What this runner's blocks did since StartLaunch.
  KernelCounters& counters() { return counters_; }
  FindingList& findings() { return findings_; }
  /// The first error that a thread returned.
  const std::optional<Error>& error() const { return error_; }

 private:
  static const SubfloorThreadHooks kFastHooks, kCheckedHooks;
  static void BarrierHook(const SubfloorKernelThread* thread, uint32_t site);
  static uint32_t ShuffleHook(const SubfloorKernelThread* thread, uint32_t site, uint32_t value,
                              uint32_t distance);
  static void* PlainAccessHook(const SubfloorKernelThread* thread, uint32_t site, void* address,
                               uint32_t bytes, uint32_t kind);
  static void* CheckedAccessHook(const SubfloorKernelThread* thread, uint32_t site, void* address,
                                 uint32_t bytes, uint32_t kind);

  void Call(SimThread& thread);
  void RunOneByOne();
  void RunOnFibers();
  /// Fills ready_ with the threads that may go on, since all have run to where they wait.
  void Release();
  void ReleaseBarrier();
  void ReleaseShuffles();
  void Shuffle(std::span<SimThread> warp);
  void AddDivergence(Check check, const SimThread& waiting, const SimThread& other);
  void AddUndeclared(const SimThread& thread, uint32_t site);

  const uint32_t threads_per_warp_;
  FiberPool fibers_;
  FindingList findings_;
  KernelCounters counters_;
  std::optional<Error> error_;
  const Launch* launch_ = nullptr;
  std::optional<AccessChecker> checker_;
  std::vector<SubfloorKernelArgument> arguments_;
  std::vector<SimThread> threads_;
  std::vector<uint32_t> ready_, order_, lanes_;
  SubfloorKernelError kernel_error_ = {};
  std::vector<std::byte> shared_storage_;
  std::byte* shared_ = nullptr;
  uint64_t block_ = 0;
  Random random_{0};
  // Of the block's threads: how many wait at a barrier, at a shuffle.
  uint32_t at_barrier_ = 0, at_shuffle_ = 0;
};

}  // namespace subfloor::device::sim
