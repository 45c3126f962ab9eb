#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace subfloor::device {

/// The number of CPUs that control groups let a process use, rounded up; nullopt without a quota.
///
/// `membership` is the text of /proc/self/cgroup, `root` where control groups are mounted ("/sys/fs/cgroup").
/// The group and all its ancestors are asked (v2: cpu.max; v1: cpu.cfs_quota_us over cpu.cfs_period_us) and
/// the least wins. Inside a container the group's own path is often not visible; then what is visible of it
/// counts.
std::optional<int> CgroupCpuLimit(std::string_view membership, const std::string& root);

/// Bytes of memory that control groups let a process use, found in the same way (v2: memory.max; v1:
/// memory.limit_in_bytes); nullopt without a limit.
std::optional<int64_t> CgroupMemoryLimit(std::string_view membership, const std::string& root);

/// The text of /proc/self/cgroup; empty where there is none.
std::string OwnCgroups();

/// The bytes of memory that this process may use: its control groups' limit or the machine's RAM.
int64_t UsableMemoryBytes();

}  // namespace subfloor::device
