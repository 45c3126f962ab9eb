#include "codegen/compile_gpu.h"

#include "codegen/emitters/gpu/gpu_kernel.h"
#include "codegen/lowering/context.h"
#include "codegen/lowering/pipeline.h"
#include "codegen/target/host.h"
#include "mlir/IR/BuiltinOps.h"

namespace subfloor::codegen {
namespace {

// A module with the kernel in it, in the dialect.
struct Emitted {
  ContextPool::Lease context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

Result<Emitted> Emit(const KernelJob& job, const dispatch::GpuChoice& choice, const std::string& symbol,
                     decision::Log* log) {
  Emitted emitted{ContextPool::Global().Take(), {}};
  mlir::MLIRContext* context = emitted.context.get();
  emitted.module = mlir::ModuleOp::create(mlir::UnknownLoc::get(context), symbol);
  SF_CHECK(emitters::EmitGpuKernel(*emitted.module, job, choice, symbol, log));
  return emitted;
}

}  // namespace

Result<GpuKernelCode> CompileGpuKernel(const KernelJob& job, const dispatch::GpuChoice& choice,
                                       const device::DeviceDescription& device, const CompileOptions& options,
                                       decision::Log* log) {
  GpuKernelCode code;
  code.symbol = KernelSymbol(job.name);
  const auto start = ThreadTime();
  const Emitted emitted = SF_TRY(Emit(job, choice, code.symbol, log));
  const auto emission = ThreadTime();
  const bool nvidia = device.vendor() == device::Vendor::kNvidia;
  LoweringTarget target;
  target.gpu = {nvidia ? GpuKind::kNvptx : GpuKind::kAmdgpu, device.threads_per_warp};
  SF_CHECK(Lower(*emitted.module, target, options.dump));
  const auto lowering = ThreadTime();
  ObjectTimes llvm;
  const std::string exported[] = {code.symbol};
  if (nvidia) {
    code.ptx = SF_TRY(CompilePtx(*emitted.module, exported, device, llvm, options.dump));
  } else {
    code.object = SF_TRY(CompileGpuObject(*emitted.module, exported, device, llvm, options.dump));
  }
  code.launch = *dispatch::FirstLaunch(choice.plan);
  code.times = {{"emission", emission - start},
                {"lowering", lowering - emission},
                {"optimisation", llvm.optimize},
                {"machine code", llvm.generate}};
  return code;
}

Result<device::CodeImage> CompileSimulatedKernel(const KernelJob& job, const dispatch::GpuChoice& choice,
                                                 const device::DeviceDescription& device, bool checked,
                                                 const CompileOptions& options, decision::Log* log) {
  const std::string symbol = KernelSymbol(job.name);
  const Emitted emitted = SF_TRY(Emit(job, choice, symbol, log));
  device::SimulatedKernelPlan plan;
  LoweringTarget target;
  target.gpu = {checked ? GpuKind::kSimulatorChecked : GpuKind::kSimulator, device.threads_per_warp};
  target.plan = &plan;
  SF_CHECK(Lower(*emitted.module, target, options.dump));
  ObjectTimes llvm;
  const std::string exported[] = {symbol};
  const ObjectBytes object =
      SF_TRY(CompileObject(*emitted.module, exported, options.cpu, llvm, options.dump));
  device::CodeImage image = SF_TRY(LinkImage({&object, 1}, {symbol}, options.cpu));
  image.simulated.push_back(std::move(plan));
  return image;
}

}  // namespace subfloor::codegen
