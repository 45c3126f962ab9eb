#include "passes/expand/lone_collectives.h"

#include <algorithm>

#include "passes/expand/replace.h"

namespace subfloor::passes {
namespace {

using hlo::Builder;
using hlo::CollectiveAttributes;
using hlo::Instruction;
using hlo::Opcode;

// Everyone listed is alone in a group, or there is one device and the list is empty or of that one.
bool IsAlone(const hlo::Module& module, const CollectiveAttributes& attributes) {
  const auto& groups = attributes.replica_groups.groups;
  if (groups.empty() && !attributes.replica_groups.text.empty() && attributes.replica_groups.text != "{}")
    return false;
  if (module.header().replica_count == 1 && module.header().num_partitions == 1) {
    return groups.empty() || (groups.size() == 1 && groups[0].size() == 1);
  }
  // With a channel and no global ids, a group of replicas spans all partitions.
  if (attributes.channel_id && !attributes.use_global_device_ids && module.header().num_partitions > 1)
    return false;
  return !groups.empty() && std::ranges::all_of(groups, [](const auto& group) { return group.size() == 1; });
}

Instruction* OneOrTuple(Builder& b, std::vector<Instruction*> values) {
  return values.size() == 1 ? values[0] : b.Tuple(values);
}

Instruction* Zeros(Builder& b, const Shape& shape) {
  if (!shape.IsTuple()) return b.Full(shape, 0);
  std::vector<Instruction*> elements;
  for (const Shape& element : shape.tuple_shapes()) elements.push_back(b.Full(element, 0));
  return b.Tuple(elements);
}

// What the operation's result is on a device that is alone; nullptr if it is not known.
Instruction* Alone(Builder& b, Instruction& op) {
  const auto& attributes = op.As<CollectiveAttributes>();
  switch (op.opcode()) {
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllGather:
    case Opcode::kReduceScatter:
      return OneOrTuple(b, op.operands());
    case Opcode::kAllToAll:
      return op.shape().IsTuple() ? b.Tuple(op.operands()) : op.operand(0);
    case Opcode::kCollectiveBroadcast: {
      std::vector<Instruction*> values = op.operands();
      if (attributes.has_dynamic_root) values.pop_back();
      return OneOrTuple(b, values);
    }
    case Opcode::kAllGatherStart: {
      Instruction* values = OneOrTuple(b, op.operands());
      return op.shape().tuple_size() == 2 ? b.Tuple({values, values}) : nullptr;
    }
    default:
      return nullptr;
  }
}

// Device 0 gets what it sends itself, or zeros.
Instruction* Permuted(Builder& b, Instruction& op) {
  const auto& attributes = op.As<CollectiveAttributes>();
  if (!attributes.slice_sizes.empty()) return nullptr;
  const bool sent =
      std::ranges::any_of(attributes.source_target_pairs, [](const auto& pair) { return pair.second == 0; });
  if (op.opcode() == Opcode::kCollectivePermute)
    return sent ? OneOrTuple(b, op.operands()) : Zeros(b, op.shape());
  Instruction* values = OneOrTuple(b, op.operands());
  std::vector<Instruction*> parts = {values, sent ? values : Zeros(b, op.shape().tuple_shape(1))};
  for (int64_t i = 2; i < op.shape().tuple_size(); ++i) parts.push_back(b.Full(op.shape().tuple_shape(i), 0));
  return b.Tuple(parts);
}

bool IsDone(Opcode opcode) {
  return opcode == Opcode::kAllGatherDone || opcode == Opcode::kAllReduceDone ||
         opcode == Opcode::kCollectivePermuteDone;
}

}  // namespace

Result<bool> ExpandLoneCollectives(hlo::Module& module, PassContext& context) {
  const bool one_device = module.header().replica_count == 1 && module.header().num_partitions == 1;
  const auto wanted = [&](const Instruction& op) {
    if (op.opcode() == Opcode::kReplicaId) return module.header().replica_count == 1;
    if (op.opcode() == Opcode::kPartitionId) return module.header().num_partitions == 1;
    if (op.opcode() == Opcode::kCollectivePermute || op.opcode() == Opcode::kCollectivePermuteStart)
      return one_device;
    const auto* attributes = op.TryAs<CollectiveAttributes>();
    return IsDone(op.opcode()) || (attributes != nullptr && IsAlone(module, *attributes));
  };
  return ReplaceEach(module, wanted, [](Builder& b, Instruction& op) -> Result<Instruction*> {
    switch (op.opcode()) {
      case Opcode::kReplicaId:
      case Opcode::kPartitionId:
        return b.ScalarInt(ElementType::kU32, 0);
      case Opcode::kCollectivePermute:
      case Opcode::kCollectivePermuteStart:
        return Permuted(b, op);
      case Opcode::kAllReduceDone:
        return op.operand(0)->opcode() == Opcode::kAllReduceStart ? nullptr : op.operand(0);
      case Opcode::kAllGatherDone:
      case Opcode::kCollectivePermuteDone:
        // The first half has been replaced by a tuple, or has company.
        return op.operand(0)->opcode() == Opcode::kTuple ? op.operand(0)->operand(1) : nullptr;
      default:
        return Alone(b, op);
    }
  });
}

}  // namespace subfloor::passes
