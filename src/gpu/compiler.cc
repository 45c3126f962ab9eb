#include "gpu/compiler.h"

#include <array>
#include <chrono>

#include "cpu/buffer_assignment.h"
#include "cpu/check_nesting.h"
#include "cpu/native_regions.h"
#include "cpu/report.h"
#include "cpu/step_order.h"
#include "cpu/value_flow.h"
#include "dispatch/cpu_dispatch.h"
#include "gpu/device_thunk_emitter.h"
#include "gpu/kernel_set.h"
#include "gpu/pipeline.h"
#include "hlo/printer.h"
#include "hlo/running_computations.h"
#include "hlo/verifier.h"

namespace subfloor::gpu {
namespace {

using Choices = absl::flat_hash_map<const hlo::Instruction*, dispatch::GpuChoice>;

Status RewriteModule(hlo::Module& module, const CompileOptions& options, decision::CompileReport& report) {
  passes::PassContext context;
  context.options = options.passes;
  context.log = &report.decisions;
  if (options.dump) {
    context.on_change = [&](std::string_view pass, const hlo::Module& changed) {
      options.dump(fmt::format("hlo.{}", pass), "", hlo::Print(changed));
    };
  }
  SF_TRY(MakePipeline(options.fusing).Run(module, context));
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

std::vector<const hlo::Instruction*> Fusions(const hlo::Module& module) {
  std::vector<const hlo::Instruction*> fusions;
  for (const hlo::Computation* computation : hlo::RunningComputations(module)) {
    for (const hlo::Instruction* instruction : computation->MakePostOrder()) {
      if (instruction->opcode() == hlo::Opcode::kFusion) fusions.push_back(instruction);
    }
  }
  return fusions;
}

// A thread computes what it stores, so a loop's operand may lie where its result does; other emitters read
// what other threads store.
cpu::BufferRules RulesOf(const Choices& choices) {
  cpu::BufferRules rules;
  rules.in_place = [&choices](const hlo::Instruction& instruction) -> cpu::BufferRules::Pairs {
    const auto choice = choices.find(&instruction);
    if (choice == choices.end()) return {};
    cpu::BufferRules::Pairs pairs;
    for (const auto& [leaf, parameter] : InPlace(instruction, choice->second))
      pairs.emplace_back(parameter, leaf);
    return pairs;
  };
  rules.may_overlap = [&choices](const hlo::Instruction& instruction) -> cpu::BufferRules::Pairs {
    const auto choice = choices.find(&instruction);
    if (choice == choices.end() || choice->second.emitter != dispatch::GpuEmitter::kLoop) return {};
    return dispatch::ElementwiseOverlaps(*instruction.called());
  };
  return rules;
}

// (output leaf, parameter) pairs that lie in the same bytes: updated in place, or by may_overlap.
std::vector<std::pair<int64_t, int64_t>> Shared(const hlo::Instruction& fusion,
                                                const dispatch::GpuChoice& choice, const cpu::ValueFlow& flow,
                                                const cpu::BufferAssignment& assignment) {
  std::vector<std::pair<int64_t, int64_t>> shared = InPlace(fusion, choice);
  if (!shared.empty()) return shared;
  return cpu::OverlappingBuffers(fusion, flow, assignment);
}

}  // namespace

Result<Compiled> Compile(const hlo::Module& source, const CompileOptions& options) {
  Compiled compiled;
  decision::CompileReport& report = compiled.report;
  report.module = source.name();
  report.instructions_before = source.instruction_count();
  auto start = std::chrono::steady_clock::now();
  const auto phase = [&](std::string_view name) {
    const auto now = std::chrono::steady_clock::now();
    report.phases.push_back({std::string(name), now - start});
    start = now;
  };
  const auto begin = [&](std::string_view name) {
    if (options.on_phase) options.on_phase(name);
  };

  SF_CHECK(cpu::CheckNesting(source));
  begin("rewrite");
  std::unique_ptr<hlo::Module> module = source.Clone();
  SF_CHECK(RewriteModule(*module, options, report));
  phase("rewrite");

  // Dispatch before buffers, unlike on the CPU: what may share memory follows from who writes it. A fusion
  // that falls back to a loop later shares no more than the emitter it was planned for would.
  begin("dispatch");
  const std::vector<const hlo::Instruction*> fusions = Fusions(*module);
  Choices choices = SF_TRY(ChooseEmitters(fusions, options.device, &report.decisions));
  phase("dispatch");
  begin("buffers");
  cpu::ValueFlow flow = SF_TRY(cpu::AnalyzeValueFlow(*module, RulesOf(choices)));
  const int64_t limit =
      options.memory_limit > 0 ? options.memory_limit : static_cast<int64_t>(options.device.memory_bytes);
  const cpu::BufferAssignment assignment = SF_TRY(cpu::AssignBuffers(flow, limit, &report.decisions));
  if (options.dump) options.dump("buffers", "", cpu::DescribeBuffers(flow, assignment));
  phase("buffers");

  begin("code generation");
  const auto shared = [&](const hlo::Instruction& fusion) {
    return Shared(fusion, choices.at(&fusion), flow, assignment);
  };
  const DeviceKernels kernels = SF_TRY(MakeKernels(fusions, choices, shared, options, compiled));
  phase("code generation");

  begin("thunks");
  const cpu::StepOrder order(flow);
  std::vector<device::CodeImage> images = std::move(compiled.parts.images);
  compiled.parts = SF_TRY(EmitDeviceThunks(*module, flow, order, assignment, kernels));
  compiled.parts.images = std::move(images);
  phase("thunks");

  for (const hlo::Instruction* fusion : fusions) {
    const DeviceKernel& kernel = kernels.at(fusion);
    report.fusions.push_back({fusion->id(), fusion->name(), std::string(dispatch::ToString(kernel.emitter)),
                              fusion->shape().ToString(false), kernel.symbol,
                              fusion->called()->instruction_count(), kernel.launch.blocks});
  }
  cpu::ReportNames(std::array<const hlo::Module*, 2>{&source, module.get()}, report);
  cpu::ReportBuffers(flow, assignment, report);
  return compiled;
}

}  // namespace subfloor::gpu
