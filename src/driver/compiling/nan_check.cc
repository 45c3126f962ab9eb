#include "driver/compiling/nan_check.h"

#include <algorithm>
#include <cmath>

#include "types/narrow.h"

namespace subfloor::driver {
namespace {

// Index of the first NaN of an array, or -1. Tuples are looked at where their elements are made.
int64_t FirstNan(const Literal& literal) {
  const ElementType type = literal.element_type();
  if (!IsFloat(type) && !IsComplex(type)) return -1;
  const int64_t count = literal.shape().element_count();
  for (int64_t i = 0; i < count; ++i) {
    const std::complex<double> value = GetAsComplex(literal, i);
    if (std::isnan(value.real()) || std::isnan(value.imag())) return i;
  }
  return -1;
}

}  // namespace

Result<std::string> FindFirstNan(const hlo::Module& module, std::span<const Literal> arguments,
                                 EvaluateOptions options) {
  std::string found;
  options.observe = [&](const hlo::Instruction& instruction, std::span<const Literal* const> operands,
                        const Literal& value) -> Status {
    if (!found.empty()) return {};
    const int64_t index = FirstNan(value);
    if (index < 0) return {};
    if (std::ranges::any_of(operands, [](const Literal* operand) { return FirstNan(*operand) >= 0; }))
      return {};
    const std::string op_name = instruction.annotations().MetadataField("op_name");
    found = fmt::format("%{}, {} {}{}makes the first NaN, at element {}", instruction.name(),
                        ToString(instruction.opcode()), value.shape().ToString(false),
                        op_name.empty() ? " " : fmt::format(" of {} ", op_name), index);
    return {};
  };
  SF_TRY(Evaluate(module, arguments, options));
  return found.empty() ? std::string("no op makes a NaN") : found;
}

}  // namespace subfloor::driver
