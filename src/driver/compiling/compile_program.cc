#include "driver/compiling/compile_program.h"

#include <algorithm>

#include "cpu/compiler.h"
#include "driver/reproducer.h"
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
  compile.leave_reproducer = [&] { return LeaveReproducer(module, options, "LLVM ended the process"); };
  cpu::Compiled compiled = SF_TRY(cpu::Compile(module, compile));
  return CompiledProgram{std::move(compiled.executable), std::move(compiled.report)};
}

}  // namespace subfloor::driver
