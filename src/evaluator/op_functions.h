#pragma once

#include <span>
#include <vector>

#include "evaluator/context.h"

/// One function an op family: takes the operands' values and gives the result, of the instruction's shape.
///
/// A module is verified before, so shapes and attributes agree; what depends on values (indices, counts) is
/// never trusted. Errors name no instruction: the caller adds it.
namespace subfloor::evaluator {

using Operands = std::span<const Literal* const>;

/// Evaluates any instruction that needs neither control flow nor other participants: the switch over all ops.
Result<Literal> EvaluateInstruction(Context& context, const hlo::Instruction& instruction, Operands operands);

/// True for the ops at which participants meet (the -start half of those that have one).
bool IsCollective(hlo::Opcode opcode);

#define SUBFLOOR_OP_FUNCTION(NAME) \
  Result<Literal> Evaluate##NAME(Context& context, const hlo::Instruction& instruction, Operands operands)

// elementwise.cc
SUBFLOOR_OP_FUNCTION(Elementwise);
// bitcasts.cc
SUBFLOOR_OP_FUNCTION(BitcastConvert);
SUBFLOOR_OP_FUNCTION(Bitcast);
// movers.cc
SUBFLOOR_OP_FUNCTION(Broadcast);
SUBFLOOR_OP_FUNCTION(Transpose);
SUBFLOOR_OP_FUNCTION(Slice);
SUBFLOOR_OP_FUNCTION(Pad);
SUBFLOOR_OP_FUNCTION(Reverse);
SUBFLOOR_OP_FUNCTION(Concatenate);
SUBFLOOR_OP_FUNCTION(Iota);
SUBFLOOR_OP_FUNCTION(DynamicSlice);
SUBFLOOR_OP_FUNCTION(DynamicUpdateSlice);
// dynamic_shapes.cc
SUBFLOOR_OP_FUNCTION(DynamicReshape);
SUBFLOOR_OP_FUNCTION(GetDimensionSize);
SUBFLOOR_OP_FUNCTION(SetDimensionSize);
// reduce.cc
SUBFLOOR_OP_FUNCTION(Reduce);
SUBFLOOR_OP_FUNCTION(Map);
// custom_call.cc
SUBFLOOR_OP_FUNCTION(CustomCall);

// dot.cc, ragged_dot.cc
SUBFLOOR_OP_FUNCTION(Dot);
SUBFLOOR_OP_FUNCTION(RaggedDot);
SUBFLOOR_OP_FUNCTION(ScaledDot);
// convolution.cc
SUBFLOOR_OP_FUNCTION(Convolution);
// gather_scatter.cc
SUBFLOOR_OP_FUNCTION(Gather);
SUBFLOOR_OP_FUNCTION(Scatter);
// sort.cc
SUBFLOOR_OP_FUNCTION(Sort);
SUBFLOOR_OP_FUNCTION(TopK);
// windows.cc, scan.cc
SUBFLOOR_OP_FUNCTION(ReduceWindow);
SUBFLOOR_OP_FUNCTION(SelectAndScatter);
SUBFLOOR_OP_FUNCTION(Scan);
// fft.cc, linear_algebra.cc
SUBFLOOR_OP_FUNCTION(Fft);
SUBFLOOR_OP_FUNCTION(Cholesky);
SUBFLOOR_OP_FUNCTION(TriangularSolve);
// batch_norm.cc: all three
SUBFLOOR_OP_FUNCTION(BatchNorm);
// random.cc
SUBFLOOR_OP_FUNCTION(Rng);
SUBFLOOR_OP_FUNCTION(RngBitGenerator);
SUBFLOOR_OP_FUNCTION(RngGetAndUpdateState);
// communication.cc: what talks to the host or to itself, and the -done halves
SUBFLOOR_OP_FUNCTION(Infeed);
SUBFLOOR_OP_FUNCTION(Outfeed);
SUBFLOOR_OP_FUNCTION(Send);
SUBFLOOR_OP_FUNCTION(SendDone);
SUBFLOOR_OP_FUNCTION(Recv);
SUBFLOOR_OP_FUNCTION(RecvDone);
SUBFLOOR_OP_FUNCTION(CollectiveDone);  // all-gather-done, all-reduce-done, collective-permute-done

#undef SUBFLOOR_OP_FUNCTION

/// collective_groups.cc. The groups of participants that meet at a collective, each in the order that data
/// takes; a participant is numbered replica * partition_count + partition. A participant in no group stands
/// in a group of its own at the end of the list, so that every one gets a result (zeros for a permute or
/// broadcast).
Result<std::vector<std::vector<int64_t>>> CollectiveGroups(const hlo::Instruction& instruction,
                                                           int64_t replica_count, int64_t partition_count);

/// collectives.cc. Evaluates one group: `operands[m]` are those of participant `group[m]`. Gives one result a
/// member. `context` is the one of the first member; it serves to call the combiner.
Result<std::vector<Literal>> EvaluateCollective(Context& context, const hlo::Instruction& instruction,
                                                std::span<const int64_t> group,
                                                std::span<const std::vector<Literal>> operands);

}  // namespace subfloor::evaluator
