#include "cpu/compiler.h"

#include <array>

#include "absl/container/flat_hash_set.h"
#include "codegen/compile_kernels.h"
#include "cpu/buffer_assignment.h"
#include "cpu/check_nesting.h"
#include "cpu/native_regions.h"
#include "cpu/pipeline.h"
#include "cpu/report.h"
#include "cpu/step_order.h"
#include "cpu/thunk_emitter.h"
#include "cpu/value_flow.h"
#include "device/description/cgroup.h"
#include "dispatch/cpu_dispatch.h"
#include "hlo/printer.h"
#include "hlo/verifier.h"

namespace subfloor::cpu {
namespace {

// Names each phase once and takes its time.
class PhaseClock {
 public:
  PhaseClock(decision::CompileReport& report, const CompileOptions& options)
      : report_(report), options_(options) {}
  void Begin(std::string_view name) {
    End();
    if (options_.on_phase) options_.on_phase(name);
    name_ = name;
    start_ = std::chrono::steady_clock::now();
  }
  void End() {
    if (!name_.empty()) report_.phases.push_back({name_, std::chrono::steady_clock::now() - start_});
    name_.clear();
  }

 private:
  decision::CompileReport& report_;
  const CompileOptions& options_;
  std::string name_;
  std::chrono::steady_clock::time_point start_;
};

Status RewriteModule(hlo::Module& module, const CompileOptions& options, decision::CompileReport& report) {
  passes::PassContext context;
  context.options = options.passes;
  context.log = &report.decisions;
  context.cpu = options.cpu;
  if (options.dump) {
    context.on_change = [&](std::string_view pass, const hlo::Module& changed) {
      options.dump(fmt::format("hlo.{}", pass), "", hlo::Print(changed));
    };
  }
  SF_TRY(MakePipeline().Run(module, context));
  for (const passes::PassTime& time : context.times) report.pass_times.push_back({time.name, time.elapsed});
  if (options.dump) options.dump("hlo.final", "", hlo::Print(module));
  hlo::VerifyOptions normal;
  normal.normal_form = true;
  if (Status valid = hlo::Verify(module, normal); !valid) {
    return InternalError("the pipeline left what code generation does not take: {}",
                         valid.error().ToString());
  }
  return {};
}

// The fusions that get a kernel of their own: all but those in regions, in the order of the computations.
std::vector<const hlo::Instruction*> SeparateFusions(const hlo::Module& module, const ValueFlow& flow,
                                                     const NativeRegions& regions) {
  absl::flat_hash_set<const hlo::Instruction*> taken;
  for (const auto& [computation, list] : regions) {
    for (const auto& region : list) {
      for (const auto& [fusion, emitter] : region->fusions) taken.insert(fusion);
    }
  }
  std::vector<const hlo::Instruction*> fusions;
  for (const hlo::Computation* computation : module.computations()) {
    const auto it = flow.schedule.find(computation);
    if (it == flow.schedule.end()) continue;
    for (const hlo::Instruction* instruction : it->second) {
      if (instruction->opcode() == hlo::Opcode::kFusion && !taken.contains(instruction))
        fusions.push_back(instruction);
    }
  }
  return fusions;
}

// All regions, in the order of the computations.
std::vector<const NativeRegion*> InOrder(const hlo::Module& module, const NativeRegions& regions) {
  std::vector<const NativeRegion*> ordered;
  for (const hlo::Computation* computation : module.computations()) {
    const auto it = regions.find(computation);
    if (it == regions.end()) continue;
    for (const auto& region : it->second) ordered.push_back(region.get());
  }
  return ordered;
}

}  // namespace

Result<Compiled> Compile(const hlo::Module& source, const CompileOptions& options) {
  Compiled compiled;
  decision::CompileReport& report = compiled.report;
  PhaseClock clock(report, options);
  report.module = source.name();
  report.instructions_before = source.instruction_count();

  SF_CHECK(CheckNesting(source));
  clock.Begin("rewrite");
  std::unique_ptr<hlo::Module> module = source.Clone();
  SF_CHECK(RewriteModule(*module, options, report));

  clock.Begin("buffers");
  ValueFlow flow = SF_TRY(AnalyzeValueFlow(*module));
  const int64_t limit = options.memory_limit > 0 ? options.memory_limit : device::UsableMemoryBytes();
  BufferAssignment assignment = SF_TRY(AssignBuffers(flow, limit, &report.decisions));
  if (options.dump) options.dump("buffers", "", DescribeBuffers(flow, assignment));

  clock.Begin("dispatch");
  const StepOrder order(flow);
  const NativeRegions regions = FindNativeRegions(*module, flow, order, assignment, &report.decisions);
  const std::vector<const hlo::Instruction*> fusions = SeparateFusions(*module, flow, regions);
  const std::vector<const NativeRegion*> programs = InOrder(*module, regions);
  std::vector<codegen::KernelJob> jobs;
  for (const hlo::Instruction* fusion : fusions) {
    codegen::KernelJob job;
    job.name = fusion->name();
    job.body = fusion->called();
    job.instruction = fusion->id();
    job.emitter = dispatch::ChooseCpuEmitter(*job.body, job.instruction, &report.decisions).emitter;
    job.in_place = SharedBuffers(*fusion, flow, assignment);
    jobs.push_back(std::move(job));
  }
  for (const NativeRegion* region : programs) {
    codegen::KernelJob job;
    job.name = region->instruction->name();
    job.instruction = region->instruction->id();
    job.program = &region->program;
    jobs.push_back(std::move(job));
  }

  clock.Begin("code generation");
  codegen::CompileOptions codegen_options;
  codegen_options.cpu = options.cpu;
  codegen_options.threads = options.threads;
  codegen_options.max_workgroups = options.threads;
  codegen_options.dump = options.dump;
  codegen_options.leave_reproducer = options.leave_reproducer;
  codegen::CompiledKernels kernels =
      SF_TRY(codegen::CompileKernels(jobs, codegen_options, &report.decisions));
  report.codegen_times = std::move(kernels.times);

  clock.Begin("thunks");
  KernelPlans plans;
  for (size_t i = 0; i < fusions.size(); ++i) plans.fusions[fusions[i]] = kernels.plans[i];
  for (size_t i = 0; i < programs.size(); ++i) plans.regions[programs[i]] = kernels.plans[fusions.size() + i];
  for (size_t i = 0; i < jobs.size(); ++i) {
    const hlo::Instruction& kernel =
        i < fusions.size() ? *fusions[i] : *programs[i - fusions.size()]->instruction;
    SF_CHECK(CountScratch(kernel, ScratchBytesOf(kernels.plans[i]), limit, assignment));
  }
  runtime::Executable::Parts parts = SF_TRY(EmitThunks(*module, flow, order, assignment, regions, plans));
  report.distinct_kernels = kernels.distinct_kernels;
  report.code_bytes = static_cast<int64_t>(kernels.image.bytes.size());
  if (!jobs.empty()) {
    const std::vector<std::byte>& bytes = kernels.image.bytes;
    if (options.dump) options.dump("image", "", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    parts.image = std::move(kernels.image);
  }

  clock.Begin("load");
  compiled.executable = SF_TRY(runtime::Executable::Create(std::move(parts)));
  clock.End();

  const auto describe = [&](const hlo::Instruction* fusion, dispatch::EmitterKind emitter,
                            const codegen::KernelPlan& plan) {
    report.fusions.push_back({fusion->id(), fusion->name(), std::string(dispatch::ToString(emitter)),
                              fusion->shape().ToString(false), plan.symbol,
                              fusion->called()->instruction_count(), plan.workgroups});
  };
  for (size_t i = 0; i < fusions.size(); ++i) describe(fusions[i], jobs[i].emitter, kernels.plans[i]);
  for (const NativeRegion* region : programs) {
    for (const auto& [fusion, emitter] : region->fusions) describe(fusion, emitter, plans.regions.at(region));
  }
  ReportNames(std::array<const hlo::Module*, 2>{&source, module.get()}, report);
  ReportBuffers(flow, assignment, report);
  return compiled;
}

}  // namespace subfloor::cpu
