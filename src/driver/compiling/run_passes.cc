#include "driver/compiling/run_passes.h"

#include <algorithm>
#include <charconv>

#include "cpu/pipeline.h"
#include "driver/compiling/compile_program.h"
#include "passes/registry.h"

namespace subfloor::driver {
namespace {

Result<passes::PassContext> MakeContext(const Options& options) {
  passes::PassContext context;
  context.cpu = SF_TRY(device::CpuByName(options.cpu));
  context.options = PassOptionsOf(options);
  return context;
}

// A pass of the registry, or one that only the CPU's pipeline has.
Result<passes::Pass> FindPass(std::string_view name) {
  for (const passes::Pass& pass : cpu::MakePipeline().passes()) {
    if (pass.name == name) return pass;
  }
  return passes::FindPass(name);
}

}  // namespace

std::vector<PassInfo> ListPasses() {
  std::vector<PassInfo> infos;
  for (const passes::Pass& pass : passes::AllPasses()) infos.push_back({pass.name, pass.summary});
  for (const passes::Pass& pass : cpu::MakePipeline().passes()) {
    if (std::ranges::find(infos, pass.name, &PassInfo::name) == infos.end())
      infos.push_back({pass.name, pass.summary});
  }
  std::ranges::sort(infos, {}, &PassInfo::name);
  return infos;
}

std::vector<std::string_view> ListPipeline() {
  std::vector<std::string_view> names;
  for (const passes::Pass& pass : cpu::MakePipeline().passes()) names.push_back(pass.name);
  return names;
}

Status RunPasses(hlo::Module& module, std::span<const std::string> names, const Options& options) {
  std::vector<passes::Pass> order;
  for (const std::string& name : names) order.push_back(SF_TRY(FindPass(name)));
  passes::PassContext context = SF_TRY(MakeContext(options));
  for (const passes::Pass& pass : order) SF_CHECK(passes::RunPass(pass, module, context));
  return {};
}

Status RunPipeline(hlo::Module& module, std::string_view until, const Options& options) {
  passes::PassContext context = SF_TRY(MakeContext(options));
  const passes::Pipeline pipeline = cpu::MakePipeline();
  if (until.empty()) {
    SF_CHECK(pipeline.Run(module, context));
    return {};
  }
  const size_t colon = until.find(':');
  const std::string_view name = until.substr(0, colon);
  int count = 1;
  if (colon != std::string_view::npos) {
    const char* end = until.data() + until.size();
    const auto [rest, problem] = std::from_chars(until.data() + colon + 1, end, count);
    if (problem != std::errc() || rest != end || count < 1) {
      return BadInput("which run of {} is wanted is a number from 1, found '{}'", name,
                      until.substr(colon + 1));
    }
  }
  const std::vector<passes::Pass> all = pipeline.passes();
  if (std::ranges::find(all, name, &passes::Pass::name) == all.end()) {
    SF_CHECK(FindPass(name));  // names the nearest
    return BadInput("the pass {} is not part of the pipeline", name);
  }
  const bool reached = SF_TRY(pipeline.RunUntil(name, count, module, context));
  if (!reached) return BadInput("the pass {} does not run {} times on this program", name, count);
  return {};
}

}  // namespace subfloor::driver
