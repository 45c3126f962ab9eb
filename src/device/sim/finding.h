#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace subfloor::device::sim {

enum class Check : uint8_t {
  kOutOfBounds,        ///< an access outside of every argument, or of the one that the site may access
  kRedZone,            ///< the memory around an allocation was changed
  kUninitialised,      ///< a read of bytes that were never written
  kSharedRace,         ///< two accesses of one block's threads, one writes, no barrier between them
  kGlobalRace,         ///< likewise, or of threads of two blocks
  kDivergentBarrier,   ///< threads wait at a barrier which others of the block will not reach
  kDivergentShuffle,   ///< lanes shuffle while others of the warp do not
  kUndeclaredMeeting,  ///< a barrier or shuffle in a kernel whose plan says that it has none
};

std::string_view ToString(Check check);

struct ThreadPlace {
  std::array<uint64_t, 3> block = {}, thread = {};
};

/// One fault of a kernel.
struct Finding {
  static constexpr int kShared = -1, kNowhere = -2;

  Check check = Check::kOutOfBounds;
  std::string kernel;
  ThreadPlace thread;        ///< who did it; meaningless for red zones, which are seen after the run
  int argument = kNowhere;   ///< number of the argument, or kShared
  int64_t offset_bytes = 0;  ///< from the start of the argument; outside of it for red zones
  uint32_t bytes = 0;        ///< of the access
  uint32_t site = 0;         ///< its number, where there is one
  std::string op;            ///< "load of %x (model.hlo:7:3)"
  bool has_other = false;    ///< races and divergence: the thread on the other side
  ThreadPlace other;         ///< one of them
  std::string detail;        ///< what more is known

  /// One line: check, kernel, thread, address, op.
  std::string ToString() const;
};

/// The findings of one check at one site.
struct FindingGroup {
  Check check = Check::kOutOfBounds;
  std::string kernel;
  uint32_t site = 0;
  uint64_t count = 0;
  std::vector<Finding> first;  ///< at most SimOptions::findings_kept_of_each
};

}  // namespace subfloor::device::sim
