#include "codegen/lowering/pipeline.h"
#include "codegen/deep_stack.h"
#include "codegen/fatal_errors.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/dialect/sf.h"
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
  std::unique_ptr<mlir::Pass> (*make)(const LoweringTarget& target);
  enum class For : uint8_t { kAll, kHost, kGpu } targets = For::kAll;

  bool IsFor(const LoweringTarget& target) const {
    return targets == For::kAll || (targets == For::kGpu) == target.gpu.has_value();
  }
};

using Target = const LoweringTarget&;

const Step kSteps[] = {
    // Address arithmetic is emitted afresh wherever it is needed; merging it first keeps every later pass
    // short.
    {"cse", [](Target) { return mlir::createCSEPass(); }},
    // While loops and conditions are still structured: kernels become functions whose buffers are plain
    // pointers. The simulator puts loops over a block's threads around the body, which structure allows.
    {"lower-kernels", [](Target) { return LowerKernelsPass(); }, Step::For::kHost},
    {"lower-gpu-kernels", [](Target target) { return LowerGpuKernelsPass(*target.gpu, target.plan); },
     Step::For::kGpu},
    // Where values are plain and loops are still whole: what is too much for LLVM in one function becomes
    // several. A GPU's calls would keep all that is live in memory; there large kernels stay whole.
    {"outline-large-blocks", [](Target) { return OutlineLargeBlocksPass(); }, Step::For::kHost},
    // Before the last step, which knows blocks and branches only.
    {"scf-to-cf", [](Target) { return mlir::createSCFToControlFlowPass(); }},
    {"lower-to-llvm", [](Target) { return LowerToLlvmPass(); }},
};

std::string Print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out);
  return text;
}

// What the emitters made is verified here, and what LLVM gets is verified in target/. Verifying between the
// steps as well would cost a third of their time: that is done where somebody looks at the stages.
Status RunSteps(mlir::ModuleOp module, Target target, std::string_view last, const DumpFunction& dump,
                bool verify_steps) {
  DiagnosticText said(module.getContext());
  const std::string name = module.getName().value_or("module").str();
  if (dump) dump("dialect", name, Print(module));
  if (mlir::failed(mlir::verify(module)))
    return InternalError("module {} is not valid: {}", name, said.text());
  for (const Step& step : kSteps) {
    if (!step.IsFor(target)) continue;
    mlir::PassManager passes(module.getContext());
    passes.enableVerifier(verify_steps);
    passes.addPass(step.make(target));
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

Status Lower(mlir::ModuleOp module, Target target, const DumpFunction& dump) {
  return RunSteps(module, target, "all", dump, /*verify_steps=*/dump != nullptr);
}

namespace {

Result<std::string> LowerText(std::string_view text, std::string_view last, std::string_view name) {
  // What a pass of LLVM's meets in text by hand may be more than it takes.
  const std::string kernels = "of " + std::string(name);
  const std::function<std::string()> no_reproducer;
  const LlvmWork work(kernels, no_reproducer);
  ContextPool::Lease lease = ContextPool::Global().Take();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  {
    DiagnosticText said(lease.get());
    module = mlir::parseSourceString<mlir::ModuleOp>(std::string(text), lease.get(), std::string(name));
    if (!module) return BadInput("the module does not parse: {}", said.text());
  }
  // A module of a GPU's kernels says so itself.
  LoweringTarget target;
  module->walk([&](sf::KernelOp kernel) {
    if (kernel.getBlock()) target.gpu = GpuTarget{};
  });
  std::vector<std::string_view> known;
  for (const Step& step : kSteps) {
    if (step.IsFor(target)) known.push_back(step.name);
  }
  if (!last.empty() && last != "all" && std::ranges::find(known, last) == known.end())
    return BadInput("no lowering pass is called {}; there are {}", last, fmt::join(known, ", "));
  // Only what verifies gets past the parser: from here on a failure is ours.
  if (!last.empty()) SF_CHECK(RunSteps(*module, target, last, {}, /*verify_steps=*/true));
  return Print(*module);
}

}  // namespace

Result<std::string> RunLowering(std::string_view text, std::string_view last, std::string_view name) {
  Result<std::string> lowered = InternalError("not lowered");
  SF_CHECK(RunOnDeepStacks(1, [&] { lowered = LowerText(text, last, name); }));
  return lowered;
}

}  // namespace subfloor::codegen
