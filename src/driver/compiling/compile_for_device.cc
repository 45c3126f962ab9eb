#include "driver/compiling/compile_for_device.h"

#include "driver/compiling/compile_program.h"
#include "driver/reproducer.h"
#include "gpu/compiler.h"
#include "gpu/pipeline.h"
#include "passes/registry.h"

namespace subfloor::driver {
namespace {

gpu::Fusing FusingOf(DeviceFusing fusing) {
  switch (fusing) {
    case DeviceFusing::kOneBody:
      return gpu::Fusing::kOneBody;
    case DeviceFusing::kAsGiven:
      return gpu::Fusing::kAsGiven;
    case DeviceFusing::kOurs:
      return gpu::Fusing::kOurs;
  }
  return gpu::Fusing::kAsGiven;
}

}  // namespace

Result<CompiledForDevice> CompileForDevice(const hlo::Module& module, const Options& options,
                                           const SimulatedTarget& target, DeviceFusing fusing,
                                           const Dump& dump, const OnPhase& on_phase) {
  gpu::CompileOptions compile;
  compile.device = target.device;
  compile.checked = target.checked;
  compile.native = target.native;
  compile.deterministic = options.deterministic;
  compile.fusing = FusingOf(fusing);
  compile.host = SF_TRY(device::CpuByName(options.cpu));
  compile.threads = options.ThreadCount();
  compile.memory_limit = options.memory_limit;
  compile.passes = PassOptionsOf(options);
  for (const std::string& name : compile.passes.skip) SF_TRY(passes::FindPass(name));
  compile.dump = dump;
  compile.on_phase = on_phase;
  compile.leave_reproducer = [&] { return LeaveReproducer(module, options, "LLVM ended the process"); };
  gpu::Compiled compiled = SF_TRY(gpu::Compile(module, compile));
  CompiledForDevice made{std::move(compiled.parts), {}, std::move(compiled.report)};
  for (gpu::NativeKernel& kernel : compiled.kernels) {
    if (kernel.ptx.empty())
      kernel.ptx.assign(reinterpret_cast<const char*>(kernel.object.data()), kernel.object.size());
    made.kernels.push_back({std::move(kernel.symbol), std::move(kernel.ptx), std::move(kernel.assembled)});
  }
  return made;
}

Status OptimizeForDevice(hlo::Module& module, const Options& options) {
  passes::PassContext context;
  context.options = PassOptionsOf(options);
  SF_TRY(gpu::MakePipeline(gpu::Fusing::kOurs).Run(module, context));
  return {};
}

}  // namespace subfloor::driver
