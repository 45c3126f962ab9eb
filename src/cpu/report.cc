#include "cpu/report.h"

#include <fmt/format.h>

#include <algorithm>

namespace subfloor::cpu {

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

void ReportBuffers(const ValueFlow& flow, const BufferAssignment& assignment,
                   decision::CompileReport& report) {
  report.parameter_bytes = assignment.parameter_bytes;
  report.output_bytes = assignment.output_bytes;
  report.constant_bytes = assignment.constant_bytes;
  report.temp_bytes = assignment.temp_bytes;
  report.scratch_bytes = assignment.scratch_bytes;
  report.donated_bytes = assignment.donated_bytes;
  report.copies =
      std::ranges::count_if(flow.transfers, [](const Transfer& transfer) { return !transfer.elided; });
}

void ReportNames(std::span<const hlo::Module* const> modules, decision::CompileReport& report) {
  for (const hlo::Module* module : modules) {
    for (const hlo::Computation* computation : module->computations()) {
      for (const hlo::Instruction* instruction : computation->instructions())
        report.names.emplace_back(instruction->id(), instruction->name());
    }
  }
  std::ranges::sort(report.names);
  const auto repeated = std::ranges::unique(report.names, {}, &std::pair<int64_t, std::string>::first);
  report.names.erase(repeated.begin(), repeated.end());
}

}  // namespace subfloor::cpu
