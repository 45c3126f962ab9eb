#include <time.h>

#include <algorithm>
#include <string_view>

#include "codegen/lowering/context.h"
#include "codegen/target/host.h"
#include "codegen/target/machine_pool.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "mlir/Target/LLVMIR/Export.h"

namespace subfloor::codegen {
namespace {

// Kernels come out of the emitters vectorised and with their loops in order. What is left for LLVM is to
// inline private helpers, merge and hoist address arithmetic, and combine; neither vectorizer nor unroller
// has a say in rounding or order.
constexpr const char* kPasses =
    "always-inline,cgscc(inline),"
    "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm),gvn,loop-mssa(licm),instcombine<no-verify-fixpoint>,simplifycfg,adce),"
    "globaldce";

void SetAttributes(llvm::Module& module, std::span<const std::string> exported, const MachineSpec& spec,
                   int64_t vector_bits) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    bool is_exported = false;
    for (const std::string& name : exported) is_exported |= function.getName() == name;
    if (!is_exported) function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.addFnAttr("no-builtins");  // there is no libc to call
    function.addFnAttr("target-cpu", spec.name);
    if (!spec.features.empty()) function.addFnAttr("target-features", spec.features);
    if (vector_bits > 0) function.addFnAttr("prefer-vector-width", std::to_string(vector_bits));
    function.setDoesNotThrow();
  }
}

template <typename T>
std::string Print(const T& what) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << what;
  return text;
}

bool IsGpu(const llvm::TargetMachine& machine) {
  const llvm::Triple& triple = machine.getTargetTriple();
  return triple.isNVPTX() || triple.isAMDGPU();
}

Status Optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  std::string pipeline = kPasses;
  // What a block's size says of thread numbers.
  if (machine.getTargetTriple().isNVPTX()) pipeline = "function(nvvm-intr-range)," + pipeline;
  if (llvm::Error problem = builder.parsePassPipeline(passes, pipeline))
    return InternalError("LLVM's passes: {}", llvm::toString(std::move(problem)));
  passes.run(module, modules);
  return {};
}

// Passes of LLVM's code generator that cost compile time and change nothing for kernels, or nothing that
// could be measured: the emitters write their loops with simple addresses and unrolled, and processors
// reorder what a second scheduler would.
constexpr std::string_view kLeftOut[] = {
    "canon-freeze",     // prepares loop-reduce
    "loop-reduce",      // one base and index serve x86 and AArch64 addressing
    "post-RA-sched",    // the list scheduler after register allocation
    "expand-ir-insts",  // no integer wider than 64 bits
    "atomic-expand",    // unless there are atomics
    "gc-lowering",      // no garbage collector
    "shadow-stack-gc-lowering",
    "callbrprepare",  // no assembly that jumps
    "fixup-statepoint-caller-saved",
    "interleaved-access",  // the emitters write shuffles of their own
    "complex-deinterleaving",
    "replace-with-veclib",  // there is no library to call
    "partially-inline-libcalls",
    "early-ifcvt",
    // Nothing of this is in a kernel: comparisons of memory, exceptions, indirect jumps, AMX, probes and
    // counters, patchable or protected functions, debug values; or what code needs that attackers may reach.
    "expand-memcmp",
    "mergeicmps",
    "dwarf-eh-prepare",
    "objc-arc-contract",
    "indirectbr-expand",
    "safe-stack",
    "post-inline-ee-instrument",
    "x86-lower-amx-intrinsics",
    "x86-lower-amx-type",
    "lower-amx-intrinsics",
    "lower-amx-type",
    "tilepreconfig",
    "tileconfig",
    "x86-tile-config",
    "lowertilecopy",
    "x86-lower-tile-copy",
    "x86-slh",
    "x86-seses",
    "x86-lvi-load",
    "x86-lvi-ret",
    "x86-return-thunks",
    "x86argumentstackrebase",
    "x86-suppress-apx-for-relocation",
    "kcfi",
    "fentry-insert",
    "xray-instrumentation",
    "patchable-function",
    "funclet-layout",
    "stackmap-liveness",
    "machine-sanmd",
    "stack-frame-layout",
    "cfi-instr-inserter",
    "pseudo-probe-inserter",
    "gc-analysis",
    "removeredundantdebugvalues",
    "livedebugvalues",
    "remove-loads-into-fake-uses",
    "regallocscoringpass",
    "opt-remark-emitter",
};

