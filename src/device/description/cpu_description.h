#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace subfloor::device {

/// What code generation may rely on when it makes code for a CPU.
struct CpuDescription {
  std::string triple = "x86_64-linux-gnu";
  std::string name = "x86-64-v3";     ///< LLVM's -mcpu, for scheduling only
  std::vector<std::string> features;  ///< LLVM's feature names, "avx2", "fma", ...; sorted
  int vector_bits = 256;              ///< widest vector registers worth using
  int64_t l1_bytes = 32 << 10, l2_bytes = 1 << 20, l3_bytes = 32 << 20;
  int cores = 1;  ///< cores this process may use: affinity and cgroup quota

  bool Has(std::string_view feature) const;
  /// "+avx,+avx2,...": what an image made for this CPU relies on.
  std::string FeatureString() const;
};

/// The CPU this process runs on, detected once. Never fails; unknown caches keep their defaults.
const CpuDescription& HostCpu();

/// A CPU by name: "host", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64". Errors: bad input for any other,
/// naming these.
Result<CpuDescription> CpuByName(std::string_view name);

}  // namespace subfloor::device
