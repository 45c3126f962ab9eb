#include "passes/registry.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/nearest.h"
#include "passes/canonical/canonicalize_convolutions.h"
#include "passes/canonical/canonicalize_dots.h"
#include "passes/canonical/canonicalize_gathers.h"
#include "passes/expand/expanders.h"
#include "passes/expand/lapack_calls.h"
#include "passes/fuse/fuse_instructions.h"
#include "passes/fuse/fuse_siblings.h"
#include "passes/fuse/inline_fusions.h"
#include "passes/fuse/wrap_in_fusions.h"
#include "passes/layout/drop_packing.h"
#include "passes/layout/normalize_layouts.h"
#include "passes/loops/hoist_loop_invariants.h"
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
        {"expand-lapack-calls", ExpandLapackCalls, "makes LAPACK's calls the operations they stand for"},
        {"drop-packing", DropPacking, "takes E(n) out of every layout"},
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

}  // namespace

std::span<const Pass> AllPasses() { return Table(); }

Result<Pass> FindPass(std::string_view name) {
  for (const Pass& pass : Table()) {
    if (pass.name == name) return pass;
  }
  std::vector<std::string_view> names;
  for (const Pass& pass : Table()) names.push_back(pass.name);
  const std::string_view nearest = Nearest(name, names);
  if (nearest.empty()) return BadInput("no pass is called {}; subfloor opt --help lists all", name);
  return BadInput("no pass is called {}; the nearest is {}", name, nearest);
}

}  // namespace subfloor::passes
