#include "dispatch/emitter_kind.h"

namespace subfloor::dispatch {

std::string_view ToString(EmitterKind kind) {
  switch (kind) {
    case EmitterKind::kLoop:
      return "loop";
    case EmitterKind::kReduction:
      return "reduction";
    case EmitterKind::kTranspose:
      return "transpose";
    case EmitterKind::kConcatenate:
      return "concatenate";
    case EmitterKind::kInPlaceUpdate:
      return "in-place update";
    case EmitterKind::kScatter:
      return "scatter";
    case EmitterKind::kSort:
      return "sort";
  }
  return "loop";
}

}  // namespace subfloor::dispatch
