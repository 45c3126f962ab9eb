#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"

namespace subfloor::device {

enum class Vendor : uint8_t { kNvidia, kAmd };

/// What an NVIDIA GPU executes: "sm_90a" is {9, 0, kArchitecture}.
struct CudaCapability {
  /// kFamily ("100f") and kArchitecture ("90a") open instructions that later chips do not have: code for them
  /// runs on the family, or on this very architecture, alone.
  enum class Feature : uint8_t { kNone, kFamily, kArchitecture };
  int major = 0, minor = 0;
  Feature feature = Feature::kNone;

  /// Every instruction of `major`.`minor` without suffix may be used.
  bool AtLeast(int at_major, int at_minor = 0) const {
    return major > at_major || (major == at_major && minor >= at_minor);
  }
  bool operator==(const CudaCapability&) const = default;
};

/// What an AMD GPU executes: "gfx90a:sramecc+:xnack-".
struct AmdCapability {
  enum class Setting : uint8_t { kAny, kOff, kOn };
  std::string arch;  ///< "gfx942"
  Setting sramecc = Setting::kAny, xnack = Setting::kAny;
  bool operator==(const AmdCapability&) const = default;
};

/// An exact capability, as its text says it. Two devices with equal capabilities run the same code images.
using Capability = std::variant<CudaCapability, AmdCapability>;

/// Reads "sm_80", "sm_90a", "sm_100f", "gfx942", "gfx90a:sramecc+:xnack-". Errors: bad input.
Result<Capability> ParseCapability(std::string_view text);
std::string ToString(const Capability& capability);

/// Everything a decision may ask of a GPU. A pass asks this object, never for a chip's name.
///
/// A description that ParseDeviceDescription gave is usable by every launch plan: its limits are positive, a
/// warp has 32 or 64 threads, a block may have 1024 and at least 16 KiB of shared memory.
struct DeviceDescription {
  std::string name;   ///< what --target calls it; for people
  std::string model;  ///< the product; for people
  Capability capability;

  int64_t threads_per_warp = 32;
  int64_t threads_per_block_limit = 1024;
  int64_t threads_per_core_limit = 2048;
  int64_t blocks_per_core_limit = 32;
  std::array<int64_t, 3> block_limit = {};  ///< threads of a block along x, y, z
  std::array<int64_t, 3> grid_limit = {};   ///< blocks of a grid along x, y, z
  int64_t grid_threads_limit = 0;           ///< blocks times threads along one dimension
  int64_t core_count = 1;                   ///< streaming multiprocessors, compute units
  int64_t fpus_per_core = 1;

  int64_t shared_per_block_bytes = 0;                       ///< what a kernel gets without asking
  int64_t shared_per_block_optin_bytes = 0;                 ///< the most it gets when it asks
  int64_t shared_per_core_bytes = 0;                        ///< of all blocks that live on a core together
  int64_t shared_reserved_per_block_bytes = 0;              ///< taken by the system from what the core has
  int64_t registers_per_block = 0, registers_per_core = 0;  ///< of 32 bits

  int64_t vector_access_bits = 128;  ///< widest load or store of one thread
  int64_t l2_bytes = 0, memory_bytes = 0, memory_bandwidth_bytes_per_second = 0;
  double clock_ghz = 0;

  Vendor vendor() const {
    return std::holds_alternative<CudaCapability>(capability) ? Vendor::kNvidia : Vendor::kAmd;
  }
  bool operator==(const DeviceDescription&) const = default;
};

/// Reads a description from text: a line `key: value` for every key, in any order; `#` begins a comment,
/// empty lines are skipped. Keys carry their units; docs/devices.md lists them. `aliases` alone may be left
/// out. Errors: bad input at the line for a key unknown (naming the nearest), twice, or with an unfit value;
/// for the keys that are missing.
Result<DeviceDescription> ParseDeviceDescription(std::string_view text, std::string_view file);
/// The text that gives this description when parsed.
std::string Print(const DeviceDescription& description);

/// The names under which Subfloor knows devices by itself ("h100", "mi300", ...), sorted.
std::vector<std::string_view> KnownDevices();
/// One of these, or by an alias its text gives; case, `-` and `_` do not matter. Errors: bad input, naming
/// the nearest and all.
Result<DeviceDescription> DeviceByName(std::string_view name);

}  // namespace subfloor::device
