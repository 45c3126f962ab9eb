#include "device/sim/finding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace subfloor::device::sim {

std::string_view ToString(Check check) {
  switch (check) {
    case Check::kOutOfBounds:
      return "out of bounds";
    case Check::kRedZone:
      return "red zone changed";
    case Check::kUninitialised:
      return "uninitialised read";
    case Check::kSharedRace:
      return "race in shared memory";
    case Check::kGlobalRace:
      return "race in global memory";
    case Check::kDivergentBarrier:
      return "divergent barrier";
    case Check::kDivergentShuffle:
      return "divergent shuffle";
    case Check::kUndeclaredMeeting:
      return "undeclared barrier or shuffle";
  }
  return "?";
}

namespace {

std::string Place(const ThreadPlace& place) {
  return fmt::format("block ({}) thread ({})", fmt::join(place.block, ","), fmt::join(place.thread, ","));
}

}  // namespace

std::string Finding::ToString() const {
  std::string text = fmt::format("{}: kernel '{}'", device::sim::ToString(check), kernel);
  if (check != Check::kRedZone) text += ", " + Place(thread);
  if (!op.empty()) text += ", " + op;
  if (bytes != 0) text += fmt::format(", {} bytes", bytes);
  if (argument == kShared) text += fmt::format(" at shared memory {:+}", offset_bytes);
  if (argument >= 0) text += fmt::format(" at argument {} {:+}", argument, offset_bytes);
  if (has_other) text += ", against " + Place(other);
  if (!detail.empty()) text += "; " + detail;
  return text;
}

}  // namespace subfloor::device::sim
