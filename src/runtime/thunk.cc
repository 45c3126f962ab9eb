#include "runtime/thunk.h"

namespace subfloor::runtime {
namespace {

Completion ExecuteTimed(const Thunk& thunk, const RunContext& context) {
  auto begin = std::chrono::steady_clock::now();
  Completion completion = thunk.Execute(context);
  if (!completion.IsDone()) (void)completion.Wait();
  const size_t number = static_cast<size_t>(thunk.number());
  if (number < context.profile->entries.size()) {
    Profile::Entry& entry = context.profile->entries[number];
    ++entry.runs;
    entry.elapsed += std::chrono::steady_clock::now() - begin;
  }
  return completion;
}

}  // namespace

std::string_view ToString(ThunkKind kind) {
  switch (kind) {
#define X(enumerator, name)   \
  case ThunkKind::enumerator: \
    return name;
    SUBFLOOR_THUNK_KINDS(X)
#undef X
  }
  return "?";
}

Completion ThunkSequence::Execute(const RunContext& context) const {
  for (const auto& thunk : thunks_) {
    Completion completion = context.profile ? ExecuteTimed(*thunk, context) : thunk->Execute(context);
    if (completion.IsDone()) continue;
    if (Status status = completion.Wait(); !status) {
      Error error = std::move(status).error();
      if (error.instruction().empty()) error.In(thunk->info().instruction);
      return Completion::Failed(std::move(error));
    }
  }
  return {};
}

}  // namespace subfloor::runtime
