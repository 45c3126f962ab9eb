#include "driver/program_io.h"

#include <filesystem>
#include <iostream>
#include <iterator>

#include "base/file.h"
#include "hlo/parser.h"
#include "hlo/verifier.h"
#include "types/compare_literals.h"
#include "types/npy.h"
#include "types/random_literal.h"

namespace subfloor::driver {
namespace {

// The literal of `shape` with its leaves, in order, from `next()`.
template <typename Next>
Result<Literal> FromLeaves(const Shape& shape, Next&& next) {
  Literal value = SF_TRY(Literal::Zeros(shape));
  for (Literal* leaf : MutableLeaves(value)) {
    if (leaf->shape().IsArray()) *leaf = SF_TRY(next(leaf->shape()));
  }
  return value;
}

}  // namespace

Result<std::string> ReadInput(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  return ReadFile(path);
}

Result<std::unique_ptr<hlo::Module>> ReadProgram(const std::string& path) {
  return SF_TRY(ReadTextAndProgram(path)).module;
}

Result<TextAndProgram> ReadTextAndProgram(const std::string& path) {
  TextAndProgram program;
  program.text = SF_TRY(ReadInput(path));
  const std::string name = path == "-" ? "<stdin>" : path;
  program.module = SF_TRY(hlo::ParseModule(program.text, name));
  if (Status valid = hlo::Verify(*program.module); !valid) {
    Error error = std::move(valid).error();
    if (error.position().file.empty()) error.At({name, error.position().line, error.position().column});
    return std::unexpected(std::move(error));
  }
  return program;
}

Result<std::vector<Literal>> RandomArguments(const hlo::Module& module, uint64_t seed) {
  std::vector<Literal> arguments;
  for (const hlo::Instruction* parameter : module.entry()->parameters()) {
    arguments.push_back(SF_TRY(RandomLiteral(parameter->shape(), seed + arguments.size())));
  }
  return arguments;
}

Result<std::vector<Literal>> ReadArguments(const hlo::Module& module, const std::string& folder) {
  std::vector<Literal> arguments;
  int64_t file = 0;
  for (const hlo::Instruction* parameter : module.entry()->parameters()) {
    arguments.push_back(SF_TRY(FromLeaves(parameter->shape(), [&](const Shape& shape) {
      return ReadNpyFile(fmt::format("{}/in{}.npy", folder, file++), shape);
    })));
  }
  return arguments;
}

Status WriteResult(const Literal& result, const std::string& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return BadInput("cannot make the folder {}: {}", folder, problem.message());
  int64_t file = 0;
  for (const Literal* leaf : Leaves(result)) {
    const int64_t number = file++;
    if (leaf->shape().IsArray()) SF_CHECK(WriteNpyFile(fmt::format("{}/out{}.npy", folder, number), *leaf));
  }
  return {};
}

std::string DescribeResult(const Literal& result, int64_t max_elements) {
  std::string text;
  int64_t number = 0;
  for (const Literal* leaf : Leaves(result)) {
    text += fmt::format("out{}: {}", number++, leaf->shape().ToString(/*with_layout=*/false));
    if (leaf->shape().IsArray()) {
      const int64_t count = leaf->shape().element_count();
      for (int64_t i = 0; i < std::min(count, max_elements); ++i)
        text += (i == 0 ? " " : ", ") + ElementToString(*leaf, i);
      if (count > max_elements) text += ", ...";
    }
    text += "\n";
  }
  return text;
}

}  // namespace subfloor::driver
