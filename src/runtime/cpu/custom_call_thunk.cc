#include "runtime/cpu/custom_call_thunk.h"

#include <absl/container/inlined_vector.h>

namespace subfloor::runtime {

CustomCallThunk::CustomCallThunk(ThunkInfo info, std::string target, std::string opaque,
                                 std::vector<BufferSlice> inputs, std::vector<BufferSlice> outputs,
                                 bool side_effects)
    : Thunk(ThunkKind::kCustomCall, std::move(info)),
      target_(std::move(target)),
      opaque_(std::move(opaque)),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      side_effects_(side_effects) {}

Status CustomCallThunk::Bind(const BindContext& context) {
  auto function = context.custom_calls ? context.custom_calls->Find(target_) : std::nullopt;
  if (!function) {
    const bool lapack = target_.starts_with("lapack_");
    return NotSupported("nobody registered a custom call '{}'; register it before the program is loaded{}",
                        target_,
                        lapack ? " (of LAPACK's calls, potrf, getrf and trsm work without: cholesky, LU with "
                                 "solve, inv and det, solve_triangular)"
                               : "");
  }
  function_ = *function;
  return {};
}

BufferUses CustomCallThunk::buffer_uses() const {
  BufferUses uses;
  for (const BufferSlice& input : inputs_) uses.push_back({input, BufferUse::Kind::kRead});
  for (const BufferSlice& output : outputs_) uses.push_back({output, BufferUse::Kind::kWrite});
  return uses;
}

ResourceUses CustomCallThunk::resource_uses() const {
  if (!side_effects_) return {};
  return {{ResourceUse::Kind::kHost, 0, true}};
}

Completion CustomCallThunk::Execute(const RunContext& context) const {
  absl::InlinedVector<const void*, 16> inputs;
  absl::InlinedVector<void*, 16> outputs;
  for (const BufferSlice& input : inputs_) inputs.push_back(context.Address(input));
  for (const BufferSlice& output : outputs_) outputs.push_back(context.Address(output));
  if (const char* message = function_(outputs.data(), inputs.data(), opaque_.data(), opaque_.size()))
    return Completion::Failed(
        Error(ErrorKind::kBadInput, fmt::format("custom call '{}': {}", target_, message)));
  return {};
}

}  // namespace subfloor::runtime
