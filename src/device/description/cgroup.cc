#include "device/description/cgroup.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

namespace subfloor::device {
namespace {

std::optional<double> FirstNumber(const std::string& path) {
  std::ifstream file(path);
  double value;
  if (file >> value) return value;
  return std::nullopt;  // absent, or "max"
}

// v2: "QUOTA PERIOD" or "max PERIOD" in one file.
std::optional<double> QuotaV2(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  double quota, period;
  if (file >> quota >> period && quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

// v1: two files; a quota of -1 means none.
std::optional<double> QuotaV1(const std::string& folder) {
  std::optional<double> quota = FirstNumber(folder + "/cpu.cfs_quota_us");
  std::optional<double> period = FirstNumber(folder + "/cpu.cfs_period_us");
  if (quota && period && *quota > 0 && *period > 0) return *quota / *period;
  return std::nullopt;
}

std::optional<double> MemoryV2(const std::string& folder) { return FirstNumber(folder + "/memory.max"); }
std::optional<double> MemoryV1(const std::string& folder) {
  return FirstNumber(folder + "/memory.limit_in_bytes");
}

bool ListHas(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    size_t comma = list.find(',');
    if (list.substr(0, comma) == word) return true;
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return false;
}

// The least quota of the group at `path` (starting with '/') and of its ancestors.
std::optional<double> LeastOnTheWay(const std::string& mount, std::string path,
                                    std::optional<double> (*quota)(const std::string&)) {
  std::optional<double> least;
  while (true) {
    if (std::optional<double> q = quota(mount + path)) least = least ? std::min(*least, *q) : *q;
    size_t slash = path.rfind('/');
    if (slash == std::string::npos) return least;
    path.resize(slash);
  }
}

// The least limit in any hierarchy that has the controller.
std::optional<double> LeastLimit(std::string_view membership, const std::string& root,
                                 const std::string& controller,
                                 std::optional<double> (*v2)(const std::string&),
                                 std::optional<double> (*v1)(const std::string&)) {
  std::optional<double> least;
  auto take = [&](std::optional<double> q) {
    if (q) least = least ? std::min(*least, *q) : *q;
  };
  // One line a hierarchy: "0::/path" in v2, "4:cpu,cpuacct:/path" in v1.
  while (!membership.empty()) {
    size_t end = membership.find('\n');
    std::string_view line = membership.substr(0, end);
    membership.remove_prefix(end == std::string_view::npos ? membership.size() : end + 1);
    size_t first = line.find(':');
    if (first == std::string_view::npos) continue;
    size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    std::string_view controllers = line.substr(first + 1, second - first - 1);
    std::string path(line.substr(second + 1));
    if (controllers.empty()) {
      take(LeastOnTheWay(root, path, v2));
    } else if (ListHas(controllers, controller)) {
      take(LeastOnTheWay(root + "/" + controller, path, v1));
    }
  }
  return least;
}

}  // namespace

std::optional<int> CgroupCpuLimit(std::string_view membership, const std::string& root) {
  const std::optional<double> least = LeastLimit(membership, root, "cpu", QuotaV2, QuotaV1);
  if (!least) return std::nullopt;
  return std::max(1, static_cast<int>(std::ceil(std::min(*least, 1e6))));
}

std::optional<int64_t> CgroupMemoryLimit(std::string_view membership, const std::string& root) {
  const std::optional<double> least = LeastLimit(membership, root, "memory", MemoryV2, MemoryV1);
  constexpr double kNoLimit = 0x1p62;  // v1 says so by a number near 2^63
  if (!least || *least <= 0 || *least >= kNoLimit) return std::nullopt;
  return static_cast<int64_t>(*least);
}

std::string OwnCgroups() {
  std::ifstream file("/proc/self/cgroup");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int64_t UsableMemoryBytes() {
  const int64_t ram = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  return std::min(ram, CgroupMemoryLimit(OwnCgroups(), "/sys/fs/cgroup").value_or(ram));
}

}  // namespace subfloor::device
