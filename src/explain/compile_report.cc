#include "explain/compile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace subfloor::explain {
namespace {

std::string_view NameOf(const CompileReport& report, int64_t instruction) {
  const auto it =
      std::ranges::lower_bound(report.names, instruction, {}, &std::pair<int64_t, std::string>::first);
  if (it == report.names.end() || it->first != instruction) return "?";
  return it->second;
}

std::string Line(const decision::Record& record) {
  const std::string because = decision::Text(record);
  return fmt::format("{:<44} {}{}{}\n", decision::Text(record.question),
                     record.answer == decision::Answer::kYes ? "yes" : "no", because.empty() ? "" : ": ",
                     because);
}

}  // namespace

std::string Bytes(int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  const char* unit = "";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB", "PiB"}) {
    value /= 1024;
    unit = next;
    if (value < 1024) break;
  }
  return fmt::format("{:.1f} {}", value, unit);
}

std::string Summarize(const CompileReport& report) {
  std::string text = fmt::format("module {}: {} instructions, {} kernels, {} distinct, {} of code\n",
                                 report.module, report.instructions_before, report.fusions.size(),
                                 report.distinct_kernels, Bytes(report.code_bytes));
  const auto row = [&](std::string_view name, double milliseconds) {
    text += fmt::format("  {:<28} {:9.1f} ms", name, milliseconds);
    if (report.distinct_kernels > 0) {
      text += fmt::format("  {:7.2f} ms a distinct kernel",
                          milliseconds / static_cast<double>(report.distinct_kernels));
    }
    text += "\n";
  };
  double total = 0;
  for (const auto& phase : report.phases) {
    total += phase.milliseconds();
    row(phase.name, phase.milliseconds());
  }
  row("total", total);
  double processor = 0;
  for (const auto& phase : report.codegen_times) processor += phase.milliseconds();
  if (processor > 0) row("processor time for code", processor);
  for (const auto& phase : report.codegen_times) row("  " + phase.name, phase.milliseconds());
  text += fmt::format(
      "buffers: parameters {}, outputs {}, constants {}, temporaries {}, scratch of kernels {}, {} copies\n",
      Bytes(report.parameter_bytes), Bytes(report.output_bytes), Bytes(report.constant_bytes),
      Bytes(report.temp_bytes), Bytes(report.scratch_bytes), report.copies);
  const int64_t peak = report.parameter_bytes + report.output_bytes + report.constant_bytes +
                       report.temp_bytes + report.scratch_bytes;
  text += fmt::format("predicted peak: {}", Bytes(peak));
  if (report.donated_bytes > 0) {
    text += fmt::format(", or {} where the caller donates the parameters that the program may overwrite",
                        Bytes(peak - report.donated_bytes));
  }
  text += "\n";
  return text;
}

std::string Explain(const CompileReport& report) {
  std::string text = Summarize(report);
  std::multimap<int64_t, const decision::Record*> by_instruction;
  struct Counted {
    int64_t count = 0;
    const decision::Record* first = nullptr;
  };
  std::map<std::tuple<decision::Question, decision::Answer, decision::Fact>, Counted> rest;
  for (const decision::Record& record : report.decisions.records())
    by_instruction.emplace(record.instruction, &record);
  for (const auto& fusion : report.fusions) {
    text += fmt::format("\n%{} {}: {} emitter, {} instructions, {} workgroup{}, kernel {}\n", fusion.name,
                        fusion.shape, fusion.emitter, fusion.instructions, fusion.workgroups,
                        fusion.workgroups == 1 ? "" : "s", fusion.symbol);
    const auto [begin, end] = by_instruction.equal_range(fusion.instruction);
    for (auto it = begin; it != end; ++it) text += "  " + Line(*it->second);
    by_instruction.erase(begin, end);
  }
  // What is left was asked of ops that are no fusion now: library calls and the like are listed, the rest is
  // counted.
  bool title = false;
  for (const auto& [instruction, record] : by_instruction) {
    const bool listed = record->question == decision::Question::kDotLibrary ||
                        record->question == decision::Question::kConvolutionLibrary ||
                        record->question == decision::Question::kFftLibrary ||
                        record->question == decision::Question::kForeignStamp ||
                        record->question == decision::Question::kDonation;
    if (listed) {
      if (!title) text += "\nlibrary calls, stamps and donated parameters\n";
      title = true;
      text += fmt::format("  %{:<28} {}", NameOf(report, instruction), Line(*record));
    } else {
      Counted& counted = rest[{record->question, record->answer, record->fact}];
      if (++counted.count == 1) counted.first = record;
    }
  }
  if (!rest.empty()) text += "\nother decisions, counted, with the first one's numbers\n";
  for (const auto& [key, counted] : rest) {
    text += fmt::format("{:>7} x {}", counted.count, Line(*counted.first));
  }
  return text;
}

}  // namespace subfloor::explain
