// Who meets whom at a collective.

#include <algorithm>

#include "evaluator/op_functions.h"

namespace subfloor::evaluator {
namespace {

using hlo::CollectiveAttributes;
using hlo::Opcode;

// What the ids in replica_groups and source_target_pairs number.
enum class IdSpace {
  kReplicas,                 // groups of replicas, each partition by itself
  kPartitions,               // groups of partitions, each replica by itself
  kReplicasTimesPartitions,  // groups of replicas, with all their partitions
  kEveryone,                 // replica * partition_count + partition
};

bool HasGlobalFlag(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      return true;
    default:
      return false;
  }
}

Result<IdSpace> IdSpaceOf(const hlo::Instruction& instruction) {
  const auto& attributes = instruction.As<CollectiveAttributes>();
  if (!attributes.channel_id) {
    if (attributes.use_global_device_ids) return BadInput("use_global_device_ids wants a channel_id");
    return IdSpace::kReplicas;
  }
  if (!HasGlobalFlag(instruction.opcode())) return IdSpace::kPartitions;
  return attributes.use_global_device_ids ? IdSpace::kEveryone : IdSpace::kReplicasTimesPartitions;
}

std::vector<int64_t> AllBelow(int64_t count) {
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < count; ++i) ids.push_back(i);
  return ids;
}

}  // namespace

Result<std::vector<std::vector<int64_t>>> CollectiveGroups(const hlo::Instruction& instruction,
                                                           int64_t replica_count, int64_t partition_count) {
  const auto& attributes = instruction.As<CollectiveAttributes>();
  const IdSpace space = SF_TRY(IdSpaceOf(instruction));
  const bool permute = instruction.opcode() == Opcode::kCollectivePermute ||
                       instruction.opcode() == Opcode::kCollectivePermuteStart;
  const int64_t ids = space == IdSpace::kPartitions ? partition_count
                      : space == IdSpace::kEveryone ? replica_count * partition_count
                                                    : replica_count;
  std::vector<std::vector<int64_t>> listed = attributes.replica_groups.groups;
  // A permute has pairs in place of groups: all meet.
  if (listed.empty() || permute) {
    if (!permute && !attributes.replica_groups.text.empty() &&
        attributes.replica_groups.text.starts_with("mesh")) {
      return NotSupported("replica groups given by a mesh; groups of ids would work");
    }
    listed = {AllBelow(ids)};
  }
  std::vector<bool> seen(static_cast<size_t>(ids), false);
  for (const std::vector<int64_t>& group : listed) {
    for (int64_t id : group) {
      if (id < 0 || id >= ids)
        return BadInput("id {} in a replica group; there are {} participants", id, ids);
      if (seen[static_cast<size_t>(id)]) return BadInput("id {} in more than one replica group", id);
      seen[static_cast<size_t>(id)] = true;
    }
  }

  std::vector<std::vector<int64_t>> groups;
  switch (space) {
    case IdSpace::kEveryone:
      groups = listed;
      break;
    case IdSpace::kReplicas:
      for (int64_t partition = 0; partition < partition_count; ++partition) {
        for (const std::vector<int64_t>& group : listed) {
          groups.emplace_back();
          for (int64_t replica : group) groups.back().push_back(replica * partition_count + partition);
        }
      }
      break;
    case IdSpace::kPartitions:
      for (int64_t replica = 0; replica < replica_count; ++replica) {
        for (const std::vector<int64_t>& group : listed) {
          groups.emplace_back();
          for (int64_t partition : group) groups.back().push_back(replica * partition_count + partition);
        }
      }
      break;
    case IdSpace::kReplicasTimesPartitions:
      for (const std::vector<int64_t>& group : listed) {
        groups.emplace_back();
        for (int64_t replica : group) {
          for (int64_t partition = 0; partition < partition_count; ++partition) {
            groups.back().push_back(replica * partition_count + partition);
          }
        }
      }
      break;
  }
  std::erase_if(groups, [](const std::vector<int64_t>& group) { return group.empty(); });
  std::vector<bool> placed(static_cast<size_t>(replica_count * partition_count), false);
  for (const std::vector<int64_t>& group : groups) {
    for (int64_t participant : group) placed[static_cast<size_t>(participant)] = true;
  }
  for (size_t participant = 0; participant < placed.size(); ++participant) {
    if (!placed[participant]) groups.push_back({static_cast<int64_t>(participant)});
  }
  return groups;
}

}  // namespace subfloor::evaluator
