#include "runtime/cpu/kernel_thunk.h"

#include <absl/container/inlined_vector.h>

#include <atomic>
#include <utility>

namespace subfloor::runtime {
namespace {

constexpr int64_t kAlignment = SUBFLOOR_BUFFER_ALIGNMENT;
using Arguments = absl::InlinedVector<SubfloorKernelArgument, 64>;  // few kernels have more; those allocate

int64_t ScratchShare(const KernelLaunch& launch) {
  return (launch.scratch_bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// The hook through which a kernel runs loops of its own.
void ParallelFor(void* context, int64_t count, void (*body)(void*, int64_t), void* body_context) {
  static_cast<const RunContext*>(context)->ParallelFor(count, [&](int64_t i) { body(body_context, i); });
}

Completion Failure(const SubfloorKernelError& error) {
  if (error.code == SUBFLOOR_KERNEL_INDEX_OUT_OF_BOUNDS)
    return Completion::Failed(Error(
        ErrorKind::kBadInput,
        fmt::format("index {} is outside of [0, {}) (site {})", error.value[0], error.value[1], error.site)));
  return Completion::Failed(
      Error(ErrorKind::kInternal, fmt::format("the kernel failed with code {} at site {}, values {} and {}",
                                              error.code, error.site, error.value[0], error.value[1])));
}

}  // namespace

KernelThunk::KernelThunk(ThunkInfo info, KernelLaunch launch, std::vector<BufferSlice> inputs,
                         std::vector<BufferSlice> outputs, BufferSlice scratch)
    : Thunk(ThunkKind::kKernel, std::move(info)),
      launch_(std::move(launch)),
      arguments_(std::move(inputs)),
      input_count_(arguments_.size()),
      scratch_(scratch) {
  arguments_.insert(arguments_.end(), outputs.begin(), outputs.end());
}

int64_t KernelThunk::ScratchBytes(const KernelLaunch& launch) {
  return ScratchShare(launch) * launch.workgroups;
}

Status KernelThunk::Bind(const BindContext& context) {
  if (launch_.workgroups < 1)
    return InternalError("kernel {} has {} workgroups", launch_.symbol, launch_.workgroups);
  if (launch_.scratch_bytes > 0 && scratch_.size < ScratchBytes(launch_))
    return InternalError("kernel {} wants {} bytes of scratch, got {}", launch_.symbol, ScratchBytes(launch_),
                         scratch_.size);
  if (!context.kernels) return InternalError("there is no code image to find kernel {} in", launch_.symbol);
  kernel_ = SF_TRY(context.kernels(launch_.symbol));
  return {};
}

BufferUses KernelThunk::buffer_uses() const {
  BufferUses uses;
  for (size_t i = 0; i < arguments_.size(); ++i)
    uses.push_back({arguments_[i], i < input_count_ ? BufferUse::Kind::kRead : BufferUse::Kind::kWrite});
  if (launch_.scratch_bytes > 0) uses.push_back({scratch_, BufferUse::Kind::kScratch});
  return uses;
}

Completion KernelThunk::Execute(const RunContext& context) const {
  Arguments arguments(arguments_.size());
  for (size_t i = 0; i < arguments_.size(); ++i)
    arguments[i] = {context.Address(arguments_[i]), static_cast<uint64_t>(arguments_[i].size)};
  const SubfloorKernelHost host{const_cast<RunContext*>(&context), &ParallelFor};
  SubfloorKernelError first_error{};
  SubfloorKernelCall call{.abi_version = SUBFLOOR_KERNEL_ABI_VERSION,
                          .argument_count = static_cast<uint32_t>(arguments.size()),
                          .arguments = arguments.data(),
                          .workgroup_id = {0, 0, 0},
                          .workgroup_count = {static_cast<uint64_t>(launch_.workgroups), 1, 1},
                          .host = &host,
                          .error = &first_error,
                          .thread = nullptr};
  if (launch_.workgroups == 1 && launch_.scratch_bytes == 0) {
    if (kernel_(&call) != 0) [[unlikely]]
      return Failure(first_error);
    return {};
  }

  std::atomic<bool> failed{false};
  context.ParallelFor(launch_.workgroups, [&](int64_t workgroup) {
    SubfloorKernelError error{};
    SubfloorKernelCall own = call;
    own.workgroup_id[0] = static_cast<uint64_t>(workgroup);
    own.error = &error;
    Arguments with_scratch;
    if (launch_.scratch_bytes > 0) {
      with_scratch = arguments;
      with_scratch.push_back({context.Address(scratch_) + workgroup * ScratchShare(launch_),
                              static_cast<uint64_t>(launch_.scratch_bytes)});
      own.arguments = with_scratch.data();
      ++own.argument_count;
    }
    if (kernel_(&own) != 0 && !failed.exchange(true)) first_error = error;
  });
  if (failed.load()) return Failure(first_error);
  return {};
}

}  // namespace subfloor::runtime
