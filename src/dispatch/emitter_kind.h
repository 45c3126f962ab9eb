#pragma once

#include <cstdint>
#include <string_view>

namespace subfloor::dispatch {

/// Who writes a fusion's kernel.
enum class EmitterKind : uint8_t {
  kLoop,
  kReduction,
  kTranspose,
  kConcatenate,
  kInPlaceUpdate,
  kScatter,
  kSort
};

std::string_view ToString(EmitterKind kind);

}  // namespace subfloor::dispatch
