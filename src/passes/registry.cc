#include "passes/registry.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "passes/canonical/canonicalize_convolutions.h"
#include "passes/canonical/canonicalize_dots.h"
#include "passes/canonical/canonicalize_gathers.h"
#include "passes/expand/expanders.h"
#include "passes/fuse/fuse_instructions.h"
#include "passes/fuse/fuse_siblings.h"
#include "passes/fuse/inline_fusions.h"
#include "passes/fuse/wrap_in_fusions.h"
#include "passes/layout/normalize_layouts.h"
#include "passes/loops/simplify_loops.h"
#include "passes/simplify/algebraic.h"
#include "passes/simplify/dead_code.h"
#include "passes/simplify/fold_constants.h"
#include "passes/simplify/inline_calls.h"
#include "passes/simplify/merge_equal.h"
#include "passes/simplify/tuples.h"

namespace subfloor::passes {
namespace {

// One row a pass: name, function, summary. Sorted when first asked for.
const std::vector<Pass>& Table() {
  static const std::vector<Pass>* const kTable = [] {
    auto* table = new std::vector<Pass>{
        {"dead-code", RemoveDeadCode, "removes instructions and computations that nothing needs"},
        {"simplify-algebra", SimplifyAlgebra, "replaces instructions by cheaper ones of equal value"},
        {"canonicalize-dots", CanonicalizeDots, "makes dots stacks of matrix products"},
        {"canonicalize-convolutions", CanonicalizeConvolutions, "makes convolutions channels-last"},
        {"simplify-loops", SimplifyLoops, "makes loops carry less and run less"},
        {"hoist-loop-invariants", HoistLoopInvariants, "moves out of loops what never changes"},
        {"simplify-conditionals", SimplifyConditionals, "picks branches by constant predicates"},
        {"fold-constants", FoldConstants, "computes what has only constants for operands"},
        {"canonicalize-gathers", CanonicalizeGathers,
         "gives gathers and scatters one row of indices a window"},
        {"inline-calls", InlineCalls, "replaces calls by the bodies they call"},
        {"flatten-call-graph", FlattenCallGraph,
         "gives each loop, conditional and fusion its own computations"},
        {"merge-equal", MergeEqualInstructions, "computes equal values once"},
        {"simplify-tuples", SimplifyTuples, "sees through tuples"},
        {"normalize-layouts", NormalizeLayouts, "makes every array row-major"},
        {"inline-fusions", InlineFusions, "replaces fusions by what they hold"},
        {"fuse-instructions", FuseInstructions, "decides what one kernel computes together"},
        {"fuse-siblings", FuseSiblings, "merges kernels of equal loops into one with several results"},
        {"wrap-in-fusions", WrapInFusions, "makes fusions of single ops, bitcasts of reshapes"},
        {"remove-barriers", RemoveBarriers, "drops opt-barriers once rewriting is over"},
    };
    for (const Pass& expander : Expanders()) table->push_back(expander);
    std::ranges::sort(*table, {}, &Pass::name);
    return table;
  }();
  return *kTable;
}

// Number of single-character edits between two names.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t edit = std::min({row[j] + 1, row[j + 1] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = std::exchange(row[j + 1], edit);
    }
  }
  return row.back();
}

}  // namespace

std::span<const Pass> AllPasses() { return Table(); }

Result<Pass> FindPass(std::string_view name) {
  for (const Pass& pass : Table()) {
    if (pass.name == name) return pass;
  }
  const auto nearest = std::ranges::min_element(
      Table(), {}, [&](const Pass& pass) { return EditDistance(name.substr(0, 64), pass.name); });
  return BadInput("no pass is called {}; the nearest is {}", name, nearest->name);
}

}  // namespace subfloor::passes
