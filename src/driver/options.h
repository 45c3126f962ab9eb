#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"

namespace subfloor::driver {

/// Everything that a user sets, with its default. One registry (options.cc) describes each. Besides there are
/// only the environment variables of docs/env_vars.md, which serve development.
struct Options {
  std::string cpu = "host";
  int64_t threads = 0;
  int64_t memory_limit = 0;
  int64_t rng_seed = 0;
  bool verify_passes = false;
  bool deterministic = false;
  std::string skip_passes;
  int64_t max_fusion_instructions = 80;
  int64_t max_folded_bytes = 64 << 10;
  int64_t max_unrolled_instructions = 256;
  std::string reproducer_dir;

  /// What `threads` comes to on this machine.
  int ThreadCount() const;
};

/// What an option can change: results' bits, only speed, or only what is checked and shown. The first two are
/// part of a cache key.
enum class Effect : uint8_t { kResults, kSpeed, kDiagnosis };

struct OptionInfo {
  std::string_view name;
  std::variant<int64_t Options::*, bool Options::*, std::string Options::*> member;
  Effect effect;
  std::string_view help;
  int64_t least = 0;  ///< of a number
};

/// Errors: bad input for an unknown name, naming the nearest.
Result<const OptionInfo*> FindOption(std::string_view name);

/// Sets one option from text. Errors: those of FindOption; bad input for a value of the wrong type or too
/// small.
Status SetOption(Options& options, std::string_view name, std::string_view value);

/// A table of names, effects, values and help, one option a line: of those called `names`, or of all if there
/// are none. Errors: those of FindOption.
Result<std::string> DescribeOptions(const Options& options, std::span<const std::string> names = {});

/// " --set name=value" for every option that is not as by default.
std::string ChangedOptions(const Options& options);

}  // namespace subfloor::driver
