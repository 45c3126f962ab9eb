#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decision/decision.h"

namespace subfloor::explain {

/// What was decided about every fusion of a program for a GPU, in plain values.
struct GpuReport {
  struct Launch {
    std::array<int64_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
    int64_t shared_bytes = 0;
  };
  struct Fusion {
    int64_t instruction = -1;  ///< under which its decisions stand in the log
    std::string name, shape;
    std::string kind, emitter;  ///< empty if no emitter takes it; `problem` says why
    std::string problem;
    std::string stamp;             ///< the word that settled it, if one did
    std::optional<Launch> launch;  ///< of the first kernel; none for copies and what others compile
    int64_t kernels = 0;
    std::vector<std::pair<std::string, std::string>> plan;  ///< what else the plan says: name, value
  };
  std::string module, target;
  std::vector<Fusion> fusions;
  decision::Log decisions;
};

/// A table: every fusion with its kind, emitter and plan, and each question asked with the answer and the
/// fact that settled it.
std::string Explain(const GpuReport& report);

/// The same as JSON, in the form of docs/explain.md.
std::string ExplainAsJson(const GpuReport& report);
inline constexpr int kGpuReportVersion = 1;

}  // namespace subfloor::explain
