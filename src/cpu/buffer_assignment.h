#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "cpu/value_flow.h"
#include "decision/decision.h"

namespace subfloor::cpu {

/// Where a value lives.
struct Place {
  enum class Kind : uint8_t { kParameter, kOutput, kConstant, kTemp };
  Kind kind = Kind::kTemp;
  int64_t index = 0;   ///< parameter leaf, output leaf or constant; 0 for temp, which is one arena
  int64_t offset = 0;  ///< bytes from its start
  int64_t bytes = 0;
};

/// Every value's place, the arena's size and what the program needs to run.
struct BufferAssignment {
  std::vector<Place> places;                       ///< by ValueId
  std::vector<const hlo::Instruction*> constants;  ///< (with leaf) in the order of Place::index
  std::vector<int64_t> constant_leaves;
  int64_t temp_bytes = 0;
  int64_t scratch_bytes = 0;  ///< what the neediest kernel works in; set by CountScratch
  int64_t parameter_bytes = 0, output_bytes = 0, constant_bytes = 0;
  int64_t donated_bytes = 0;  ///< of parameters that begin in an output's memory

  /// Bytes in use at the worst moment: caller's buffers, constants, the arena and kernels' scratch. A caller
  /// who donates needs donated_bytes less.
  int64_t peak_bytes() const {
    return temp_bytes + scratch_bytes + parameter_bytes + output_bytes + constant_bytes;
  }
};

/// Elides the transfers whose two ends can share bytes (marks them in `flow`), gives outputs their own
/// buffers, donated parameters those of their outputs, and packs everything else into one arena, largest
/// first, where its lifetime leaves room. Errors: out of resources when the peak exceeds `memory_limit` bytes
/// (0: none), naming the ten largest buffers.
Result<BufferAssignment> AssignBuffers(ValueFlow& flow, int64_t memory_limit, decision::Log* log = nullptr);

/// Adds what `kernel` works in, once its code is made and says so. Kernels run one after the other and share
/// one piece. Errors: out of resources when the peak then exceeds `memory_limit` bytes (0: none), naming the
/// kernel.
Status CountScratch(const hlo::Instruction& kernel, int64_t scratch_bytes, int64_t memory_limit,
                    BufferAssignment& assignment);

}  // namespace subfloor::cpu
