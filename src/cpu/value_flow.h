#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/error.h"
#include "hlo/module.h"

namespace subfloor::cpu {

using ValueId = int32_t;

/// A span of time, in ticks of the flattened program: two ticks a step, inclusive at both ends.
struct Interval {
  int64_t begin = 0, end = 0;
  bool Overlaps(const Interval& other) const { return begin <= other.end && other.begin <= end; }
};

/// The contents of one leaf between its definition and its last use. Loop state and conditional results have
/// one value with several definitions.
struct Value {
  enum class Kind : uint8_t { kParameter, kConstant, kOp, kState };
  Kind kind = Kind::kOp;
  const hlo::Instruction* instruction = nullptr;  ///< which defines it; for state, the while or conditional
  int64_t leaf = 0;                               ///< of that instruction
  const Shape* shape = nullptr;
  int64_t bytes = 0;
  std::vector<Interval> live;
  /// Bytes may go to somebody else only after this tick. Later than the end of `live` where the last reader
  /// may overwrite the value element by element: one of its results may take these very bytes, but nothing
  /// else may lie across them.
  int64_t busy_until = 0;
  /// Of a parameter: the output leaf that may take over its memory, or -1. Such a parameter ends with its
  /// last reader and may be overwritten from there on; any other stays whole.
  int64_t donated_to = -1;
};

/// `to` must hold what `from` holds when step `at` is reached. A copy, unless both can live in the same
/// bytes.
struct Transfer {
  enum class Place : uint8_t {
    kBefore,     ///< just before `instruction` runs: loop state from its initial value, an operand updated in
                 ///< place
    kEndOfBody,  ///< at the end of `computation`: next loop state, the result of a branch
    kEndOfProgram  ///< into an output of the program
  };
  Place place = Place::kBefore;
  const hlo::Instruction* instruction = nullptr;
  const hlo::Computation* computation = nullptr;
  ValueId from = -1, to = -1;
  int64_t tick = 0;
  bool elided = false;  ///< both live in the same bytes
};

/// Who holds what, when. Made from a module in the compiler's last form: one caller for each computation that
/// is not a fusion body, reducer or comparator; row-major arrays.
struct ValueFlow {
  std::vector<Value> values;
  std::vector<Transfer> transfers;
  absl::flat_hash_map<const hlo::Instruction*, std::vector<ValueId>>
      leaves;  ///< of every scheduled instruction
  absl::flat_hash_map<const hlo::Computation*, std::vector<hlo::Instruction*>> schedule;
  std::vector<ValueId> parameters;  ///< entry parameters, leaves flattened in order
  std::vector<ValueId> outputs;     ///< one state-like value per leaf of the entry root
  int64_t ticks = 0;

  std::span<const ValueId> LeavesOf(const hlo::Instruction* instruction) const {
    return leaves.at(instruction);
  }
};

/// (operand, output leaf) of a fusion that updates operands in place; empty for everything else.
std::vector<std::pair<int64_t, int64_t>> InPlaceOperands(const hlo::Instruction& instruction);

/// What a target's kernels do with their operands' buffers: (operand, output leaf) pairs of an instruction.
struct BufferRules {
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  /// The operand is updated in place: it is the output.
  std::function<Pairs(const hlo::Instruction&)> in_place;
  /// The operand may lie where the output does: each of its elements is read before anybody overwrites it.
  std::function<Pairs(const hlo::Instruction&)> may_overlap;
};

/// Those of the kernels of a CPU.
BufferRules CpuBufferRules();

/// Errors: not supported when control flow nests deeper than runtime::Executable::kMaxNesting.
Result<ValueFlow> AnalyzeValueFlow(const hlo::Module& module, const BufferRules& rules = CpuBufferRules());

}  // namespace subfloor::cpu
