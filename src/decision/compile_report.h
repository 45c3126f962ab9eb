#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "decision/decision.h"

/// What a compiler tells of its work, in plain values: written by the compilers, rendered by `explain`.
namespace subfloor::decision {

struct PhaseTime {
  std::string name;
  std::chrono::nanoseconds elapsed{};

  double milliseconds() const { return std::chrono::duration<double, std::milli>(elapsed).count(); }
};

/// One fusion of the final program.
struct FusionReport {
  int64_t instruction = -1;
  std::string name;
  std::string emitter;
  std::string shape;
  std::string symbol;        ///< of its kernel; equal fusions share one
  int64_t instructions = 0;  ///< in its body
  int64_t workgroups = 1;
};

/// What was done and why; everything `explain` shows of a program compiled for the CPU.
struct CompileReport {
  std::string module;
  int64_t instructions_before = 0;       ///< in the program as it came
  std::vector<PhaseTime> phases;         ///< one after the other, by the clock
  std::vector<PhaseTime> codegen_times;  ///< inside "code generation": processor time of all compile threads
  std::vector<PhaseTime> pass_times;     ///< inside "rewrite", in the order in which the passes ran
  Log decisions;
  std::vector<FusionReport> fusions;
  std::vector<std::pair<int64_t, std::string>> names;  ///< instruction id -> name, ascending by id
  int64_t distinct_kernels = 0, code_bytes = 0;
  int64_t parameter_bytes = 0, output_bytes = 0, constant_bytes = 0, temp_bytes = 0;
  int64_t scratch_bytes = 0;  ///< what the neediest kernel works in
  int64_t donated_bytes = 0;  ///< of parameters whose memory an output may take over
  int64_t copies = 0;         ///< transfers between buffers that could not be elided
};

}  // namespace subfloor::decision
