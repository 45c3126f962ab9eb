#include "runtime/cpu/profile_table.h"

#include <algorithm>
#include <vector>

namespace subfloor::runtime {
namespace {

double Microseconds(const Profile::Entry& entry) {
  return std::chrono::duration<double, std::micro>(entry.elapsed).count();
}

}  // namespace

std::string ProfileTable(const Executable& executable, const Profile& profile, int64_t runs, size_t most) {
  const std::span<const Thunk* const> thunks = executable.thunks();
  const size_t count = std::min(profile.entries.size(), thunks.size());
  std::vector<double> own_us(count);
  for (size_t i = 0; i < count; ++i) own_us[i] = Microseconds(profile.entries[i]);
  for (size_t i = 0; i < count; ++i) {
    for (const ThunkSequence* nested : const_cast<Thunk*>(thunks[i])->nested()) {
      for (const auto& inner : nested->thunks()) {
        const auto number = static_cast<size_t>(inner->number());
        if (number < count) own_us[i] -= Microseconds(profile.entries[number]);
      }
    }
  }
  double total_us = 0;
  std::vector<size_t> order;
  for (size_t i = 0; i < count; ++i) {
    total_us += own_us[i];
    if (profile.entries[i].runs > 0) order.push_back(i);
  }
  std::ranges::sort(
      order, [&](size_t a, size_t b) { return own_us[a] != own_us[b] ? own_us[a] > own_us[b] : a < b; });

  std::string text =
      fmt::format("{} steps, {:.1f} us a run{}{}\n", count, total_us / static_cast<double>(runs),
                  runs > 1 ? fmt::format(" (mean of {})", runs) : "",
                  order.size() > most ? fmt::format("; the {} most expensive:", most) : ":");
  text +=
      fmt::format("{:>12} {:>6} {:>8}  {:13} {}\n", "microseconds", "share", "times", "kind", "instruction");
  for (size_t i : std::span(order).first(std::min(most, order.size()))) {
    const ThunkInfo& info = thunks[i]->info();
    text += fmt::format("{:12.1f} {:5.1f}% {:8}  {:13} %{}{}\n", own_us[i] / static_cast<double>(runs),
                        total_us > 0 ? 100 * own_us[i] / total_us : 0.0, profile.entries[i].runs / runs,
                        ToString(thunks[i]->kind()), info.instruction,
                        info.op.empty() ? "" : "  (" + info.op + ")");
  }
  return text;
}

}  // namespace subfloor::runtime
