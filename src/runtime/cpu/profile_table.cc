#include "runtime/cpu/profile_table.h"

#include <algorithm>
#include <vector>

namespace subfloor::runtime {

std::string ProfileTable(const Executable& executable, const Profile& profile) {
  const size_t count = std::min(profile.entries.size(), executable.thunks().size());
  std::vector<size_t> order;
  for (size_t i = 0; i < count; ++i)
    if (profile.entries[i].runs > 0) order.push_back(i);
  std::ranges::sort(order, [&](size_t a, size_t b) {
    const auto ta = profile.entries[a].elapsed, tb = profile.entries[b].elapsed;
    return ta != tb ? ta > tb : a < b;
  });

  double total_us = 0;
  for (const Thunk* thunk : executable.outermost_thunks()) {
    const size_t number = static_cast<size_t>(thunk->number());
    if (number < count)
      total_us += std::chrono::duration<double, std::micro>(profile.entries[number].elapsed).count();
  }
  std::string text =
      fmt::format("{:>12} {:>6} {:>8}  {:13} {}\n", "microseconds", "share", "runs", "kind", "instruction");
  for (size_t i : order) {
    const Profile::Entry& entry = profile.entries[i];
    const double us = std::chrono::duration<double, std::micro>(entry.elapsed).count();
    const ThunkInfo& info = executable.thunks()[i]->info();
    text += fmt::format("{:12.1f} {:5.1f}% {:8}  {:13} %{}{}\n", us, total_us > 0 ? 100 * us / total_us : 0.0,
                        entry.runs, ToString(executable.thunks()[i]->kind()), info.instruction,
                        info.op.empty() ? "" : "  " + info.op);
  }
  return text;
}

}  // namespace subfloor::runtime
