#pragma once

#include <cstdint>
#include <string>

#include "hlo/module.h"

namespace subfloor::hlo {

/// 128 bits that stand for a program: what caches and the search for equal kernels compare.
struct Fingerprint {
  uint64_t high = 0, low = 0;
  bool operator==(const Fingerprint&) const = default;
  auto operator<=>(const Fingerprint&) const = default;
  /// 32 hexadecimal digits.
  std::string ToString() const;
};

/// The fingerprint of a module, XXH3 of a canonical form of it.
///
/// Equal for modules that differ in names, metadata, comments, and the textual order of computations and of
/// instructions of unscheduled computations. Everything else that can change results or the executable is in
/// it: opcodes, shapes with layouts, attributes, literals, operand order, which values are shared, parameter
/// numbers, control edges, calls, side effects that the root does not reach, backend configs, frontend
/// attributes, sharding, and the header (entry layout, aliasing, donors, counts, schedule). Instructions
/// without effect that the root does not reach do not count unless the module is scheduled. Linear in the
/// module; no recursion. Threads: reads only.
Fingerprint FingerprintOf(const Module& module);

/// The same for one computation and all that it calls, without any header: equal computations of one module
/// or of two are equal kernels. Schedules count if its module is scheduled.
Fingerprint FingerprintOf(const Computation& computation);

}  // namespace subfloor::hlo