// A pass manager that leaves those out. (TargetPassConfig knows that a manager may delete what it is given.)
class ShortPassManager : public llvm::legacy::PassManager {
 public:
  explicit ShortPassManager(bool atomics) : atomics_(atomics) {}
  void add(llvm::Pass* pass) override {
    const llvm::PassInfo* info = llvm::PassRegistry::getPassRegistry()->getPassInfo(pass->getPassID());
    const std::string_view name = info != nullptr ? std::string_view(info->getPassArgument()) : "";
    const bool left_out = std::ranges::find(kLeftOut, name) != std::end(kLeftOut);
    if (left_out && !(atomics_ && name == "atomic-expand")) {
      delete pass;
      return;
    }
    llvm::legacy::PassManager::add(pass);
  }

 private:
  bool atomics_;
};

bool HasAtomics(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    for (const llvm::BasicBlock& block : function) {
      for (const llvm::Instruction& instruction : block) {
        if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) return true;
      }
    }
  }
  return false;
}

Result<llvm::SmallVector<char, 0>> Generate(llvm::Module& module, llvm::TargetMachine& machine,
                                            llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager whole;
  ShortPassManager shortened(HasAtomics(module));
  llvm::legacy::PassManager& passes = IsGpu(machine) ? whole : shortened;
  if (machine.addPassesToEmitFile(passes, out, nullptr, type)) {
    return InternalError("LLVM cannot write this kind of file for {}", machine.getTargetTriple().str());
  }
  passes.run(module);
  return bytes;
}

}  // namespace

std::chrono::nanoseconds ThreadTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

namespace {

Result<ObjectBytes> Compile(mlir::ModuleOp module, std::span<const std::string> exported,
                            const MachineSpec& spec, int64_t vector_bits, llvm::CodeGenFileType type,
                            ObjectTimes& times, const DumpFunction& dump) {
  const auto start = ThreadTime();
  const MachinePool::Lease machine = SF_TRY(MachinePool::Global().Take(spec));
  const std::string name = module.getName().value_or("module").str();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvm_module;
  {
    DiagnosticText said(module.getContext());
    llvm_module = mlir::translateModuleToLLVMIR(module, context, name);
    if (llvm_module == nullptr) return InternalError("module {} has no LLVM form: {}", name, said.text());
  }
  llvm_module->setTargetTriple((*machine).getTargetTriple());
  llvm_module->setDataLayout((*machine).createDataLayout());
  SetAttributes(*llvm_module, exported, spec, vector_bits);
  std::string problem;
  llvm::raw_string_ostream problem_out(problem);
  if (llvm::verifyModule(*llvm_module, &problem_out))
    return InternalError("module {} is not valid LLVM: {}", name, problem);
  SF_CHECK(Optimize(*llvm_module, *machine));
  const auto optimized = ThreadTime();
  if (dump) {
    dump("llvm", name, Print(*llvm_module));
    auto copy = llvm::CloneModule(*llvm_module);
    auto text = SF_TRY(Generate(*copy, *machine, llvm::CodeGenFileType::AssemblyFile));
    dump("asm", name, std::string_view(text.data(), text.size()));
  }
  auto bytes = SF_TRY(Generate(*llvm_module, *machine, type));
  times = {optimized - start, ThreadTime() - optimized};
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  return ObjectBytes(begin, begin + bytes.size());
}

}  // namespace

Result<ObjectBytes> CompileObject(mlir::ModuleOp module, std::span<const std::string> exported,
                                  const device::CpuDescription& cpu, ObjectTimes& times,
                                  const DumpFunction& dump) {
  return Compile(module, exported, MachineSpec::Of(cpu), cpu.vector_bits, llvm::CodeGenFileType::ObjectFile,
                 times, dump);
}

Result<std::string> CompilePtx(mlir::ModuleOp module, std::span<const std::string> exported,
                               const device::DeviceDescription& gpu, ObjectTimes& times,
                               const DumpFunction& dump) {
  const ObjectBytes text = SF_TRY(Compile(module, exported, MachineSpec::Of(gpu), /*vector_bits=*/0,
                                          llvm::CodeGenFileType::AssemblyFile, times, dump));
  return std::string(reinterpret_cast<const char*>(text.data()), text.size());
}

Result<ObjectBytes> CompileGpuObject(mlir::ModuleOp module, std::span<const std::string> exported,
                                     const device::DeviceDescription& gpu, ObjectTimes& times,
                                     const DumpFunction& dump) {
  return Compile(module, exported, MachineSpec::Of(gpu), /*vector_bits=*/0, llvm::CodeGenFileType::ObjectFile,
                 times, dump);
}

}  // namespace subfloor::codegen
