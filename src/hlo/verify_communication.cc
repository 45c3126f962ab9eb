#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "hlo/verify_parts.h"

namespace subfloor::hlo::verify {
namespace {

bool NeedsEqualGroups(Opcode opcode) {
  return opcode == Opcode::kAllGather || opcode == Opcode::kAllGatherStart ||
         opcode == Opcode::kReduceScatter || opcode == Opcode::kAllToAll;
}

// What the ids of a group count.
struct IdSpace {
  std::string_view what;
  int64_t size;
};

IdSpace IdsOf(const Module& module, const Instruction& instruction, const CollectiveAttributes& attributes) {
  const int64_t replicas = module.header().replica_count, partitions = module.header().num_partitions;
  if (!attributes.channel_id) return {"replicas", replicas};
  if (attributes.use_global_device_ids) return {"devices", replicas * partitions};
  switch (instruction.opcode()) {
    case Opcode::kAllToAll:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kRaggedAllToAll:
      return {"partitions", partitions};
    default:
      return {"replicas", replicas};
  }
}

Status CheckGroups(const Module& module, const Instruction& instruction,
                   const CollectiveAttributes& attributes) {
  const std::string_view name = ToString(instruction.opcode());
  if (attributes.use_global_device_ids && !attributes.channel_id) {
    return BadInput("{} has use_global_device_ids without a channel_id", name);
  }
  const IdSpace ids = IdsOf(module, instruction, attributes);
  // A module of one device says nothing about how many there will be.
  const bool counted = module.header().replica_count > 1 || module.header().num_partitions > 1;
  absl::flat_hash_set<int64_t> seen;
  const auto& groups = attributes.replica_groups.groups;
  for (const auto& group : groups) {
    if (NeedsEqualGroups(instruction.opcode()) && group.size() != groups[0].size()) {
      return BadInput("the groups of {} have {} and {} members; it wants equal sizes", name, groups[0].size(),
                      group.size());
    }
    for (int64_t id : group) {
      if (id < 0 || (counted && id >= ids.size)) {
        return BadInput("a group of {} names {}; there are {} {}", name, id, ids.size, ids.what);
      }
      if (!seen.insert(id).second) return BadInput("the groups of {} name {} twice", name, id);
    }
  }
  absl::flat_hash_set<int64_t> sources, targets;
  for (const auto& [source, target] : attributes.source_target_pairs) {
    for (int64_t id : {source, target}) {
      if (id < 0 || (counted && id >= ids.size)) {
        return BadInput("source_target_pairs of {} name {}; there are {} {}", name, id, ids.size, ids.what);
      }
    }
    // The in-place form may send several slices from and to one device.
    if (!attributes.slice_sizes.empty()) continue;
    if (!sources.insert(source).second)
      return BadInput("source_target_pairs of {} name source {} twice", name, source);
    if (!targets.insert(target).second)
      return BadInput("source_target_pairs of {} name target {} twice", name, target);
  }
  return {};
}

// Operations that may share a channel: both ends of a transfer, and both halves of an asynchronous operation.
Opcode ChannelKind(Opcode opcode) {
  switch (opcode) {
    case Opcode::kSendDone:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
      return Opcode::kSend;
    case Opcode::kAllGatherStart:
      return Opcode::kAllGather;
    case Opcode::kAllReduceStart:
      return Opcode::kAllReduce;
    case Opcode::kCollectivePermuteStart:
      return Opcode::kCollectivePermute;
    default:
      return opcode;
  }
}

}  // namespace

Status CheckCommunication(const Module& module, const Instruction& instruction, ChannelUses& channels) {
  OptionalInt channel;
  if (const auto* collective = instruction.TryAs<CollectiveAttributes>()) {
    if (Status status = CheckGroups(module, instruction, *collective); !status)
      return At(instruction, status.error());
    channel = collective->channel_id;
  } else if (const auto* transfer = instruction.TryAs<SendRecvAttributes>()) {
    channel = transfer->channel_id;
  }
  if (!channel) return {};
  if (*channel < 0) {
    return At(instruction,
              Error(ErrorKind::kBadInput, fmt::format("channel_id is {}; it wants 0 or more", *channel)));
  }
  const auto [first, fresh] = channels.try_emplace(*channel, &instruction);
  if (!fresh && ChannelKind(first->second->opcode()) != ChannelKind(instruction.opcode())) {
    return At(instruction,
              Error(ErrorKind::kBadInput, fmt::format("channel_id {} of {} is that of %{}, a {}", *channel,
                                                      ToString(instruction.opcode()), first->second->name(),
                                                      ToString(first->second->opcode()))));
  }
  return {};
}

}  // namespace subfloor::hlo::verify
