#pragma once

#include "base/error.h"
#include "codegen/emitters/emission.h"

namespace subfloor::codegen::emitters {

/// What a scatter's dimensions mean, worked out once.
struct ScatterDimensions {
  explicit ScatterDimensions(const hlo::Instruction& scatter);

  std::vector<int64_t> window, places;  ///< dimensions of the updates: of the window, and the others
  std::vector<int64_t> windowed;        ///< dimensions of the operand that the window runs over, in its order
};

/// Where an update's window lands.
struct ScatterTarget {
  bool nowhere = false;  ///< the window fits at no place at all
  Index start;           ///< in the operand; valid where `inside` holds
  mlir::Value inside;    ///< null: it always does
};

/// The window of the updates at `place`, an index over ScatterDimensions::places: a window of which any part
/// is outside is left out whole. Reads the indices. Errors: those of emission.
Result<ScatterTarget> LocateScatter(Emission& emission, Frame& frame, const hlo::Instruction& scatter,
                                    const ScatterDimensions& dimensions, const Index& place);

}  // namespace subfloor::codegen::emitters
