#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "passes/pass.h"

namespace subfloor::passes {

/// An ordered list of passes, some of them in groups that repeat until nothing changes.
///
///   Pipeline("cpu").Add(kInlineCalls).Repeat("simplify", {kAlgebraic, kDeadCode}).Add(kFuse).Run(module,
///   context);
class Pipeline {
 public:
  /// Rounds after which a repeated group stops even if its last round still changed something.
  static constexpr int kMaxRounds = 8;

  explicit Pipeline(std::string name) : name_(std::move(name)) {}

  Pipeline& Add(const Pass& pass);
  /// The passes in order, again and again, until one whole round changes nothing.
  Pipeline& Repeat(std::string name, std::vector<Pass> passes, int max_rounds = kMaxRounds);

  /// Runs everything. True if any pass changed the module. Errors: the first pass's that fails.
  Result<bool> Run(hlo::Module& module, PassContext& context) const;

  /// The same, and stops after the run of the pass `last` that is its `count`-th, counting from 1. True if it
  /// came to that.
  Result<bool> RunUntil(std::string_view last, int count, hlo::Module& module, PassContext& context) const;

  /// Every pass once, in order, for listing.
  std::vector<Pass> passes() const;
  const std::string& name() const { return name_; }

 private:
  struct Group {
    std::string name;
    std::vector<Pass> passes;
    int max_rounds;
  };
  // Runs until `stop` says so after a pass has run; true if it did.
  template <typename Stop>
  Result<bool> RunGroups(hlo::Module& module, PassContext& context, bool& changed, Stop stop) const;

  std::string name_;
  std::vector<Group> groups_;
};

}  // namespace subfloor::passes
