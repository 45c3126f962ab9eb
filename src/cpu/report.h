#pragma once

#include <span>
#include <string>

#include "cpu/buffer_assignment.h"
#include "cpu/value_flow.h"
#include "decision/compile_report.h"
#include "hlo/module.h"

namespace subfloor::cpu {

/// Every value's place and lifetime, and every transfer: the stage "buffers" of a dump.
std::string DescribeBuffers(const ValueFlow& flow, const BufferAssignment& assignment);

/// The part of a report that says what memory was assigned.
void ReportBuffers(const ValueFlow& flow, const BufferAssignment& assignment,
                   decision::CompileReport& report);

/// The names of all instructions of the modules, by id, one an id.
void ReportNames(std::span<const hlo::Module* const> modules, decision::CompileReport& report);

}  // namespace subfloor::cpu
