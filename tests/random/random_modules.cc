/// Compiles random programs and compares their results with the evaluator's.
///
///   random_modules [--count=N] [--seconds=S] [--first=SEED] [--keep=DIR] [--target=cpu|sim:DEVICE]
///
/// Runs seeds FIRST, FIRST+1, ... until N are done or S seconds are over. Every failure is printed and its
/// program written to DIR (default: the temporary folder), ready for `subfloor reduce`. Exit code 1 if there
/// was any.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/file.h"
#include "driver/device_program.h"
#include "driver/options.h"
#include "driver/program.h"
#include "driver/program_io.h"
#include "evaluator/evaluator.h"
#include "hlo/printer.h"
#include "random/guarded_run.h"
#include "support/random_module.h"
#include "types/compare_literals.h"

namespace subfloor {
namespace {

struct Flags {
  int64_t count = 1'000'000'000;
  double seconds = 1e9;
  uint64_t first = 1;
  std::string keep = std::filesystem::temp_directory_path().string();
  std::string target = "cpu";
};

// What became of one program: "" if all is well, else what is wrong.
struct Outcome {
  std::string problem;
  bool unsupported = false;
};

CompareOptions ToleranceOf(ElementType type, bool exact) {
  CompareOptions tolerance;
  if (exact) return tolerance;
  // Sums in a free order and functions within 2 ULP, some deep: what matters is that nothing is off by its
  // own size. In narrow types an error that decides a rounding is a whole unit, and two of those may meet.
  tolerance.rtol = tolerance.atol = 1e-3;
  if (IsFloat(type) && BitWidth(type) < 32) {
    tolerance.rtol = tolerance.atol = std::max(0.1, std::exp2(1 - FormatOf(type).mantissa_bits));
  }
  return tolerance;
}

Result<Literal> RunOnCpu(const hlo::Module& module, std::span<const Literal> arguments, uint64_t seed,
                         const driver::Options& options) {
  const auto program = SF_TRY(driver::Program::Compile(module, options));
  return testing_support::GuardedRun(*program, module, arguments, /*donate=*/seed % 2 == 0);
}

// By turns op by op and fused anew.
Result<Literal> RunOnDevice(const hlo::Module& module, std::span<const Literal> arguments,
                            const driver::SimulatedTarget& target, uint64_t seed,
                            const driver::Options& options) {
  const auto fusing = seed % 3 == 0 ? driver::DeviceFusing::kAsGiven : driver::DeviceFusing::kOurs;
  const auto program = SF_TRY(driver::DeviceProgram::Compile(module, options, target, fusing));
  return program->Run(arguments);
}

Outcome Try(const testing_support::RandomProgram& random, uint64_t seed,
            const std::optional<driver::SimulatedTarget>& target) {
  const std::vector<Literal> arguments = testing_support::RandomArguments(*random.module, seed);
  const Result<Literal> expected = Evaluate(*random.module, arguments);
  if (!expected) return {"evaluator: " + expected.error().ToString()};
  driver::Options options;
  options.threads = 2;
  options.verify_passes = true;
  const Result<Literal> actual = target ? RunOnDevice(*random.module, arguments, *target, seed, options)
                                        : RunOnCpu(*random.module, arguments, seed, options);
  if (!actual) return {actual.error().ToString(), actual.error().kind() == ErrorKind::kNotSupported};
  for (size_t i = 0; i < expected->elements().size(); ++i) {
    const Literal& wanted = expected->elements()[i];
    const auto comparison =
        CompareLiterals(actual->elements()[i], wanted, ToleranceOf(wanted.element_type(), random.exact[i]));
    if (!comparison) return {comparison.error().ToString()};
    if (!comparison->Matches()) {
      return {fmt::format("result {} ({}): {}", i, random.exact[i] ? "exact" : "rounded",
                          comparison->ToString(true))};
    }
  }
  return {};
}

int Main(const Flags& flags) {
  const auto start = std::chrono::steady_clock::now();
  std::optional<driver::SimulatedTarget> target;
  if (flags.target != "cpu") {
    auto found = driver::SimulatedTargetOf(flags.target);
    if (!found) {
      fmt::print(stderr, "{}\n", found.error().ToString());
      return 2;
    }
    target = *std::move(found);
  }
  int64_t right = 0, failed = 0;
  std::map<std::string, int64_t> unsupported;
  for (int64_t i = 0; i < flags.count; ++i) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > flags.seconds)
      break;
    const uint64_t seed = flags.first + static_cast<uint64_t>(i);
    testing_support::RandomModuleOptions options;
    options.operations = 5 + static_cast<int>(seed % 4) * 8;
    options.layouts = seed % 5 == 0;
    options.empty_arrays = seed % 7 == 0;
    options.donations = seed % 3 == 0;
    // What has no kernel on a GPU yet.
    if (target) options.families &= ~(testing_support::kSorts | testing_support::kLinearAlgebra);
    const testing_support::RandomProgram random = testing_support::RandomModule(seed, options);
    const std::string path = fmt::format("{}/random_{}.hlo", flags.keep, seed);
    // Written before it is run: a crash leaves its program behind.
    if (!WriteFile(path, hlo::Print(*random.module))) return 1;
    const Outcome outcome = Try(random, seed, target);
    if (outcome.problem.empty()) {
      ++right;
      std::filesystem::remove(path);
    } else if (outcome.unsupported) {
      ++unsupported[outcome.problem.substr(outcome.problem.rfind(": ") + 2)];
      std::filesystem::remove(path);
    } else {
      ++failed;
      fmt::print("seed {}: {}\n  {}\n", seed, outcome.problem, path);
      std::fflush(stdout);
    }
  }
  for (const auto& [what, count] : unsupported) fmt::print("not supported, {} times: {}\n", count, what);
  int64_t refused = 0;
  for (const auto& [what, count] : unsupported) refused += count;
  fmt::print("{} passed, {} failed, {} not supported\n", right, failed, refused);
  // The generator makes what is built: a part of the language that gets lost must not pass for a success.
  return failed == 0 && right > 0 && refused * 50 <= right ? 0 : 1;
}

}  // namespace
}  // namespace subfloor

int main(int argc, char** argv) {
  subfloor::Flags flags;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals),
                      value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (name == "--count")
      flags.count = std::atoll(value.c_str());
    else if (name == "--seconds")
      flags.seconds = std::atof(value.c_str());
    else if (name == "--first")
      flags.first = std::strtoull(value.c_str(), nullptr, 10);
    else if (name == "--target")
      flags.target = value;
    else if (name == "--keep")
      flags.keep = value;
    else {
      fmt::print(stderr,
                 "usage: random_modules [--count=N] [--seconds=S] [--first=SEED] [--keep=DIR] "
                 "[--target=cpu|sim:DEVICE]\n");
      return 2;
    }
  }
  return subfloor::Main(flags);
}
