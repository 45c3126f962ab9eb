#pragma once

#include <cstdint>
#include <string>

#include "decision/compile_report.h"

namespace subfloor::explain {

using decision::CompileReport;

/// Phases and their times, kernels, buffers and the predicted peak: a dozen lines.
std::string Summarize(const CompileReport& report);

/// The summary, then every fusion with its emitter and each question asked of it with the answer and the fact
/// that settled it, then the decisions that concern no fusion, counted by question and fact.
std::string Explain(const CompileReport& report);

/// "1.5 MiB", "512 B".
std::string Bytes(int64_t bytes);

}  // namespace subfloor::explain
