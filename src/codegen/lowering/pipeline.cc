#include "codegen/lowering/pipeline.h"

#include "codegen/lowering/context.h"
#include "codegen/lowering/lower_kernels.h"
#include "codegen/lowering/lower_to_llvm.h"
#include "codegen/lowering/outline_large_blocks.h"
#include "codegen/run_lowering.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace subfloor::codegen {
namespace {

struct Step {
  const char* name;
  std::unique_ptr<mlir::Pass> (*make)();
};

const Step kSteps[] = {
    // Address arithmetic is emitted afresh wherever it is needed; merging it first keeps every later pass
    // short.
    {"cse", [] { return mlir::createCSEPass(); }},
    // While loops and conditions are still structured: kernels become functions whose buffers are plain
    // pointers.
    {"lower-kernels", [] { return LowerKernelsPass(); }},
    // Where values are plain and loops are still whole: what is too much for LLVM in one function becomes
    // several.
    {"outline-large-blocks", [] { return OutlineLargeBlocksPass(); }},
    // Before the last step, which knows blocks and branches only.
    {"scf-to-cf", [] { return mlir::createSCFToControlFlowPass(); }},
    {"lower-to-llvm", [] { return LowerToLlvmPass(); }},
};

std::string Print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out);
  return text;
}

// What the emitters made is verified here, and what LLVM gets is verified in target/. Verifying between the
// steps as well would cost a third of their time: that is done where somebody looks at the stages.
Status RunSteps(mlir::ModuleOp module, std::string_view last, const DumpFunction& dump, bool verify_steps) {
  DiagnosticText said(module.getContext());
  const std::string name = module.getName().value_or("module").str();
  if (dump) dump("dialect", name, Print(module));
  if (mlir::failed(mlir::verify(module)))
    return InternalError("module {} is not valid: {}", name, said.text());
  for (const Step& step : kSteps) {
    mlir::PassManager passes(module.getContext());
    passes.enableVerifier(verify_steps);
    passes.addPass(step.make());
    if (mlir::failed(passes.run(module))) {
      return InternalError("pass {} failed on module {}: {}", step.name, name, said.text());
    }
    if (dump) dump(step.name, name, Print(module));
    if (last == step.name) break;
  }
  return {};
}

}  // namespace

std::vector<std::string> LoweringPassNames() {
  std::vector<std::string> names;
  for (const Step& step : kSteps) names.emplace_back(step.name);
  return names;
}

Status Lower(mlir::ModuleOp module, const DumpFunction& dump) {
  return RunSteps(module, "all", dump, /*verify_steps=*/dump != nullptr);
}

Result<std::string> RunLowering(std::string_view text, std::string_view last, std::string_view name) {
  bool known = last.empty() || last == "all";
  for (const Step& step : kSteps) known |= last == step.name;
  if (!known) {
    std::string names;
    for (const Step& step : kSteps) names += std::string(names.empty() ? "" : ", ") + step.name;
    return BadInput("no lowering pass is called {}; there are {}", last, names);
  }
  ContextPool::Lease lease = ContextPool::Global().Take();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  {
    DiagnosticText said(lease.get());
    module = mlir::parseSourceString<mlir::ModuleOp>(std::string(text), lease.get(), std::string(name));
    if (!module) return BadInput("the module does not parse: {}", said.text());
  }
  // Only what verifies gets past the parser: from here on a failure is ours.
  if (!last.empty()) SF_CHECK(RunSteps(*module, last, {}, /*verify_steps=*/true));
  return Print(*module);
}

}  // namespace subfloor::codegen
