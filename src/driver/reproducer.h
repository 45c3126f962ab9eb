#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "driver/options.h"
#include "hlo/module.h"

namespace subfloor::driver {

/// Writes a program that shows a bug of ours, with the message and the options that differ from their
/// defaults as comments on top, to a new file: in the folder that the option "reproducer-dir" names, else the
/// system's for temporary files. `subfloor compile` takes the file as it is. Gives: a sentence that says
/// where it lies or why it could not be written; empty if the option says "none". Threads: any; it is also
/// called when LLVM is about to end the process.
std::string LeaveReproducer(const hlo::Module& module, const Options& options, std::string_view message);

/// The error, with where the program was left if it is a bug of ours.
Error WithReproducer(Error error, const hlo::Module& module, const Options& options);

}  // namespace subfloor::driver
