#include "cpu/compiler.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "codegen/compile_kernels.h"
#include "cpu/buffer_assignment.h"
#include "cpu/native_regions.h"
#include "cpu/pipeline.h"
#include "cpu/step_order.h"
#include "cpu/thunk_emitter.h"
#include "cpu/value_flow.h"
#include "dispatch/cpu_dispatch.h"
#include "hlo/printer.h"
#include "hlo/verifier.h"

namespace subfloor::cpu {
namespace {

// Names each phase once and takes its time.
class PhaseClock {
 public:
  PhaseClock(CompileReport& report, const CompileOptions& options) : report_(report), options_(options) {}
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
  CompileReport& report_;
  const CompileOptions& options_;
  std::string name_;
  std::chrono::steady_clock::time_point start_;
};

bool HasPacking(const Shape& shape) {
  const std::vector<const Shape*> leaves = Leaves(shape);
  return std::ranges::any_of(
      leaves, [](const Shape* leaf) { return leaf->layout() && leaf->layout()->element_bits != 0; });
}

// E(n) says how a device would pack narrow elements. Callers hand over one byte an element, and so are all of
// our buffers: here it changes nothing but the layout's text.
void DropPacking(hlo::Module& module) {
  for (hlo::Computation* computation : module.computations()) {
    for (hlo::Instruction* instruction : computation->instructions()) {
      if (HasPacking(instruction->shape()))
        instruction->mutable_shape() = instruction->shape().WithoutPacking();
    }
  }
  if (auto& layout = module.header().entry_layout) {
    for (Shape& parameter : layout->parameters) parameter = parameter.WithoutPacking();
    layout->result = layout->result.WithoutPacking();
  }
}

// Loops and branches in loops and branches: what is too deep for a run is refused before the passes spend on
// each level what all levels below it cost.
Status CheckNesting(const hlo::Module& module) {
  absl::flat_hash_map<const hlo::Computation*, int> levels;
  for (const hlo::Computation* computation : module.MakePostOrder()) {
    int level = 0;
    for (const hlo::Instruction* instruction : computation->instructions()) {
      const bool keeps_frame =
          instruction->opcode() == hlo::Opcode::kWhile || instruction->opcode() == hlo::Opcode::kConditional;
      for (const hlo::Computation* called : instruction->called_computations()) {
        level = std::max(level, levels[called] + (keeps_frame ? 1 : 0));
      }
    }
    levels[computation] = level;
  }
  const int deepest = levels[module.entry()];
  if (deepest <= runtime::Executable::kMaxNesting) return {};
  return NotSupported("loops and branches are nested {} deep; up to {} would work", deepest,
                      runtime::Executable::kMaxNesting);
}

Status RewriteModule(hlo::Module& module, const CompileOptions& options, CompileReport& report) {
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
  report.pass_times = std::move(context.times);
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

std::string DescribeBuffers(const ValueFlow& flow, const BufferAssignment& assignment) {
  std::string text;
  constexpr const char* kKinds[] = {"parameter", "output", "constant", "temp"};
  for (size_t i = 0; i < flow.values.size(); ++i) {
    const Value& value = flow.values[i];
    const Place& place = assignment.places[i];
    text += fmt::format("{} {}+{} {} bytes: %{} leaf {}, live", kKinds[static_cast<int>(place.kind)],
                        place.index, place.offset, place.bytes, value.instruction->name(), value.leaf);
    for (const Interval& interval : value.live) text += fmt::format(" [{},{}]", interval.begin, interval.end);
    text += "\n";
  }
  for (const Transfer& transfer : flow.transfers) {
    text += fmt::format("{} at {}: value {} -> {}\n", transfer.elided ? "shared" : "copy", transfer.tick,
                        transfer.from, transfer.to);
  }
  return text;
}

}  // namespace

Result<Compiled> Compile(const hlo::Module& source, const CompileOptions& options) {
  Compiled compiled;
  CompileReport& report = compiled.report;
  PhaseClock clock(report, options);

  SF_CHECK(CheckNesting(source));
  clock.Begin("rewrite");
  std::unique_ptr<hlo::Module> module = source.Clone();
  DropPacking(*module);
  SF_CHECK(RewriteModule(*module, options, report));

  clock.Begin("buffers");
  ValueFlow flow = SF_TRY(AnalyzeValueFlow(*module));
  const int64_t limit = options.memory_limit > 0 ? options.memory_limit : DefaultMemoryLimit();
  const BufferAssignment assignment = SF_TRY(AssignBuffers(flow, limit, &report.decisions));
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
  codegen::CompiledKernels kernels =
      SF_TRY(codegen::CompileKernels(jobs, codegen_options, &report.decisions));
  for (const codegen::PhaseTime& time : kernels.times)
    report.codegen_times.push_back({time.phase, time.elapsed});

  clock.Begin("thunks");
  KernelPlans plans;
  for (size_t i = 0; i < fusions.size(); ++i) plans.fusions[fusions[i]] = kernels.plans[i];
  for (size_t i = 0; i < programs.size(); ++i) plans.regions[programs[i]] = kernels.plans[fusions.size() + i];
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
  for (const hlo::Module* named : {&source, static_cast<const hlo::Module*>(module.get())}) {
    for (const hlo::Computation* computation : named->computations()) {
      for (const hlo::Instruction* instruction : computation->instructions()) {
        report.names.emplace_back(instruction->id(), instruction->name());
      }
    }
  }
  std::ranges::sort(report.names);
  const auto repeated = std::ranges::unique(
      report.names, {}, [](const std::pair<int64_t, std::string>& name) { return name.first; });
  report.names.erase(repeated.begin(), repeated.end());
  report.parameter_bytes = assignment.parameter_bytes;
  report.output_bytes = assignment.output_bytes;
  report.constant_bytes = assignment.constant_bytes;
  report.temp_bytes = assignment.temp_bytes;
  report.donated_bytes = assignment.donated_bytes;
  report.copies =
      std::ranges::count_if(flow.transfers, [](const Transfer& transfer) { return !transfer.elided; });
  return compiled;
}

}  // namespace subfloor::cpu
