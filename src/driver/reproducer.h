#pragma once

#include <string>
#include <string_view>

#include "driver/options.h"
#include "hlo/module.h"

namespace subfloor::driver {

/// Writes a program that shows a bug of ours, with the message and the options that differ from their
/// defaults as comments on top, to a new file: in the folder that the option "reproducer-dir" names, else the
/// system's for temporary files. `subfloor compile` takes the file as it is. Gives: a sentence that says
/// where it lies or why it could not be written; empty if the option says "none". Threads: any; it is also
/// called when LLVM is about to end the process.
std::string LeaveReproducer(const hlo::Module& module, const Options& options, std::string_view message);

}  // namespace subfloor::driver
