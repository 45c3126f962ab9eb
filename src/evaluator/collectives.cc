// What a group of participants does at a collective.

#include <algorithm>

#include "evaluator/combiner.h"
#include "evaluator/index_space.h"
#include "evaluator/op_functions.h"

namespace subfloor::evaluator {
namespace {

using hlo::CollectiveAttributes;
using hlo::Opcode;

// operands[m][i] is operand i of member m; results[m][i] likewise.
using PerMember = std::span<const std::vector<Literal>>;
using Results = std::vector<std::vector<Literal>>;

// The shape of result i, whether the op stands alone or is the start of a pair.
const Shape& ResultShape(const hlo::Instruction& instruction, size_t i, size_t count) {
  const bool start = instruction.opcode() == Opcode::kAllGatherStart ||
                     instruction.opcode() == Opcode::kCollectivePermuteStart;
  const Shape& whole = start ? instruction.shape().tuple_shape(1) : instruction.shape();
  return whole.IsTuple() && (count > 1 || whole.tuple_size() == 1)
             ? whole.tuple_shape(static_cast<int64_t>(i))
             : whole;
}

Result<Literal> Reduced(Context& context, const hlo::Instruction& instruction, PerMember operands, size_t i,
                        const Shape& shape) {
  Combiner combiner = SF_TRY(Combiner::Make(context, *instruction.called(), 1));
  Accumulators sums = combiner.MakeAccumulators(shape.element_count());
  sums.Read(0, 0, sums.count(), operands[0][i], 0);
  for (size_t m = 1; m < operands.size(); ++m) {
    const std::array<const Literal*, 1> values = {&operands[m][i]};
    SF_CHECK(combiner.FoldEach(sums, 0, values, 0, sums.count()));
  }
  Literal result = SF_TRY(Literal::Zeros(shape));
  sums.Write(0, 0, sums.count(), result, 0);
  return result;
}

// `count` slices along a dimension, from `from` of one array to `to` of another.
Status CopySlices(const Literal& source, int64_t from, Literal& target, int64_t to, int64_t count,
                  int64_t dimension) {
  const Slicing in(source.shape(), dimension), out(target.shape(), dimension);
  if (in.outer != out.outer || in.inner != out.inner || from < 0 || to < 0 || count > in.length - from ||
      count > out.length - to) {
    return BadInput("{} slices of {} do not fit {} along dimension {}", count, source.shape().ToString(false),
                    target.shape().ToString(false), dimension);
  }
  const std::byte* read = source.bytes().data() + from * in.inner;
  std::byte* write = target.mutable_bytes().data() + to * out.inner;
  for (int64_t o = 0; o < in.outer; ++o, read += in.length * in.inner, write += out.length * out.inner) {
    std::copy_n(read, count * in.inner, write);
  }
  return {};
}

Result<int64_t> OnlyDimension(const hlo::Instruction& instruction) {
  const auto& dimensions = instruction.As<CollectiveAttributes>().dimensions;
  if (dimensions.size() == 1) return dimensions[0];
  return BadInput("{} with {} dimensions; one is wanted", hlo::ToString(instruction.opcode()),
                  dimensions.size());
}

Result<Results> AllReduce(Context& context, const hlo::Instruction& instruction, PerMember operands) {
  const size_t count = operands[0].size();
  std::vector<Literal> sums;
  for (size_t i = 0; i < count; ++i) {
    sums.push_back(SF_TRY(Reduced(context, instruction, operands, i, ResultShape(instruction, i, count))));
  }
  return Results(operands.size(), sums);
}

Result<Results> ReduceScatter(Context& context, const hlo::Instruction& instruction, PerMember operands) {
  const int64_t dimension = SF_TRY(OnlyDimension(instruction));
  const size_t count = operands[0].size();
  Results results(operands.size());
  for (size_t i = 0; i < count; ++i) {
    const Shape& shape = ResultShape(instruction, i, count);
    const Shape whole = operands[0][i].shape().WithElementType(shape.element_type());
    const Literal sum = SF_TRY(Reduced(context, instruction, operands, i, whole));
    for (size_t m = 0; m < operands.size(); ++m) {
      Literal part = SF_TRY(Literal::Zeros(shape));
      const int64_t length = shape.dimension(dimension);
      SF_CHECK(CopySlices(sum, static_cast<int64_t>(m) * length, part, 0, length, dimension));
      results[m].push_back(std::move(part));
    }
  }
  return results;
}

Result<Results> AllGather(const hlo::Instruction& instruction, PerMember operands) {
  const int64_t dimension = SF_TRY(OnlyDimension(instruction));
  const size_t count = operands[0].size();
  std::vector<Literal> wholes;
  for (size_t i = 0; i < count; ++i) {
    Literal whole = SF_TRY(Literal::Zeros(ResultShape(instruction, i, count)));
    const int64_t length = operands[0][i].shape().dimension(dimension);
    if (whole.shape().dimension(dimension) != length * static_cast<int64_t>(operands.size())) {
      return BadInput("{} parts of {} do not make {}", operands.size(),
                      operands[0][i].shape().ToString(false), whole.shape().ToString(false));
    }
    for (size_t m = 0; m < operands.size(); ++m) {
      SF_CHECK(CopySlices(operands[m][i], 0, whole, static_cast<int64_t>(m) * length, length, dimension));
    }
    wholes.push_back(std::move(whole));
  }
  return Results(operands.size(), wholes);
}

// Member m gets part m of every member, in the group's order.
Result<Results> AllToAll(const hlo::Instruction& instruction, PerMember operands) {
  const size_t members = operands.size();
  Results results(members);
  if (instruction.As<CollectiveAttributes>().dimensions.empty()) {
    if (operands[0].size() != members) {
      return BadInput("all-to-all of {} operands among {} participants", operands[0].size(), members);
    }
    for (size_t m = 0; m < members; ++m) {
      for (size_t from = 0; from < members; ++from) results[m].push_back(operands[from][m]);
    }
    return results;
  }
  const int64_t dimension = SF_TRY(OnlyDimension(instruction));
  const Shape& shape = ResultShape(instruction, 0, 1);
  const int64_t length = operands[0][0].shape().dimension(dimension) / static_cast<int64_t>(members);
  if (length * static_cast<int64_t>(members) != operands[0][0].shape().dimension(dimension)) {
    return BadInput("dimension {} of {} among {} participants", dimension,
                    operands[0][0].shape().ToString(false), members);
  }
  for (size_t m = 0; m < members; ++m) {
    Literal result = SF_TRY(Literal::Zeros(shape));
    for (size_t from = 0; from < members; ++from) {
      SF_CHECK(CopySlices(operands[from][0], static_cast<int64_t>(m) * length, result,
                          static_cast<int64_t>(from) * length, length, dimension));
    }
    results[m].push_back(std::move(result));
  }
  return results;
}

Result<Results> Permute(const hlo::Instruction& instruction, PerMember operands) {
  const auto& attributes = instruction.As<CollectiveAttributes>();
  if (!attributes.slice_sizes.empty()) {
    return NotSupported(
        "collective-permute in place; one without slice_sizes, then dynamic-update-slice, would work");
  }
  const size_t count = operands[0].size();
  const auto members = static_cast<int64_t>(operands.size());
  std::vector<Literal> zeros;
  for (size_t i = 0; i < count; ++i)
    zeros.push_back(SF_TRY(Literal::Zeros(ResultShape(instruction, i, count))));
  Results results(operands.size(), zeros);
  // The group holds every id in order.
  for (const auto& [source, target] : attributes.source_target_pairs) {
    if (source < 0 || source >= members || target < 0 || target >= members) {
      return BadInput("pair {{{},{}}} among {} participants", source, target, members);
    }
    results[static_cast<size_t>(target)] = operands[static_cast<size_t>(source)];
  }
  return results;
}

// Who stands in no group gets zeros.
Result<Results> Broadcast(const hlo::Instruction& instruction, PerMember operands, bool listed) {
  if (instruction.As<CollectiveAttributes>().has_dynamic_root) {
    return NotSupported(
        "collective-broadcast from a root known only at run time; a fixed first id would work");
  }
  if (listed) return Results(operands.size(), operands[0]);
  std::vector<Literal> zeros;
  for (const Literal& operand : operands[0]) zeros.push_back(SF_TRY(Literal::Zeros(operand.shape())));
  return Results{std::move(zeros)};
}

// Operands: input, output, input offsets, send sizes, output offsets, receive sizes; all in rows of dimension
// 0. The list of each member has one or more updates for every peer, peers in the group's order; output
// offsets are the receiver's.
Result<Results> RaggedAllToAll(PerMember operands) {
  const auto members = static_cast<int64_t>(operands.size());
  Results results;
  for (const std::vector<Literal>& own : operands) results.push_back({own[1]});
  for (const std::vector<Literal>& own : operands) {
    const int64_t updates = own[3].shape().element_count();
    if (updates % members != 0)
      return BadInput("ragged-all-to-all with {} updates for {} participants", updates, members);
    for (int64_t update = 0; update < updates; ++update) {
      Literal& target = results[static_cast<size_t>(update / (updates / members))][0];
      const int64_t from = IndexValue(own[2], update), to = IndexValue(own[4], update);
      const int64_t rows_in = own[0].shape().dimension(0), rows_out = target.shape().dimension(0);
      if (from < 0 || from > rows_in || to < 0 || to > rows_out) continue;
      // Rows that do not exist are neither read nor written.
      const int64_t rows = std::min({IndexValue(own[3], update), rows_in - from, rows_out - to});
      if (rows > 0) SF_CHECK(CopySlices(own[0], from, target, to, rows, 0));
    }
  }
  return results;
}

// True if replica_groups (or its absence) puts the participant into a group.
bool IsListed(const hlo::Instruction& instruction, std::span<const int64_t> group, const Context& context) {
  const auto& attributes = instruction.As<CollectiveAttributes>();
  if (attributes.replica_groups.groups.empty()) return true;
  const int64_t id =
      attributes.channel_id ? group[0] % context.partition_count() : group[0] / context.partition_count();
  return std::ranges::any_of(attributes.replica_groups.groups,
                             [id](const std::vector<int64_t>& listed) { return Contains(listed, id); });
}

Literal TupleUnlessOne(std::vector<Literal> parts, bool tuple) {
  return tuple ? Literal::Tuple(std::move(parts)) : std::move(parts[0]);
}

}  // namespace

Result<std::vector<Literal>> EvaluateCollective(Context& context, const hlo::Instruction& instruction,
                                                std::span<const int64_t> group,
                                                std::span<const std::vector<Literal>> operands) {
  Results results;
  switch (instruction.opcode()) {
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
      results = SF_TRY(AllReduce(context, instruction, operands));
      break;
    case Opcode::kReduceScatter:
      results = SF_TRY(ReduceScatter(context, instruction, operands));
      break;
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
      results = SF_TRY(AllGather(instruction, operands));
      break;
    case Opcode::kAllToAll:
      results = SF_TRY(AllToAll(instruction, operands));
      break;
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
      results = SF_TRY(Permute(instruction, operands));
      break;
    case Opcode::kCollectiveBroadcast:
      results = SF_TRY(Broadcast(instruction, operands, IsListed(instruction, group, context)));
      break;
    case Opcode::kRaggedAllToAll:
      results = SF_TRY(RaggedAllToAll(operands));
      break;
    default:
      return InternalError("{} is no collective", hlo::ToString(instruction.opcode()));
  }

  std::vector<Literal> values;
  for (size_t m = 0; m < results.size(); ++m) {
    const bool start = instruction.opcode() == Opcode::kAllGatherStart ||
                       instruction.opcode() == Opcode::kCollectivePermuteStart;
    if (!start) {
      values.push_back(TupleUnlessOne(std::move(results[m]), instruction.shape().IsTuple()));
      continue;
    }
    // (operands, results, contexts...)
    const Shape& shape = instruction.shape();
    std::vector<Literal> parts;
    parts.push_back(TupleUnlessOne(operands[m], shape.tuple_shape(0).IsTuple()));
    parts.push_back(TupleUnlessOne(std::move(results[m]), shape.tuple_shape(1).IsTuple()));
    for (int64_t i = 2; i < shape.tuple_size(); ++i)
      parts.push_back(SF_TRY(Literal::Zeros(shape.tuple_shape(i))));
    values.push_back(Literal::Tuple(std::move(parts)));
  }
  return values;
}

}  // namespace subfloor::evaluator
