#include "cpu/pipeline.h"

#include "cpu/wrap_unowned.h"
#include "passes/expand/expanders.h"
#include "passes/fuse/fuse_instructions.h"
#include "passes/fuse/inline_fusions.h"
#include "passes/fuse/wrap_in_fusions.h"
#include "passes/layout/normalize_layouts.h"
#include "passes/simplify/dead_code.h"
#include "passes/simplify/inline_calls.h"
#include "passes/simplify/merge_equal.h"
#include "passes/simplify/tuples.h"

namespace subfloor::cpu {
namespace {

using passes::Pass;

const std::vector<Pass> kSimplify = {
    {"simplify-tuples", passes::SimplifyTuples, ""},
    {"merge-equal", passes::MergeEqualInstructions, ""},
    {"dead-code", passes::RemoveDeadCode, ""},
};

}  // namespace

passes::Pipeline MakePipeline() {
  passes::Pipeline pipeline("cpu");
  // Bodies first: what follows looks at values where they are used.
  pipeline.Add({"inline-calls", passes::InlineCalls, ""});
  // The program's own fusions were somebody else's choice; ours are made below.
  pipeline.Add({"inline-fusions", passes::InlineFusions, ""});
  // Row-major everywhere before any pass reasons about what lies next to what.
  pipeline.Add({"normalize-layouts", passes::NormalizeLayouts, ""});
  pipeline.Repeat("clean", kSimplify);
  // What no emitter takes becomes ops that one does; expansion may call, so bodies are inlined once more.
  for (const Pass& expander : passes::Expanders()) pipeline.Add(expander);
  pipeline.Add({"inline-calls", passes::InlineCalls, ""});
  pipeline.Repeat("simplify", kSimplify);
  // One caller for each computation, so that each has buffers of its own.
  pipeline.Add({"flatten-call-graph", passes::FlattenCallGraph, ""});
  // Barriers have done their work: no rewriting follows that they were to stop.
  pipeline.Add({"remove-barriers", passes::RemoveBarriers, ""});
  // Fusion decides on the final shape of the graph.
  pipeline.Add({"fuse-instructions", passes::FuseInstructions, ""});
  // What libraries don't take is known only after canonical forms; it gets a kernel of its own, like every op left.
  pipeline.Add({"wrap-unowned", WrapUnownedOps, "makes fusions of dots and convolutions that no library takes"});
  pipeline.Add({"wrap-in-fusions", passes::WrapInFusions, ""});
  pipeline.Add({"dead-code", passes::RemoveDeadCode, ""});
  return pipeline;
}

}  // namespace subfloor::cpu
