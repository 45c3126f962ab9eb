#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "decision/decision.h"

namespace subfloor::explain {

/// What there is to tell of one compilation, in plain values: this floor sees no other.
struct CompileReport {
  struct Row {
    std::string name;
    double milliseconds = 0;
  };
  struct Fusion {
    int64_t instruction = -1;
    std::string name, emitter, shape, symbol;
    int64_t instructions = 0, workgroups = 1;
  };
  std::string module;
  int64_t instructions_before = 0;
  std::vector<Row> phases;         ///< one after the other, by the clock
  std::vector<Row> codegen_times;  ///< of the phase "code generation": processor time of all threads
  std::vector<Row> passes;
  std::vector<Fusion> fusions;
  const decision::Log* decisions = nullptr;
  std::vector<std::pair<int64_t, std::string>> names;  ///< instruction id -> name, ascending by id
  int64_t distinct_kernels = 0, code_bytes = 0, copies = 0;
  int64_t parameter_bytes = 0, output_bytes = 0, constant_bytes = 0, temp_bytes = 0;
  int64_t donated_bytes = 0;  ///< of parameters whose memory an output may take over
};

/// Phases and their times, kernels, buffers and the predicted peak: a dozen lines.
std::string Summarize(const CompileReport& report);

/// The summary, then every fusion with its emitter and each question asked of it with the answer and the fact
/// that settled it, then the decisions that concern no fusion, counted by question and fact.
std::string Explain(const CompileReport& report);

/// "1.5 MiB", "512 B".
std::string Bytes(int64_t bytes);

}  // namespace subfloor::explain
