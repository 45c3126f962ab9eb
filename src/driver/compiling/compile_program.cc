#include "driver/compiling/compile_program.h"

#include <algorithm>

#include "cpu/compiler.h"
#include "passes/registry.h"

namespace subfloor::driver {
namespace {

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (comma > 0) names.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return names;
}

// The report in the plain values that `explain` renders.
explain::CompileReport ToExplain(const hlo::Module& module, cpu::CompileReport& report) {
  const auto milliseconds = [](std::chrono::nanoseconds time) {
    return std::chrono::duration<double, std::milli>(time).count();
  };
  explain::CompileReport shown;
  shown.module = module.name();
  shown.instructions_before = module.instruction_count();
  for (const cpu::Phase& phase : report.phases)
    shown.phases.push_back({phase.name, milliseconds(phase.elapsed)});
  for (const cpu::Phase& phase : report.codegen_times)
    shown.codegen_times.push_back({phase.name, milliseconds(phase.elapsed)});
  for (const passes::PassTime& pass : report.pass_times)
    shown.passes.push_back({pass.name, milliseconds(pass.elapsed)});
  for (const cpu::FusionReport& fusion : report.fusions) {
    shown.fusions.push_back({fusion.instruction, fusion.name, fusion.emitter, fusion.shape, fusion.symbol,
                             fusion.instructions, fusion.workgroups});
  }
  shown.names = std::move(report.names);
  shown.distinct_kernels = report.distinct_kernels;
  shown.code_bytes = report.code_bytes;
  shown.copies = report.copies;
  shown.parameter_bytes = report.parameter_bytes;
  shown.output_bytes = report.output_bytes;
  shown.constant_bytes = report.constant_bytes;
  shown.temp_bytes = report.temp_bytes;
  shown.donated_bytes = report.donated_bytes;
  return shown;
}

}  // namespace

passes::PassOptions PassOptionsOf(const Options& options) {
  passes::PassOptions passes;
  passes.skip = SplitList(options.skip_passes);
  passes.verify = options.verify_passes;
  passes.max_fusion_instructions = options.max_fusion_instructions;
  passes.max_folded_bytes = options.max_folded_bytes;
  passes.max_unrolled_instructions = options.max_unrolled_instructions;
  return passes;
}

Result<CompiledProgram> CompileProgram(const hlo::Module& module, const Options& options, const Dump& dump,
                                       const OnPhase& on_phase) {
  cpu::CompileOptions compile;
  compile.cpu = SF_TRY(device::CpuByName(options.cpu));
  compile.threads = options.ThreadCount();
  compile.memory_limit = options.memory_limit;
  compile.passes = PassOptionsOf(options);
  for (const std::string& name : compile.passes.skip) SF_TRY(passes::FindPass(name));
  compile.dump = dump;
  compile.on_phase = on_phase;
  cpu::Compiled compiled = SF_TRY(cpu::Compile(module, compile));
  CompiledProgram program;
  program.executable = std::move(compiled.executable);
  program.report = ToExplain(module, compiled.report);
  program.decisions = std::move(compiled.report.decisions);
  return program;
}

}  // namespace subfloor::driver
