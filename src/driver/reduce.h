#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/error.h"
#include "hlo/module.h"

namespace subfloor::driver {

/// Answers whether a candidate still shows what is being hunted. Must not change between calls.
using Interesting = std::function<bool(const hlo::Module&)>;

struct ReduceOptions {
  int64_t max_attempts = 5000;  ///< candidates tried, at most
  /// Told of every step forward: instructions left, attempts made; may be empty.
  std::function<void(int64_t instructions, int64_t attempts)> on_progress;
};

/// Makes a module smaller while it stays interesting: cuts it off at an inner value, turns values into
/// parameters or zeros, lets an op give one of its operands, drops unused parameters and computations, until
/// none of that helps any more. Every candidate verifies. Errors: bad input if the module is not interesting
/// to begin with.
Result<std::unique_ptr<hlo::Module>> Reduce(const hlo::Module& module, const Interesting& interesting,
                                            const ReduceOptions& options = {});

}  // namespace subfloor::driver
