#include "device/sim/launcher.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

#include "device/sim/random.h"

namespace subfloor::device::sim {

Status Launcher::Run(const Launch& launch, FindingList& findings, KernelCounters& counters) {
  const bool checked = launch.kernel->plan.checked;
  const size_t runners = checked ? 1 : std::min<uint64_t>(options_.host_threads, launch.blocks);
  SF_CHECK(Prepare(launch, runners));
  RunBlocks(launch, runners);

  FindingList found(options_.findings_kept_of_each);
  std::optional<Error> error;
  KernelCounters sum;
  for (size_t i = 0; i < runners; ++i) {
    found.Append(runners_[i]->findings().Take());
    sum += runners_[i]->counters();
    if (!error) error = runners_[i]->error();
  }
  sum.launches = 1;
  counters += sum;
  CheckRedZones(launch, found);
  // A fast kernel does not say which bytes it wrote: all that it could.
  if (!checked) {
    for (const LaunchArgument& argument : launch.arguments)
      argument.allocation->initialised.Mark(argument.offset, argument.size);
  }
  const bool clean = found.empty();
  std::string summary = clean ? "" : found.Summary();
  findings.Append(found.Take());
  if (error) return std::unexpected(*std::move(error));
  if (!clean && options_.findings_fail) return BadInput("{}", summary);
  return {};
}

Status Launcher::Prepare(const Launch& launch, size_t runners) {
  while (runners_.size() < runners)
    runners_.push_back(std::make_unique<BlockRunner>(threads_per_warp_, options_));
  for (size_t i = 0; i < runners; ++i) SF_CHECK(runners_[i]->StartLaunch(launch));
  return {};
}

void Launcher::RunBlocks(const Launch& launch, size_t runners) {
  const PermutedRange order(launch.blocks, launch.seed);
  if (runners == 1) {
    for (uint64_t i = 0; i < launch.blocks; ++i) runners_[0]->Run(order.At(i));
    return;
  }
  std::atomic<uint64_t> next{0};
  const uint64_t together = std::max<uint64_t>(1, launch.blocks / (runners * 16));
  const auto work = [&](BlockRunner& runner) {
    for (;;) {
      const uint64_t first = next.fetch_add(together, std::memory_order_relaxed);
      if (first >= launch.blocks) return;
      for (uint64_t i = first; i < std::min(first + together, launch.blocks); ++i) runner.Run(order.At(i));
    }
  };
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < runners; ++i) {
    try {
      helpers.emplace_back(work, std::ref(*runners_[i]));
    } catch (const std::system_error&) {
      break;  // the machine has no more threads: those that run do it all
    }
  }
  work(*runners_[0]);
  for (std::thread& helper : helpers) helper.join();
}

void Launcher::CheckRedZones(const Launch& launch, FindingList& findings) const {
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const LaunchArgument& argument = launch.arguments[i];
    const auto changed = argument.allocation->MendRedZones();
    if (!changed) continue;
    if (Finding* finding = findings.Add(Check::kRedZone, launch.kernel->plan, 0)) {
      finding->argument = static_cast<int>(i);
      finding->offset_bytes = *changed - static_cast<int64_t>(argument.offset);
      finding->detail = fmt::format("the argument has {} bytes", argument.size);
    }
  }
}

}  // namespace subfloor::device::sim
