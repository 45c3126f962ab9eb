#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "decision/decision.h"
#include "device/description/cpu_description.h"
#include "hlo/module.h"

/// What a pass is, and the one wrapper that runs any of them.
///
/// A pass is a function in a file of its own, `Result<bool> VerbPhrase(hlo::Module&, PassContext&)`: it
/// rewrites the module in place and answers whether it changed anything. Its header says what it takes,
/// gives, and why its place in a pipeline matters. It must leave a module that verifies, keep every result's
/// bits, and take near-linear time.
namespace subfloor::passes {

/// What can be set about passes. Nothing here changes results; all of it may change speed.
struct PassOptions {
  std::vector<std::string> skip;  ///< names of passes not to run
  bool verify = true;             ///< run the verifier after every pass that changed something

  int64_t max_folded_bytes =
      64 << 10;  ///< a folded constant may not be larger than this, nor cost more element steps
  int64_t max_fusion_instructions = 80;     ///< instructions in one fusion body
  int64_t max_unrolled_instructions = 256;  ///< instructions that unrolling one loop may make
};

struct PassTime {
  std::string name;
  std::chrono::nanoseconds elapsed{};
  bool changed = false;
};

/// What a pass may look at besides the module. One context serves one module on one thread.
struct PassContext {
  PassOptions options;
  decision::Log* log = nullptr;  ///< may be null
  device::CpuDescription cpu;
  /// Called after each pass that changed the module, with the pass's name; empty: no dumps.
  std::function<void(std::string_view pass, const hlo::Module& module)> on_change;
  std::vector<PassTime> times;  ///< one entry for each pass that ran, in order
  int64_t skipped = 0;          ///< how many did not, because an option names them
};

using PassFunction = Result<bool> (*)(hlo::Module&, PassContext&);

struct Pass {
  std::string_view name;  ///< "dead-code": what --pass= and PassOptions::skip call it
  PassFunction run = nullptr;
  std::string_view summary;  ///< one line for `subfloor opt --help`
};

/// Runs one pass unless it is skipped by name: times it, verifies the result and dumps it if it changed.
/// Errors: the pass's own; internal, naming the pass, when the verifier rejects what it made.
Result<bool> RunPass(const Pass& pass, hlo::Module& module, PassContext& context);

}  // namespace subfloor::passes
