#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "device/description/code_image.h"
#include "runtime/allocation.h"
#include "runtime/arena_pool.h"
#include "runtime/completion.h"
#include "runtime/task_pool.h"
#include "runtime/thunk.h"

namespace subfloor::runtime {

/// All of a run that is not data.
struct RunOptions {
  TaskPool* pool = nullptr;  ///< null: the calling thread alone
  int max_threads = 0;  ///< cap on the threads of any loop, the caller's included; 0: as many as the pool has
  ArenaPool* arenas = nullptr;  ///< null: ArenaPool::Default()
  Profile* profile = nullptr;   ///< collects a time for each thunk; null: no clock is read
  int64_t run_id = 0;
  int32_t replica_id = 0, partition_id = 0;
};

/// A program ready to run. Immutable: any number of threads may execute it at once.
class Executable {
 public:
  struct Parts {
    std::string name;
    std::vector<Allocation> allocations;
    ThunkSequence thunks;
    std::optional<device::CodeImage> image;                 ///< kernels; absent where no thunk is one
    const ffi::CustomCallRegistry* custom_calls = nullptr;  ///< null: the process's
  };

  /// Loads the code, binds and numbers all thunks. Errors: what the loader and Bind refuse; not supported for
  /// control flow nested more than kMaxNesting deep; internal where the parts contradict each other (a slice
  /// outside of its allocation or not aligned, a write to a constant or to a parameter that is no output, a
  /// leaf without an allocation).
  static Result<std::unique_ptr<const Executable>> Create(Parts parts);
  ~Executable();

  static constexpr int kMaxNesting = 200;

  const std::string& name() const { return name_; }
  int64_t parameter_count() const { return static_cast<int64_t>(parameters_.size()); }
  int64_t output_count() const { return static_cast<int64_t>(outputs_.size()); }
  /// Size that Execute wants of a parameter's or output's buffer.
  int64_t parameter_bytes(int64_t leaf) const;
  int64_t output_bytes(int64_t leaf) const;
  /// The parameter leaf whose memory this output may take over, or -1.
  int64_t aliased_parameter(int64_t output_leaf) const;
  /// Memory that one run takes besides its parameters and outputs.
  int64_t temp_bytes() const { return temp_bytes_; }
  int64_t constant_bytes() const;
  /// All thunks, nested ones after the one they are in; a thunk's index is its number.
  std::span<const Thunk* const> thunks() const { return thunks_; }
  /// The thunks that are in no other one, in order.
  std::vector<const Thunk*> outermost_thunks() const;
  /// An empty profile that fits.
  Profile MakeProfile() const { return {std::vector<Profile::Entry>(thunks_.size())}; }

  /// Runs the program: reads parameter leaves, writes output leaves.
  ///
  /// An output that aliases a parameter: hand in the parameter's own buffer to donate it (it is overwritten),
  /// or another one, into which the parameter is copied first. All other outputs must not overlap any buffer
  /// of the run. The caller's floating-point environment is neither used nor changed. The buffers must live
  /// until completion. Errors: bad input for a wrong number, size or alignment of buffers; out of resources;
  /// what thunks answer. After an error the outputs' content is undefined. In steady state nothing is
  /// allocated on the heap by the executor itself.
  Completion Execute(std::span<const BufferView> parameters, std::span<const BufferView> outputs,
                     const RunOptions& options = {}) const;

 private:
  struct RunState;
  Executable() = default;
  Status Prepare();
  Status NumberThunks();
  Status CheckUses(const Thunk& thunk) const;
  Status CheckBuffers(std::span<const BufferView> parameters, std::span<const BufferView> outputs) const;
  std::unique_ptr<RunState> TakeState() const;
  void GiveState(std::unique_ptr<RunState> state) const;

  std::string name_;
  std::shared_ptr<const void> image_;  // keeps the code mapped; outlives the thunks that call it
  std::vector<Allocation> allocations_;
  std::vector<int64_t> temp_offsets_;          // by allocation, in the arena
  std::vector<int32_t> parameters_, outputs_;  // by leaf: index of the allocation
  int64_t temp_bytes_ = 0;
  ThunkSequence sequence_;
  std::vector<const Thunk*> thunks_;

  mutable std::mutex mutex_;
  mutable std::unique_ptr<RunState> free_states_;
};

}  // namespace subfloor::runtime
