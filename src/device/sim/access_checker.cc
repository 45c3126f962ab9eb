#include "device/sim/access_checker.h"

#include <algorithm>
#include <limits>

namespace subfloor::device::sim {
namespace {

constexpr uint32_t kMaxSites = 1 << 16;

}  // namespace

AccessChecker::AccessChecker(const Launch& launch, uint32_t threads_per_warp, FindingList& findings,
                             std::vector<SiteCounters>& counters)
    : launch_(launch),
      findings_(findings),
      counters_(counters),
      shared_initialised_(launch.shared_bytes),
      shared_races_(launch.shared_bytes),
      shared_{nullptr, launch.shared_bytes, Finding::kShared, 0, &shared_initialised_, &shared_races_},
      log_by_warp_(launch.kernel->plan.synchronises) {
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const LaunchArgument& argument = launch.arguments[i];
    regions_.push_back({argument.data, argument.size, static_cast<int>(i), argument.offset,
                        &argument.allocation->initialised, &argument.allocation->races()});
  }
  const auto& sites = launch.kernel->plan.sites;
  last_region_.assign(sites.size(), &nowhere_);
  for (size_t i = 0; i < sites.size(); ++i) {
    const auto only = static_cast<size_t>(sites[i].argument);
    if (sites[i].argument >= 0 && only < regions_.size()) last_region_[i] = &regions_[only];
  }
  const uint32_t warps = (launch.threads + threads_per_warp - 1) / threads_per_warp;
  logs_.reserve(warps);
  for (uint32_t i = 0; i < (log_by_warp_ ? warps : 1); ++i) logs_.emplace_back(threads_per_warp);
}

void AccessChecker::StartBlock(uint64_t block, std::byte* shared) {
  block_ = block;
  barriers_ = 0;
  shared_.data = shared;
  shared_initialised_.Clear();
}

void AccessChecker::Meet() {
  ++barriers_;
  Flush();
}

void AccessChecker::Flush() {
  for (AccessLog& log : logs_) log.Flush(counters_);
}

const AccessChecker::Region* AccessChecker::FindOther(uint32_t site, const std::byte* address,
                                                      uint64_t bytes) {
  const auto& sites = launch_.kernel->plan.sites;
  if (site < sites.size() && sites[site].argument >= 0) return nullptr;
  for (const Region& region : regions_) {
    if (region.Holds(address, bytes)) return last_region_[site] = &region;
  }
  return nullptr;
}

void* AccessChecker::Access(const SimThread& thread, uint32_t site, void* address, uint32_t bytes,
                            uint32_t kind) {
  site = std::min(site, kMaxSites - 1);
  const auto* at = static_cast<const std::byte*>(address);
  const bool shared = (kind & SUBFLOOR_ACCESS_SHARED) != 0;
  if (site >= last_region_.size()) [[unlikely]]
    last_region_.resize(site + 1, &nowhere_);
  const Region* region = shared ? &shared_ : last_region_[site];
  if (!region->Holds(at, bytes)) [[unlikely]]
    region = shared ? nullptr : FindOther(site, at, bytes);
  if (region == nullptr) return OutOfBounds(thread, site, at, bytes, shared);

  const auto in_region = static_cast<uint64_t>(at - region->data);
  const uint64_t offset = region->offset + in_region;
  logs_[log_by_warp_ ? thread.warp : 0].Add(
      site, thread.lane, shared ? in_region : reinterpret_cast<uintptr_t>(at), bytes, kind);

  const bool atomic = (kind & SUBFLOOR_ACCESS_ATOMIC) != 0;
  if (atomic || (kind & SUBFLOOR_ACCESS_LOAD) != 0) {
    if (const auto unwritten = region->initialised->FirstUnwritten(offset, bytes)) {
      if (Finding* finding = findings_.Add(Check::kUninitialised, launch_.kernel->plan, site))
        Fill(*finding, thread, *region, *unwritten - region->offset, bytes);
    }
  }
  const bool stores = atomic || (kind & SUBFLOOR_ACCESS_STORE) != 0;
  if (stores) region->initialised->Mark(offset, bytes);

  using Kind = RaceShadow::Kind;
  const Kind how = atomic ? Kind::kAtomic : stores ? Kind::kStore : Kind::kLoad;
  // Runs of a shared shadow are blocks, of others launches; each checker has a shared shadow of its own.
  const AccessStamp other = region->races->Access(offset, bytes, how, {block_, thread.index, barriers_},
                                                  shared ? block_ + 1 : launch_.number);
  if (other.used()) AddRace(thread, site, *region, in_region, bytes, other);
  return address;
}

void* AccessChecker::OutOfBounds(const SimThread& thread, uint32_t site, const std::byte* address,
                                 uint32_t bytes, bool shared) {
  if (Finding* finding = findings_.Add(Check::kOutOfBounds, launch_.kernel->plan, site)) {
    // Told from the nearest region that the site may access.
    const Region* nearest = shared ? &shared_ : nullptr;
    const auto& sites = launch_.kernel->plan.sites;
    const int only = site < sites.size() ? sites[site].argument : -1;
    uint64_t distance = std::numeric_limits<uint64_t>::max();
    for (const Region& region : regions_) {
      if (shared || (only >= 0 && region.argument != only)) continue;
      const auto from_start = reinterpret_cast<intptr_t>(address) - reinterpret_cast<intptr_t>(region.data);
      const auto from_end = from_start - static_cast<intptr_t>(region.size);
      const uint64_t here = from_start < 0 ? 0 - static_cast<uint64_t>(from_start)
                                           : static_cast<uint64_t>(std::max<intptr_t>(0, from_end));
      if (here >= distance) continue;
      distance = here;
      nearest = &region;
    }
    finding->thread = {launch_.BlockAt(block_), launch_.ThreadAt(thread.index)};
    finding->bytes = bytes;
    if (nearest != nullptr) {
      finding->argument = nearest->argument;
      finding->offset_bytes = reinterpret_cast<intptr_t>(address) - reinterpret_cast<intptr_t>(nearest->data);
      finding->detail = fmt::format("it has {} bytes", nearest->size);
    }
  }
  // Somewhere else, where it does no harm; zeros, so that what follows is at least the same every time.
  if (spare_.size() < bytes + 64) spare_.resize(bytes + 64);
  std::ranges::fill(spare_, std::byte{0});
  const auto start = reinterpret_cast<uintptr_t>(spare_.data());
  return spare_.data() + ((start + 63) / 64 * 64 - start);
}

void AccessChecker::Fill(Finding& finding, const SimThread& thread, const Region& region, uint64_t offset,
                         uint32_t bytes) const {
  finding.thread = {launch_.BlockAt(block_), launch_.ThreadAt(thread.index)};
  finding.argument = region.argument;
  finding.offset_bytes = static_cast<int64_t>(offset);
  finding.bytes = bytes;
}

void AccessChecker::AddRace(const SimThread& thread, uint32_t site, const Region& region, uint64_t offset,
                            uint32_t bytes, AccessStamp other) {
  const bool shared = region.argument == Finding::kShared;
  Finding* finding =
      findings_.Add(shared ? Check::kSharedRace : Check::kGlobalRace, launch_.kernel->plan, site);
  if (finding == nullptr) return;
  Fill(*finding, thread, region, offset, bytes);
  finding->has_other = true;
  finding->other = {launch_.BlockAt(other.block()), launch_.ThreadAt(other.thread())};
  if (other.block() == block_) finding->detail = "no barrier between them";
}

}  // namespace subfloor::device::sim
