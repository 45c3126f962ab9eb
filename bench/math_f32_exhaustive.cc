// Every f32 through every unary elementary function, against the C library in f64: the evidence behind
// docs/math_accuracy.md.
//
//   bench/math_f32_exhaustive [--stride=N] [function...]
//
// Prints for each function the largest error in ULP, where it was, and how many results were not the nearest
// f32. glibc's vector functions (libmvec, within 4 ULP of f64) look at every input first; whatever is not an
// ordinary number, or comes near the worst so far, is measured again with the scalar C library. That makes
// the default stride of 1 a matter of a minute a function where the scalar reference alone took five.
#include <algorithm>
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

constexpr int kLanes = 4;
using Doubles = double __attribute__((vector_size(8 * kLanes)));
using Floats = float __attribute__((vector_size(4 * kLanes)));
using Ints = int32_t __attribute__((vector_size(4 * kLanes)));
using Longs = int64_t __attribute__((vector_size(8 * kLanes)));
using VectorFunction = Doubles (*)(Doubles);

extern "C" {
Doubles _ZGVdN4v_exp(Doubles), _ZGVdN4v_expm1(Doubles), _ZGVdN4v_log(Doubles), _ZGVdN4v_log1p(Doubles),
    _ZGVdN4v_sin(Doubles), _ZGVdN4v_cos(Doubles), _ZGVdN4v_tan(Doubles), _ZGVdN4v_sinh(Doubles),
    _ZGVdN4v_cosh(Doubles), _ZGVdN4v_tanh(Doubles), _ZGVdN4v_asin(Doubles), _ZGVdN4v_acos(Doubles),
    _ZGVdN4v_asinh(Doubles), _ZGVdN4v_acosh(Doubles), _ZGVdN4v_atanh(Doubles), _ZGVdN4v_erf(Doubles),
    _ZGVdN4v_cbrt(Doubles);
}

Doubles SquareRoot(Doubles x) { return __builtin_elementwise_sqrt(x); }
Doubles ReciprocalRoot(Doubles x) { return 1.0 / __builtin_elementwise_sqrt(x); }
/// exp(-|x|) cannot overflow, so that no quotient of infinities comes up.
Doubles Logistic(Doubles x) {
  const Doubles small = _ZGVdN4v_exp(-__builtin_elementwise_abs(x));
  return (x >= 0 ? Doubles{1, 1, 1, 1} : small) / (1.0 + small);
}

VectorFunction VectorReference(hlo::Opcode opcode) {
  switch (opcode) {
    case hlo::Opcode::kExp:
      return _ZGVdN4v_exp;
    case hlo::Opcode::kExpm1:
      return _ZGVdN4v_expm1;
    case hlo::Opcode::kLog:
      return _ZGVdN4v_log;
    case hlo::Opcode::kLog1p:
      return _ZGVdN4v_log1p;
    case hlo::Opcode::kLogistic:
      return Logistic;
    case hlo::Opcode::kSin:
      return _ZGVdN4v_sin;
    case hlo::Opcode::kCosine:
      return _ZGVdN4v_cos;
    case hlo::Opcode::kTan:
      return _ZGVdN4v_tan;
    case hlo::Opcode::kSinh:
      return _ZGVdN4v_sinh;
    case hlo::Opcode::kCosh:
      return _ZGVdN4v_cosh;
    case hlo::Opcode::kTanh:
      return _ZGVdN4v_tanh;
    case hlo::Opcode::kAsin:
      return _ZGVdN4v_asin;
    case hlo::Opcode::kAcos:
      return _ZGVdN4v_acos;
    case hlo::Opcode::kAsinh:
      return _ZGVdN4v_asinh;
    case hlo::Opcode::kAcosh:
      return _ZGVdN4v_acosh;
    case hlo::Opcode::kAtanh:
      return _ZGVdN4v_atanh;
    case hlo::Opcode::kErf:
      return _ZGVdN4v_erf;
    case hlo::Opcode::kCbrt:
      return _ZGVdN4v_cbrt;
    case hlo::Opcode::kRsqrt:
      return ReciprocalRoot;
    default:
      return SquareRoot;
  }
}

struct Outcome {
  double worst = 0;
  float at = 0;
  uint64_t inexact = 0, count = 0;

  void Take(double error, float x) {
    inexact += error > 0.5;
    if (error > worst) worst = error, at = x;
  }
};

/// The error of each lane as UlpError has it, where `got` and `want` are ordinary numbers; NaN where one is a
/// zero, infinite or no number.
Doubles OrdinaryUlpError(Floats got, Doubles want) {
  const Floats nearest = __builtin_convertvector(want, Floats);
  const Ints exponent = (std::bit_cast<Ints>(nearest) >> 23) & 255;
  const Longs per_unit =
      __builtin_convertvector(1023 + 150 - __builtin_elementwise_max(exponent, Ints{1, 1, 1, 1}), Longs)
      << 52;
  const Doubles wide = __builtin_convertvector(got, Doubles);
  const Doubles error = __builtin_elementwise_abs(wide - want) * std::bit_cast<Doubles>(per_unit);
  const Doubles product = wide * want;  // f32 by f32 sizes: no underflow in f64, so zero means a zero
  const Longs ordinary =
      (product != 0) & (__builtin_convertvector(exponent, Longs) != 255) & (wide - wide == 0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return ordinary ? error : Doubles{nan, nan, nan, nan};
}

/// The inputs whose bits lie in [first, last), every `stride`th.
Outcome Measure(const ElementalKernel& kernel, hlo::Opcode opcode, uint64_t first, uint64_t last,
                uint64_t stride) {
  constexpr size_t kBlock = 4096;
  const VectorFunction reference = VectorReference(opcode);
  std::vector<float> x(kBlock), y(kBlock);
  Outcome outcome;
  for (uint64_t bits = first; bits < last;) {
    size_t filled = 0;
    for (; filled < kBlock && bits < last; bits += stride)
      x[filled++] = std::bit_cast<float>(static_cast<uint32_t>(bits));
    const void* in = x.data();
    void* out = y.data();
    kernel.Run({&in, 1}, {&out, 1}, kBlock);
    for (size_t i = 0; i < filled; i += kLanes) {
      Floats input, got;
      std::memcpy(&input, &x[i], sizeof input);
      std::memcpy(&got, &y[i], sizeof got);
      const Doubles error = OrdinaryUlpError(got, reference(__builtin_convertvector(input, Doubles)));
      for (size_t lane = 0; lane < std::min<size_t>(kLanes, filled - i); ++lane) {
        // Near the half ulp as near the worst, the vector function's own error could decide.
        const bool clear = error[lane] < outcome.worst - 1e-6 && std::abs(error[lane] - 0.5) > 1e-6;
        outcome.Take(
            clear ? error[lane] : UlpError(y[i + lane], Reference(opcode, static_cast<double>(x[i + lane]))),
            x[i + lane]);
      }
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
