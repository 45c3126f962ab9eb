#include "device/sim/access_log.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "device/description/kernel_abi.h"

namespace subfloor::device::sim {
namespace {

constexpr uint64_t kSector = 32, kBanks = 32, kWord = 4;
constexpr uint32_t kMaxLanes = 64;

// Sectors that the lanes' accesses touch, and the least for as many different bytes. Addresses ascend.
void CountSectors(std::span<const uint64_t> addresses, uint64_t bytes, AccessCounters& counters) {
  uint64_t sectors = 0, different = 0, end = 0, next_sector = 0;
  for (uint64_t address : addresses) {
    const uint64_t address_end = address + bytes;
    if (address_end <= end) continue;
    different += address_end - std::max(address, end);
    end = address_end;
    const uint64_t first = std::max(address / kSector, next_sector);
    next_sector = (address_end - 1) / kSector + 1;
    sectors += next_sector - first;
  }
  counters.sectors += sectors;
  counters.ideal_sectors += (different + kSector - 1) / kSector;
}

// Passes for lanes that are served together: the most different words of one bank.
uint64_t PassesOf(std::span<const uint64_t> addresses, uint64_t bytes) {
  std::array<uint64_t, 2 * kMaxLanes> buffer;  // a lane of at most two words, else few lanes
  std::vector<uint64_t> large;
  const uint64_t words_each = (bytes + 2 * kWord - 2) / kWord;
  std::span<uint64_t> words(buffer);
  if (words_each * addresses.size() > buffer.size()) {
    large.resize(words_each * addresses.size());
    words = large;
  }
  size_t count = 0;
  uint32_t banks = 0;
  bool collide = false;
  for (uint64_t address : addresses) {
    for (uint64_t word = address / kWord; word <= (address + bytes - 1) / kWord; ++word) {
      const uint32_t bank = uint32_t{1} << (word % kBanks);
      collide |= (banks & bank) != 0;
      banks |= bank;
      words[count++] = word;
    }
  }
  if (!collide) return 1;
  std::ranges::sort(words.first(count));
  count = static_cast<size_t>(std::unique(words.begin(), words.begin() + static_cast<ptrdiff_t>(count)) -
                              words.begin());
  std::array<uint64_t, kBanks> of_bank = {};
  for (uint64_t word : words.first(count)) ++of_bank[word % kBanks];
  return *std::ranges::max_element(of_bank);
}

// Wide accesses are served in parts of the warp that take one word of each bank.
void CountPasses(std::span<const uint64_t> addresses, uint64_t bytes, AccessCounters& counters) {
  const uint64_t words = std::max<uint64_t>(1, bytes / kWord);
  const uint64_t together = std::clamp<uint64_t>(kBanks / words, 1, kBanks);
  const uint64_t ideal_each = (words + kBanks - 1) / kBanks;
  for (size_t i = 0; i < addresses.size(); i += together) {
    counters.passes += PassesOf(addresses.subspan(i, std::min(together, addresses.size() - i)), bytes);
    counters.ideal_passes += ideal_each;
  }
}

}  // namespace

bool AccessLog::OpenVisit(uint32_t site, uint32_t bytes, uint32_t kind) {
  Site& s = sites_[site];
  if (s.visits == kVisits) {
    ++s.ungrouped;
    return false;
  }
  if (s.visits == 0) {
    touched_.push_back(site);
    s.kind = kind;
    s.bytes = bytes;
  }
  ++s.visits;
  if (s.addresses.size() < size_t{s.visits} * lanes_) s.addresses.resize(size_t{s.visits} * 2 * lanes_);
  return true;
}

void AccessLog::Flush(std::vector<SiteCounters>& counters) {
  std::array<uint64_t, kMaxLanes> active;
  for (uint32_t index : touched_) {
    Site& site = sites_[index];
    if (counters.size() <= index) counters.resize(index + 1);
    counters[index].kind = site.kind;
    AccessCounters& sum = counters[index].accesses;
    for (uint32_t visit = 0; visit < site.visits; ++visit) {
      const uint64_t* row = &site.addresses[size_t{visit} * lanes_];
      uint32_t count = 0;
      bool ascending = true;
      for (uint32_t lane = 0; lane < lanes_; ++lane) {
        if (site.counts[lane] <= visit) continue;
        ascending = ascending && (count == 0 || active[count - 1] <= row[lane]);
        active[count++] = row[lane];
      }
      ++sum.warp_accesses;
      sum.thread_accesses += count;
      const std::span<uint64_t> addresses(active.data(), count);
      if ((site.kind & SUBFLOOR_ACCESS_SHARED) != 0) {
        CountPasses(addresses, site.bytes, sum);
      } else {
        if (!ascending) std::ranges::sort(addresses);
        CountSectors(addresses, site.bytes, sum);
      }
    }
    sum.thread_accesses += site.ungrouped;
    sum.ungrouped += site.ungrouped;
    for (uint32_t lane = 0; lane < lanes_; ++lane) {
      sum.bytes += uint64_t{site.counts[lane]} * site.bytes;
      site.counts[lane] = 0;
    }
    sum.bytes += site.ungrouped * site.bytes;
    site.visits = 0;
    site.ungrouped = 0;
  }
  touched_.clear();
}

}  // namespace subfloor::device::sim
