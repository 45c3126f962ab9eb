#include "device/sim/counters.h"

#include "device/description/kernel_abi.h"

namespace subfloor::device::sim {

AccessCounters& AccessCounters::operator+=(const AccessCounters& other) {
  warp_accesses += other.warp_accesses;
  thread_accesses += other.thread_accesses;
  bytes += other.bytes;
  sectors += other.sectors;
  ideal_sectors += other.ideal_sectors;
  passes += other.passes;
  ideal_passes += other.ideal_passes;
  ungrouped += other.ungrouped;
  return *this;
}

AccessCounters KernelCounters::Sum(uint32_t kind) const {
  AccessCounters sum;
  for (const SiteCounters& site : sites) {
    if (site.kind == kind) sum += site.accesses;
  }
  return sum;
}

AccessCounters KernelCounters::GlobalLoads() const { return Sum(SUBFLOOR_ACCESS_LOAD); }

AccessCounters KernelCounters::GlobalStores() const { return Sum(SUBFLOOR_ACCESS_STORE); }

AccessCounters KernelCounters::GlobalAtomics() const {
  AccessCounters sum;
  for (const SiteCounters& site : sites) {
    if ((site.kind & SUBFLOOR_ACCESS_ATOMIC) != 0 && (site.kind & SUBFLOOR_ACCESS_SHARED) == 0)
      sum += site.accesses;
  }
  return sum;
}

AccessCounters KernelCounters::Shared() const {
  AccessCounters sum;
  for (const SiteCounters& site : sites) {
    if ((site.kind & SUBFLOOR_ACCESS_SHARED) != 0) sum += site.accesses;
  }
  return sum;
}

KernelCounters& KernelCounters::operator+=(const KernelCounters& other) {
  launches += other.launches;
  blocks += other.blocks;
  threads += other.threads;
  barriers += other.barriers;
  shuffles += other.shuffles;
  if (sites.size() < other.sites.size()) sites.resize(other.sites.size());
  for (size_t i = 0; i < other.sites.size(); ++i) {
    if (other.sites[i].kind != 0) sites[i].kind = other.sites[i].kind;
    sites[i].accesses += other.sites[i].accesses;
  }
  return *this;
}

}  // namespace subfloor::device::sim
