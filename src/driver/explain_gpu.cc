#include "driver/explain_gpu.h"

#include <algorithm>

#include "base/file.h"
#include "dispatch/gpu_dispatch.h"
#include "driver/describe_plan.h"
#include "driver/program_io.h"
#include "hlo/running_computations.h"

namespace subfloor::driver {
namespace {

using hlo::Instruction;
using hlo::Opcode;

void Add(explain::GpuReport& report, std::string name, const Shape& shape, int64_t instruction,
         Result<dispatch::GpuChoice> choice) {
  explain::GpuReport::Fusion fusion;
  fusion.instruction = instruction;
  fusion.name = std::move(name);
  fusion.shape = shape.ToString(false);
  if (!choice) {
    fusion.problem = choice.error().message();
  } else {
    fusion.kind = dispatch::ToString(choice->kind);
    fusion.emitter = dispatch::ToString(choice->emitter);
    fusion.stamp = choice->stamp;
    fusion.plan = DescribePlan(choice->plan);
    fusion.kernels = KernelCount(choice->plan);
    if (const dispatch::Launch* launch = dispatch::FirstLaunch(choice->plan)) {
      fusion.launch = {launch->grid, launch->block, launch->shared_bytes};
    }
  }
  report.fusions.push_back(std::move(fusion));
}

}  // namespace

Result<device::DeviceDescription> FindDevice(const std::string& target) {
  if (target.find('/') == std::string::npos && !target.ends_with(".txt")) return device::DeviceByName(target);
  return device::ParseDeviceDescription(SF_TRY(ReadFile(target)), target);
}

bool MarksEntry(std::string_view text) {
  bool line_start = true;  // only spaces and comments so far
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    const char c = text[i];
    if (rest.starts_with("//")) {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (rest.starts_with("/*")) {
      i = std::min(text.find("*/", i + 2), text.size() - 1) + 1;
    } else if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
      }
      line_start = false;
    } else if (c == '\n' || c == '}') {
      line_start = true;
    } else if (line_start && rest.starts_with("ENTRY") && rest.size() > 5 &&
               (rest[5] == ' ' || rest[5] == '\t' || rest[5] == '%' || rest[5] == '\n' || rest[5] == '{')) {
      return true;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      line_start = false;
    }
  }
  return false;
}

explain::GpuReport ExplainForGpu(const hlo::Module& module, bool as_fusion,
                                 const device::DeviceDescription& device) {
  explain::GpuReport report;
  report.module = module.name();
  report.target = device.name;
  decision::Log* log = &report.decisions;
  if (as_fusion) {
    const hlo::Computation& body = *module.entry();
    const int64_t id = body.root()->id();
    Add(report, body.name(), body.root()->shape(), id, dispatch::ChooseGpuEmitter(body, id, device, log));
    return report;
  }
  for (const hlo::Computation* computation : hlo::RunningComputations(module)) {
    for (const Instruction* instruction : computation->MakePostOrder()) {
      const bool fusion = instruction->opcode() == Opcode::kFusion;
      if (!fusion && !dispatch::IsFusibleAlone(instruction->opcode())) continue;
      Add(report, fusion ? instruction->name() : "wrapped_" + instruction->name(), instruction->shape(),
          instruction->id(), dispatch::ChooseGpuEmitter(*instruction, device, log));
    }
  }
  return report;
}

}  // namespace subfloor::driver
