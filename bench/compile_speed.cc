#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "driver/program.h"
#include "driver/program_io.h"

/// What code generation costs in one process: `compile_speed [--repeat=N] FILE...` compiles each program N
/// times (5) and prints its distinct kernels and the processor time of code generation in milliseconds, of
/// the first compile and of the median of those after it; then both as an average over all kernels.
namespace subfloor {
namespace {

struct Times {
  int64_t kernels = 0;
  double first = 0, later = 0;  // milliseconds
};

Result<Times> TimeCompiles(std::string_view file, int repeat) {
  auto module = SF_TRY(driver::ReadProgram(std::string(file)));
  Times times;
  std::vector<double> all;
  for (int i = 0; i < repeat; ++i) {
    auto program = SF_TRY(driver::Program::Compile(*module, driver::Options()));
    double milliseconds = 0;
    for (const auto& phase : program->report().codegen_times) milliseconds += phase.milliseconds;
    times.kernels = program->report().distinct_kernels;
    all.push_back(milliseconds);
  }
  times.first = all.front();
  if (all.size() > 1) all.erase(all.begin());
  std::ranges::sort(all);
  times.later = all[all.size() / 2];
  return times;
}

int Main(int count, char** arguments) {
  int repeat = 5;
  Times sum;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (constexpr std::string_view kRepeat = "--repeat="; argument.starts_with(kRepeat)) {
      std::from_chars(argument.data() + kRepeat.size(), argument.data() + argument.size(), repeat);
      repeat = std::max(repeat, 1);
      continue;
    }
    const auto times = TimeCompiles(argument, repeat);
    if (!times) {
      fmt::print(stderr, "{}: {}\n", argument, times.error().ToString());
      return 1;
    }
    fmt::print("{} {} kernels, first {:.1f} ms, later {:.1f} ms\n", argument, times->kernels, times->first,
               times->later);
    sum.kernels += times->kernels, sum.first += times->first, sum.later += times->later;
  }
  const double kernels = static_cast<double>(std::max<int64_t>(sum.kernels, 1));
  fmt::print("all {} kernels, first {:.2f} ms a kernel, later {:.2f} ms a kernel\n", sum.kernels,
             sum.first / kernels, sum.later / kernels);
  return 0;
}

}  // namespace
}  // namespace subfloor

int main(int count, char** arguments) { return subfloor::Main(count, arguments); }
