// Every f32 through every unary elementary function, against the C library in f64: the evidence behind
// docs/math_accuracy.md.
//
//   bench/math_f32_exhaustive [--stride=N] [function...]
//
// Prints for each function the largest error in ULP, where it was, and how many results were not the nearest
// f32. A stride of 1 (the default) takes about a minute or two a function and core; 1009 is what the unit
// test does.
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "codegen/support/elemental_harness.h"
#include "codegen/support/math_reference.h"

namespace {

using namespace subfloor;
using namespace subfloor::testing;

struct Outcome {
  double worst = 0;
  float at = 0;
  uint64_t inexact = 0, count = 0;
};

/// The inputs whose bits lie in [first, last), every `stride`th.
Outcome Measure(const ElementalKernel& kernel, hlo::Opcode opcode, uint64_t first, uint64_t last,
                uint64_t stride) {
  constexpr size_t kBlock = 4096;
  std::vector<float> x(kBlock), y(kBlock);
  Outcome outcome;
  for (uint64_t bits = first; bits < last;) {
    size_t filled = 0;
    for (; filled < kBlock && bits < last; bits += stride)
      x[filled++] = std::bit_cast<float>(static_cast<uint32_t>(bits));
    const void* in = x.data();
    void* out = y.data();
    kernel.Run({&in, 1}, {&out, 1}, kBlock);
    for (size_t i = 0; i < filled; ++i) {
      const double error = UlpError(y[i], Reference(opcode, static_cast<double>(x[i])));
      outcome.inexact += error > 0.5;
      if (error > outcome.worst) outcome.worst = error, outcome.at = x[i];
    }
    outcome.count += filled;
  }
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t stride = 1;
  std::vector<std::string_view> names;
  for (int i = 1; i < argc; ++i) {
    std::string_view argument = argv[i];
    if (argument.starts_with("--stride="))
      stride = std::max<uint64_t>(1, std::strtoull(argument.substr(9).data(), nullptr, 10));
    else
      names.push_back(argument);
  }
  std::printf("| function | worst ULP | at | not nearest |\n|---|---|---|---|\n");
  for (hlo::Opcode opcode : kUnaryFunctions) {
    if (!names.empty() && std::find(names.begin(), names.end(), ToString(opcode)) == names.end()) continue;
    auto kernel = ElementalKernel::Compile({opcode, {ElementType::kF32}, ElementType::kF32}, /*lanes=*/16);
    if (!kernel) {
      std::fprintf(stderr, "%s\n", kernel.error().ToString().c_str());
      return ExitCode(kernel.error().kind());
    }
    const uint64_t workers = std::max(1u, std::thread::hardware_concurrency());
    std::vector<Outcome> outcomes(workers);
    std::vector<std::thread> threads;
    for (uint64_t w = 0; w < workers; ++w)
      threads.emplace_back([&, w] {
        const uint64_t all = uint64_t{1} << 32, share = (all / workers + stride - 1) / stride * stride;
        outcomes[w] = Measure(*kernel, opcode, std::min(all, w * share),
                              w + 1 == workers ? all : std::min(all, (w + 1) * share), stride);
      });
    for (std::thread& thread : threads) thread.join();
    Outcome total;
    for (const Outcome& outcome : outcomes) {
      if (outcome.worst > total.worst) total.worst = outcome.worst, total.at = outcome.at;
      total.inexact += outcome.inexact, total.count += outcome.count;
    }
    std::printf("| %s | %.3f | %a | %.3f %% |\n", std::string(ToString(opcode)).c_str(), total.worst,
                static_cast<double>(total.at),
                100.0 * static_cast<double>(total.inexact) / static_cast<double>(total.count));
    std::fflush(stdout);
  }
  return 0;
}
