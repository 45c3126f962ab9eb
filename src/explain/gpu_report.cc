#include "explain/gpu_report.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

namespace subfloor::explain {
namespace {

using Json = nlohmann::ordered_json;
using Records = std::multimap<int64_t, const decision::Record*>;

Records ByInstruction(const decision::Log& log) {
  Records records;
  for (const decision::Record& record : log.records()) records.emplace(record.instruction, &record);
  return records;
}

std::string_view AnswerText(const decision::Record& record) {
  return record.answer == decision::Answer::kYes ? "yes" : "no";
}

}  // namespace

std::string Explain(const GpuReport& report) {
  std::string text = fmt::format("module {} for {}: {} fusion{}\n", report.module, report.target,
                                 report.fusions.size(), report.fusions.size() == 1 ? "" : "s");
  const Records records = ByInstruction(report.decisions);
  for (const GpuReport::Fusion& fusion : report.fusions) {
    text += fmt::format("\n%{} {}\n", fusion.name, fusion.shape);
    const auto [begin, end] = records.equal_range(fusion.instruction);
    for (auto it = begin; it != end; ++it) {
      text += fmt::format("  {:<48} {:<3}  {}\n", decision::Text(it->second->question),
                          AnswerText(*it->second), decision::Text(*it->second));
    }
    if (!fusion.problem.empty()) {
      text += fmt::format("  no emitter: {}\n", fusion.problem);
      continue;
    }
    text += fmt::format("  kind {}, emitter {}", fusion.kind, fusion.emitter);
    if (!fusion.stamp.empty()) text += fmt::format(", stamped {}", fusion.stamp);
    text += "\n";
    if (fusion.launch) {
      const auto& [grid, block, shared] = *fusion.launch;
      text += fmt::format("  launch grid [{}], block [{}], {} bytes shared", fmt::join(grid, ","),
                          fmt::join(block, ","), shared);
      text += fusion.kernels > 1 ? fmt::format(", the first of {} kernels\n", fusion.kernels) : "\n";
    } else {
      text += "  no kernel of ours\n";
    }
    if (!fusion.plan.empty()) {
      text += "  plan";
      for (const auto& [name, value] : fusion.plan) text += fmt::format(" {}={}", name, value);
      text += "\n";
    }
  }
  return text;
}

std::string ExplainAsJson(const GpuReport& report) {
  const Records records = ByInstruction(report.decisions);
  Json fusions = Json::array();
  for (const GpuReport::Fusion& fusion : report.fusions) {
    Json row = {{"name", fusion.name}, {"shape", fusion.shape}};
    const bool taken = fusion.problem.empty();
    row["kind"] = taken ? Json(fusion.kind) : Json();
    row["emitter"] = taken ? Json(fusion.emitter) : Json();
    if (!taken) row["problem"] = fusion.problem;
    if (!fusion.stamp.empty()) row["stamp"] = fusion.stamp;
    row["launch"] = Json();
    if (fusion.launch) {
      row["launch"] = {{"grid", fusion.launch->grid},
                       {"block", fusion.launch->block},
                       {"shared_bytes", fusion.launch->shared_bytes}};
    }
    row["kernels"] = fusion.kernels;
    row["plan"] = Json::object();
    for (const auto& [name, value] : fusion.plan) row["plan"][name] = value;
    row["decisions"] = Json::array();
    const auto [begin, end] = records.equal_range(fusion.instruction);
    for (auto it = begin; it != end; ++it) {
      row["decisions"].push_back({{"question", decision::Text(it->second->question)},
                                  {"answer", AnswerText(*it->second)},
                                  {"because", decision::Text(*it->second)}});
    }
    fusions.push_back(std::move(row));
  }
  const Json whole = {{"version", kGpuReportVersion},
                      {"module", report.module},
                      {"target", report.target},
                      {"fusions", std::move(fusions)}};
  // Names may hold any bytes; what is no UTF-8 is replaced.
  return whole.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

}  // namespace subfloor::explain
