#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "device/description/kernel_abi.h"
#include "ffi/custom_call_registry.h"
#include "runtime/buffer_slice.h"
#include "runtime/completion.h"
#include "runtime/task_pool.h"

namespace subfloor::runtime {

class ThunkSequence;

// X(enumerator, name)
#define SUBFLOOR_THUNK_KINDS(X)   \
  X(kCall, "call")                \
  X(kCollective, "collective")    \
  X(kConditional, "conditional")  \
  X(kConvolution, "convolution")  \
  X(kCopy, "copy")                \
  X(kCustomCall, "custom-call")   \
  X(kDot, "dot")                  \
  X(kFft, "fft")                  \
  X(kFill, "fill")                \
  X(kInfeed, "infeed")            \
  X(kKernel, "kernel")            \
  X(kOutfeed, "outfeed")          \
  X(kPartitionId, "partition-id") \
  X(kReplicaId, "replica-id")     \
  X(kRngState, "rng-state")       \
  X(kWhile, "while")

enum class ThunkKind : uint8_t {
#define X(enumerator, name) enumerator,
  SUBFLOOR_THUNK_KINDS(X)
#undef X
};
std::string_view ToString(ThunkKind kind);

/// What a thunk was made from; for errors, profiles and listings only.
struct ThunkInfo {
  std::string op;               ///< the framework's name of the op (metadata op_name), perhaps empty
  std::string instruction;      ///< name of the HLO instruction, without the %
  int64_t instruction_id = -1;  ///< Instruction::id()
};

/// Where an executable's thunks find what they name. Null members offer nothing.
struct BindContext {
  std::function<Result<SubfloorKernel>(const std::string& symbol)> kernels;
  const ffi::CustomCallRegistry* custom_calls = nullptr;
};

/// Times of one or more runs, by thunk number (see Executable::thunks()); a thunk's time includes those
/// nested in it. Threads: one run at a time.
struct Profile {
  struct Entry {
    int64_t runs = 0;
    std::chrono::nanoseconds elapsed{};
  };
  std::vector<Entry> entries;
};

/// What a thunk needs of the run it is part of. Lives until the run's completion.
struct RunContext {
  std::span<std::byte* const> allocations;  ///< base addresses, in the order of the allocation table
  TaskPool* pool = nullptr;                 ///< null: everything on the calling thread
  int max_threads = 0;                      ///< cap on a loop's threads; 0: as many as the pool has
  int64_t run_id = 0;
  int32_t replica_id = 0, partition_id = 0;
  Profile* profile = nullptr;

  std::byte* Address(const BufferSlice& slice) const {
    return allocations[static_cast<size_t>(slice.allocation)] + slice.offset;
  }
  /// f(i) for i in [0, count), perhaps in parallel; returns when all are done.
  template <typename F>
  void ParallelFor(int64_t count, F&& f) const {
    if (pool && count > 1) return pool->ParallelFor(count, max_threads, std::forward<F>(f));
    for (int64_t i = 0; i < count; ++i) f(i);
  }
};

/// One step of a compiled program. Immutable once bound, holds no HLO and no compiler object: plain values
/// that a file can hold. What it touches is declared, so that an executor may reorder and overlap steps that
/// do not conflict. Threads: Execute may run any number of times at once, each in a run of its own.
class Thunk {
 public:
  Thunk(ThunkKind kind, ThunkInfo info) : kind_(kind), info_(std::move(info)) {}
  virtual ~Thunk() = default;
  Thunk(const Thunk&) = delete;
  Thunk& operator=(const Thunk&) = delete;

  ThunkKind kind() const { return kind_; }
  const ThunkInfo& info() const { return info_; }

  /// Looks up by name what Execute will call, and prepares what depends on this machine only. Called once,
  /// before all else.
  virtual Status Bind(const BindContext& context) { return {}; }
  /// Its own uses, without those of nested thunks.
  virtual BufferUses buffer_uses() const = 0;
  virtual ResourceUses resource_uses() const { return {}; }
  /// Sequences inside, in a fixed order.
  virtual std::vector<ThunkSequence*> nested() { return {}; }

  /// Does the step, or starts it. Never blocks for long on anything but its own work. Errors need not name
  /// the thunk.
  virtual Completion Execute(const RunContext& context) const = 0;

  /// Its number in the executable, or -1 outside of one.
  int64_t number() const { return number_; }
  void set_number(int64_t number) { number_ = number; }

 private:
  ThunkKind kind_;
  ThunkInfo info_;
  int64_t number_ = -1;
};

/// Thunks in an order that is always right to run them in.
class ThunkSequence {
 public:
  ThunkSequence() = default;
  ThunkSequence(ThunkSequence&&) = default;
  ThunkSequence& operator=(ThunkSequence&&) = default;

  void Append(std::unique_ptr<Thunk> thunk) { thunks_.push_back(std::move(thunk)); }
  template <typename T, typename... Args>
  T& Emplace(Args&&... args) {
    auto thunk = std::make_unique<T>(std::forward<Args>(args)...);
    T& reference = *thunk;
    thunks_.push_back(std::move(thunk));
    return reference;
  }
  const std::vector<std::unique_ptr<Thunk>>& thunks() const { return thunks_; }
  bool empty() const { return thunks_.empty(); }

  /// Runs them one after the other; waits for a step that is not ready when its Execute returns. The first
  /// error ends it and names the thunk it came from.
  Completion Execute(const RunContext& context) const;

 private:
  std::vector<std::unique_ptr<Thunk>> thunks_;
};

}  // namespace subfloor::runtime
