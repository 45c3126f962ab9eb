#include "cpu/pipeline.h"

#include "cpu/wrap_unowned.h"
#include "passes/expand/expanders.h"
#include "passes/registry.h"

namespace subfloor::cpu {
namespace {

using passes::Pass;

// A pass of the registry. Names here are checked by a test of the pipeline.
Pass Named(std::string_view name) {
  const Result<Pass> pass = passes::FindPass(name);
  return pass ? *pass : Pass{name, nullptr, ""};
}

std::vector<Pass> Named(std::initializer_list<std::string_view> names) {
  std::vector<Pass> passes;
  for (std::string_view name : names) passes.push_back(Named(name));
  return passes;
}

}  // namespace

passes::Pipeline MakePipeline() {
  const std::vector<Pass> simplify =
      Named({"simplify-algebra", "fold-constants", "merge-equal", "simplify-tuples", "simplify-conditionals",
             "simplify-loops", "dead-code"});
  passes::Pipeline pipeline("cpu");
  // How a device would pack narrow elements is no business of a CPU's.
  pipeline.Add(Named("drop-packing"));
  // Bodies first: what follows looks at values where they are used.
  pipeline.Add(Named("inline-calls"));
  // Calls of matrices as the program means them, before layouts change what those are.
  pipeline.Add(Named("expand-lapack-calls"));
  // Row-major everywhere before any pass reasons about what lies next to what.
  pipeline.Add(Named("normalize-layouts"));
  // The program's own fusions were somebody else's choice; ours are made below.
  pipeline.Add(Named("inline-fusions"));
  // What no emitter takes becomes ops that one does; some expansions leave calls behind.
  for (const Pass& expander : passes::Expanders()) pipeline.Add(expander);
  pipeline.Add(Named("inline-calls"));
  // One caller for each computation: a loop that shares its body with another is not simplified, and each
  // needs buffers of its own in the end.
  pipeline.Add(Named("flatten-call-graph"));
  pipeline.Repeat("simplify", simplify);
  // Forms that libraries take; what they move around is simplified again.
  pipeline.Add(Named("canonicalize-dots"));
  pipeline.Add(Named("canonicalize-convolutions"));
  pipeline.Add(Named("canonicalize-gathers"));
  pipeline.Add(Named("hoist-loop-invariants"));
  pipeline.Repeat("simplify-canonical", simplify);
  // Barriers have done their work: what follows moves nothing across them.
  pipeline.Add(Named("remove-barriers"));
  pipeline.Add(Named("merge-equal"));
  pipeline.Add(Named("dead-code"));
  // Fusion decides on the final shape of the graph.
  pipeline.Add(Named("fuse-instructions"));
  pipeline.Add(Named("dead-code"));
  // What libraries don't take is known only after canonical forms; it gets a kernel of its own, like every op
  // left.
  pipeline.Add(
      {"wrap-unowned", WrapUnownedOps, "makes fusions of dots and convolutions that no library takes"});
  pipeline.Add(Named("wrap-in-fusions"));
  // Kernels that read the same and are alike in shape become one.
  pipeline.Add(Named("fuse-siblings"));
  pipeline.Add(Named("dead-code"));
  return pipeline;
}

}  // namespace subfloor::cpu
