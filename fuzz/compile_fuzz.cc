// Any bytes given as HLO text: what parses and verifies is compiled, or refused for a reason; what compiled
// and is sure to end soon is run, on one thread and without the evaluator's opinion. Nothing aborts, leaks or
// hangs, and no error says that the fault is ours.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "driver/program.h"
#include "driver/program_io.h"
#include "hlo/parser.h"
#include "hlo/printer.h"
#include "hlo/verifier.h"

namespace {

using namespace subfloor;

// Beyond these a program is no mistake of ours, only slow.
constexpr int64_t kMostInstructions = 200;
constexpr int64_t kMostBytes = 1 << 20;

void Fail(const char* what, const Error& error, const hlo::Module& module) {
  std::fprintf(stderr, "%s: %s\n%s\n", what, error.ToString().c_str(), hlo::Print(module).c_str());
  std::abort();
}

bool IsSmall(const hlo::Module& module) {
  if (module.instruction_count() > kMostInstructions) return false;
  int64_t bytes = 0;
  for (const hlo::Computation* computation : module.computations()) {
    for (const hlo::Instruction* instruction : computation->instructions()) {
      for (const Shape* leaf : Leaves(instruction->shape())) {
        if (leaf->byte_size() > kMostBytes) return false;
        bytes += leaf->byte_size();
      }
    }
  }
  return bytes <= kMostBytes;
}

// Loops may go on for ever, windows may be large where arrays are small, outside code may do anything.
bool EndsSoon(const hlo::Module& module) {
  for (const hlo::Computation* computation : module.computations()) {
    for (const hlo::Instruction* instruction : computation->instructions()) {
      switch (instruction->opcode()) {
        case hlo::Opcode::kWhile:
        case hlo::Opcode::kCustomCall:
        case hlo::Opcode::kReduceWindow:
        case hlo::Opcode::kSelectAndScatter:
        case hlo::Opcode::kConvolution:
          return false;
        default:
          break;
      }
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto module = hlo::ParseModule({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!module || !hlo::Verify(**module)) return 0;
  if (!IsSmall(**module)) return 0;
  driver::Options options;
  options.threads = 1;
  options.memory_limit = 64 << 20;
  const auto program = driver::Program::Compile(**module, options);
  if (!program) {
    if (program.error().kind() == ErrorKind::kInternal) Fail("compile", program.error(), **module);
    return 0;
  }
  if (!EndsSoon(**module)) return 0;
  const auto arguments = driver::RandomArguments(**module, 1);
  if (!arguments) return 0;
  const auto result = (*program)->Run(*arguments);
  if (!result && result.error().kind() == ErrorKind::kInternal) Fail("run", result.error(), **module);
  return 0;
}
