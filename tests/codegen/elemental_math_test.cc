#include <gtest/gtest.h>

#include "codegen/support/elemental_harness.h"
#include "codegen/support/math_reference.h"
#include "codegen/support/samples.h"

namespace subfloor::testing {
namespace {

using hlo::Opcode;

constexpr double kMostUlp = 2.0;

/// Runs a function of one or two operands on arrays, as vectors and as scalars, which must give equal bits.
template <typename T>
std::vector<T> RunBoth(Opcode opcode, std::vector<std::vector<T>> inputs) {
  const ElementType type = sizeof(T) == 4 ? ElementType::kF32 : ElementType::kF64;
  for (auto& input : inputs)
    while (input.size() % 16 != 0) input.push_back(input.back());
  const size_t count = inputs[0].size();
  OpSpec spec{opcode, std::vector<ElementType>(inputs.size(), type), type};
  std::vector<std::vector<T>> results;
  for (int64_t lanes : {0, 16}) {
    auto kernel = ElementalKernel::Compile(spec, lanes);
    EXPECT_TRUE(kernel.has_value()) << kernel.error().ToString();
    if (!kernel) return {};
    std::vector<T> result(count);
    std::vector<const void*> arrays;
    for (auto& input : inputs) arrays.push_back(input.data());
    void* out = result.data();
    kernel->Run(arrays, {&out, 1}, static_cast<int64_t>(count));
    results.push_back(std::move(result));
  }
  int differing = 0;
  for (size_t i = 0; i < count && differing < 3; ++i) {
    const bool nan = std::isnan(results[0][i]) && std::isnan(results[1][i]);
    if (nan || std::memcmp(&results[0][i], &results[1][i], sizeof(T)) == 0) continue;
    ++differing;
    ADD_FAILURE() << ToString(opcode) << " of " << inputs[0][i] << ": one lane " << results[0][i] << ", many "
                  << results[1][i];
  }
  return results[0];
}

template <typename T, typename Wide>
void CheckUnary(Opcode opcode, const std::vector<T>& x) {
  std::vector<T> got = RunBoth<T>(opcode, {x});
  double worst = 0;
  T at = 0;
  for (size_t i = 0; i < x.size() && i < got.size(); ++i) {
    const double error = UlpError(got[i], Reference(opcode, static_cast<Wide>(x[i])));
    if (error > worst) worst = error, at = x[i];
  }
  EXPECT_LE(worst, kMostUlp) << ToString(opcode) << " at " << std::hexfloat << at;
  ::testing::Test::RecordProperty(std::string(ToString(opcode)), std::to_string(worst));
  std::printf("  %-22s f%zu worst %.3f ULP at %a\n", std::string(ToString(opcode)).c_str(), 8 * sizeof(T),
              worst, static_cast<double>(at));
}

class Unary : public ::testing::TestWithParam<Opcode> {};

TEST_P(Unary, F32EveryThousandthIsWithinTwoUlp) {
  std::vector<float> x;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 1009 * 4)
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (uint64_t bits : SampleBits(ElementType::kF32, 20000))
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  CheckUnary<float, double>(GetParam(), x);
}

TEST_P(Unary, F64SamplesAreWithinTwoUlp) {
  std::vector<double> x;
  for (uint64_t bits : SampleBits(ElementType::kF64, 4000)) x.push_back(std::bit_cast<double>(bits));
  // Where most functions do their work, both ways from zero, and around one and multiples of pi/4.
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> part(0, 1);
  for (int i = 0; i < 20000; ++i) {
    const double sign = random() & 1 ? -1 : 1;
    x.push_back(sign * std::ldexp(part(random), static_cast<int>(random() % 14) - 3));
    x.push_back(sign * std::ldexp(1 + part(random), -static_cast<int>(random() % 40)));
    x.push_back(sign *
                (1 + (random() & 1 ? 1 : -1) * std::ldexp(part(random), -static_cast<int>(random() % 30))));
    x.push_back(sign * M_PI_4 * static_cast<double>(random() % (uint64_t{1} << (1 + random() % 40))));
  }
  CheckUnary<double, Quad>(GetParam(), x);
}

INSTANTIATE_TEST_SUITE_P(All, Unary, ::testing::ValuesIn(kUnaryFunctions), [](const auto& info) {
  std::string name(ToString(info.param));
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

template <typename T, typename Wide>
void CheckBinary(Opcode opcode, const std::vector<T>& x, const std::vector<T>& y) {
  std::vector<T> got = RunBoth<T>(opcode, {x, y});
  double worst = 0;
  T at_x = 0, at_y = 0;
  for (size_t i = 0; i < x.size() && i < got.size(); ++i) {
    const double error =
        UlpError(got[i], Reference(opcode, static_cast<Wide>(x[i]), static_cast<Wide>(y[i])));
    if (error > worst) worst = error, at_x = x[i], at_y = y[i];
  }
  std::printf("  %-22s f%zu worst %.3f ULP at %a, %a\n", std::string(ToString(opcode)).c_str(), 8 * sizeof(T),
              worst, static_cast<double>(at_x), static_cast<double>(at_y));
  EXPECT_LE(worst, opcode == Opcode::kRemainder ? 0.0 : kMostUlp)
      << ToString(opcode) << " at " << std::hexfloat << at_x << ", " << at_y;
}

template <typename T>
std::pair<std::vector<T>, std::vector<T>> BinarySamples(int count) {
  const ElementType type = sizeof(T) == 4 ? ElementType::kF32 : ElementType::kF64;
  auto [a, b] = Pairs(SampleBits(type, 2000), SampleBits(type, 2000), static_cast<size_t>(count));
  std::vector<T> x, y;
  for (size_t i = 0; i < a.size(); ++i) {
    x.push_back(static_cast<T>(ToDouble(type, a[i])));
    y.push_back(static_cast<T>(ToDouble(type, b[i])));
  }
  std::vector<T> ends;
  for (T v : {T(0), T(0.5), T(1), T(1.5), T(2), T(3), T(1e-40), std::numeric_limits<T>::denorm_min(),
              std::numeric_limits<T>::max(), std::numeric_limits<T>::infinity(), T(1e30), T(4194303),
              T(9007199254740991)})
    ends.push_back(v), ends.push_back(-v);
  ends.push_back(std::numeric_limits<T>::quiet_NaN());
  for (T p : ends)
    for (T q : ends) x.push_back(p), y.push_back(q);
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> part(0, 1);
  for (int i = 0; i < count; ++i) {
    // Powers that neither overflow nor vanish, near one and elsewhere; quotients of one size.
    const double base = std::exp((part(random) - 0.5) * std::ldexp(1, -static_cast<int>(random() % 20)) * 40);
    x.push_back(static_cast<T>(base));
    y.push_back(static_cast<T>((part(random) - 0.5) * 2.2 * (sizeof(T) == 4 ? 88 : 709) /
                               std::max(std::abs(std::log(base)), 1e-30)));
    const double side = random() & 1 ? 1 : -1;
    x.push_back(static_cast<T>(side * std::ldexp(0.5 + part(random), static_cast<int>(random() % 40))));
    y.push_back(static_cast<T>((random() & 2 ? 1 : -1) *
                               std::ldexp(0.5 + part(random), static_cast<int>(random() % 40))));
  }
  return {x, y};
}

class BinaryFunction : public ::testing::TestWithParam<Opcode> {};

TEST_P(BinaryFunction, F32) {
  auto [x, y] = BinarySamples<float>(100000);
  CheckBinary<float, double>(GetParam(), x, y);
}
TEST_P(BinaryFunction, F64) {
  auto [x, y] = BinarySamples<double>(10000);
  CheckBinary<double, Quad>(GetParam(), x, y);
}
INSTANTIATE_TEST_SUITE_P(All, BinaryFunction, ::testing::ValuesIn(kBinaryFunctions),
                         [](const auto& info) { return std::string(ToString(info.param)); });

}  // namespace
}  // namespace subfloor::testing
