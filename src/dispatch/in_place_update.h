#pragma once

#include <cstdint>
#include <vector>

#include "dispatch/fusion_view.h"

namespace subfloor::dispatch {

/// A dynamic-slice at the start indices of a dynamic-update-slice and as large as its update: it reads the
/// very elements that are overwritten, which is harmless where each is read before its own update.
bool ReadsWhatIsUpdated(const hlo::Instruction& reader, const hlo::Instruction& update);

/// What forbids that one kernel over the update's elements writes into the target's own buffer: no barrier
/// stands between its reads and its writes.
struct InPlaceProblem {
  enum class What : uint8_t {
    kNone,
    kNotAllUpdates,  ///< root `number` is no dynamic-update-slice behind bitcasts
    kReadTwice,  ///< update `number` has `found` readers on the way to the root, or one that is no bitcast
    kTargetComputed,  ///< its target is no parameter
    kOtherSlice,      ///< its target is read at other places
    kOtherUpdate,     ///< its target is updated by another op too
    kTargetMoved,     ///< its target is read by an op that moves elements
    kShapesDiffer     ///< its update has another shape than the first
  };
  What what = What::kNone;
  int64_t number = 0, found = 0;
};

/// Whether the fusion may be emitted in place, each output in the buffer of its update's target; the order is
/// that of the fields of InPlaceProblem. `updates` gets the dynamic-update-slice of each root. Whether those
/// buffers can be one is for buffer assignment to say.
InPlaceProblem WhyNotInPlace(const FusionView& fusion, std::vector<const hlo::Instruction*>& updates);

}  // namespace subfloor::dispatch
