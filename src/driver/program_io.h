#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "hlo/module.h"
#include "types/literal.h"

namespace subfloor::driver {

/// The bytes of a file, or of standard input for "-". Errors: bad input, naming the path and the system's
/// reason.
Result<std::string> ReadInput(const std::string& path);

/// Reads, parses and verifies a program. Errors: those of the parser and the verifier, with file, line and
/// column.
Result<std::unique_ptr<hlo::Module>> ReadProgram(const std::string& path);

/// The same with the text it was read from.
struct TextAndProgram {
  std::string text;
  std::unique_ptr<hlo::Module> module;
};
Result<TextAndProgram> ReadTextAndProgram(const std::string& path);

/// One literal per entry parameter, drawn from the seed; parameter i uses seed + i.
Result<std::vector<Literal>> RandomArguments(const hlo::Module& module, uint64_t seed);

/// One literal per entry parameter from DIR/in0.npy, in1.npy, ...: one file a leaf, tuples flattened in
/// order. Errors: bad input, naming the file, when one is missing or does not convert exactly.
Result<std::vector<Literal>> ReadArguments(const hlo::Module& module, const std::string& folder);

/// Writes the arrays of a result to DIR/out0.npy, out1.npy, ..., tuples flattened in order; makes DIR.
Status WriteResult(const Literal& result, const std::string& folder);

/// A result as a person reads it: shape and elements of every leaf, long arrays shortened.
std::string DescribeResult(const Literal& result, int64_t max_elements = 12);

}  // namespace subfloor::driver
