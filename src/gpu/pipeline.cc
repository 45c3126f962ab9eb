#include "gpu/pipeline.h"

#include <initializer_list>
#include <string_view>
#include <vector>

#include "gpu/free_scatter_operands.h"
#include "gpu/wrap_for_device.h"
#include "passes/expand/expanders.h"
#include "passes/registry.h"

namespace subfloor::gpu {
namespace {

using passes::Pass;

// A pass of the registry. Names here are checked by a test of the pipeline.
std::vector<Pass> Named(std::initializer_list<std::string_view> names) {
  std::vector<Pass> passes;
  for (std::string_view name : names) {
    const Result<Pass> pass = passes::FindPass(name);
    passes.push_back(pass ? *pass : Pass{name, nullptr, ""});
  }
  return passes;
}

void AddAll(passes::Pipeline& pipeline, const std::vector<Pass>& passes) {
  for (const Pass& pass : passes) pipeline.Add(pass);
}

constexpr Pass kWrapEntry = {"wrap-entry", WrapEntry, "makes one fusion of all that the entry computes"};
constexpr Pass kFreeScatterOperands = {"free-scatter-operands", FreeScatterOperands,
                                       "gives scatters operands of their own to update"};
constexpr Pass kWrapProducts = {"wrap-products", WrapProducts,
                                "makes fusions of dots and convolutions: no library runs on the device"};

}  // namespace

passes::Pipeline MakePipeline(Fusing fusing) {
  passes::Pipeline pipeline("gpu");
  AddAll(pipeline, Named({"drop-packing"}));
  if (fusing == Fusing::kOneBody) {
    // Bytes as the caller lays them out, and nothing else: what was fused is what is looked at.
    AddAll(pipeline, Named({"normalize-layouts"}));
    return pipeline.Add(kWrapEntry).Add(kFreeScatterOperands);
  }
  // Bodies first: what follows looks at values where they are used.
  AddAll(pipeline, Named({"inline-calls", "expand-lapack-calls"}));
  // Row-major everywhere before any pass reasons about what lies next to what.
  AddAll(pipeline, Named({"normalize-layouts"}));
  // The program's own fusions were somebody else's choice.
  if (fusing == Fusing::kOurs) AddAll(pipeline, Named({"inline-fusions"}));
  // What no emitter takes becomes ops that one does; some expansions leave calls behind.
  for (const Pass& expander : passes::Expanders()) pipeline.Add(expander);
  AddAll(pipeline, Named({"inline-calls", "flatten-call-graph"}));
  const std::vector<Pass> simplify =
      Named({"simplify-algebra", "fold-constants", "merge-equal", "simplify-tuples", "simplify-conditionals",
             "simplify-loops", "dead-code"});
  if (fusing == Fusing::kOurs) pipeline.Repeat("simplify", simplify);
  // Scatters and gathers get the one form that emitters take; what that moves around is simplified again.
  AddAll(pipeline, Named({"canonicalize-gathers"}));
  if (fusing == Fusing::kOurs) {
    AddAll(pipeline, Named({"hoist-loop-invariants"}));
    pipeline.Repeat("simplify-canonical", simplify);
  }
  // Barriers have done their work: what follows moves nothing across them.
  AddAll(pipeline, Named({"remove-barriers", "dead-code"}));
  // Fusion decides on the final shape of the graph.
  if (fusing == Fusing::kOurs) AddAll(pipeline, Named({"merge-equal", "fuse-instructions", "dead-code"}));
  pipeline.Add(kWrapProducts);
  AddAll(pipeline, Named({"wrap-in-fusions"}));
  if (fusing == Fusing::kOurs) AddAll(pipeline, Named({"fuse-siblings"}));
  AddAll(pipeline, Named({"dead-code"}));
  pipeline.Add(kFreeScatterOperands);
  return pipeline;
}

}  // namespace subfloor::gpu
