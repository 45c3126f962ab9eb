#include <gtest/gtest.h>

#include <complex>
#include <optional>
#include <random>

#include "codegen/support/elemental_harness.h"
#include "codegen/support/math_reference.h"

namespace subfloor::testing {
namespace {

using hlo::Opcode;
using ComplexQuad = _Complex __float128;
extern "C" {
ComplexQuad cexpq(ComplexQuad), clogq(ComplexQuad), csqrtq(ComplexQuad), csinq(ComplexQuad),
    ccosq(ComplexQuad), ctanq(ComplexQuad), csinhq(ComplexQuad), ccoshq(ComplexQuad), ctanhq(ComplexQuad),
    casinq(ComplexQuad), cacosq(ComplexQuad), casinhq(ComplexQuad), cacoshq(ComplexQuad),
    catanhq(ComplexQuad);
Quad hypotq(Quad, Quad);
}

ComplexQuad Make(Quad re, Quad im) {
  ComplexQuad z;
  __real__ z = re;
  __imag__ z = im;
  return z;
}

ComplexQuad Reference(Opcode opcode, ComplexQuad z, ComplexQuad w) {
  const ComplexQuad one = Make(1, 0);
  switch (opcode) {
    case Opcode::kExp:
      return cexpq(z);
    case Opcode::kExpm1: {
      const Quad half = sinq((__imag__ z) / 2);
      return Make(expm1q(__real__ z) * cosq(__imag__ z) - 2 * half * half,
                  expq(__real__ z) * sinq(__imag__ z));
    }
    case Opcode::kLog:
      return clogq(z);
    case Opcode::kLog1p: {
      const Quad x = __real__ z, y = __imag__ z;
      return Make(log1pq(x * (2 + x) + y * y) / 2, atan2q(y, 1 + x));
    }
    case Opcode::kLogistic:
      return __real__ z >= 0 ? one / (one + cexpq(-z)) : cexpq(z) / (one + cexpq(z));
    case Opcode::kSqrt:
      return csqrtq(z);
    case Opcode::kRsqrt:
      return one / csqrtq(z);
    case Opcode::kSin:
      return csinq(z);
    case Opcode::kCosine:
      return ccosq(z);
    case Opcode::kTan:
      return ctanq(z);
    case Opcode::kSinh:
      return csinhq(z);
    case Opcode::kCosh:
      return ccoshq(z);
    case Opcode::kTanh:
      return ctanhq(z);
    case Opcode::kAsin:
      return casinq(z);
    case Opcode::kAcos:
      return cacosq(z);
    case Opcode::kAsinh:
      return casinhq(z);
    case Opcode::kAcosh:
      return cacoshq(z);
    case Opcode::kAtanh:
      return catanhq(z);
    case Opcode::kSign:
      return z / Make(hypotq(__real__ z, __imag__ z), 0);
    case Opcode::kDivide:
      return z / w;
    case Opcode::kMultiply:
      return z * w;
    default:
      return z;
  }
}

template <typename T>
struct Arrays {
  std::vector<T> re, im;
};

/// Points at many sizes, on and near the axes, the unit circle and the branch points.
template <typename T>
Arrays<T> Points(int count, int most_exponent, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> part(-1, 1);
  Arrays<T> points;
  for (int i = 0; i < count; ++i) {
    double x = std::ldexp(
        part(random), static_cast<int>(random() % static_cast<uint64_t>(2 * most_exponent)) - most_exponent);
    double y = std::ldexp(
        part(random), static_cast<int>(random() % static_cast<uint64_t>(2 * most_exponent)) - most_exponent);
    const double tiny = std::ldexp(part(random), -static_cast<int>(random() % 30));
    switch (random() % 8) {
      case 0:
        x = part(random) * 4, y = part(random) * 4;
        break;
      case 1:
        x = (random() & 1 ? 1 : -1) + tiny, y = std::ldexp(part(random), -static_cast<int>(random() % 30));
        break;
      case 2:
        y = (random() & 1 ? 1 : -1) + tiny, x = std::ldexp(part(random), -static_cast<int>(random() % 30));
        break;
      case 3: {
        const double angle = part(random) * M_PI;
        x = std::cos(angle) * (1 + tiny), y = std::sin(angle) * (1 + tiny);
        break;
      }
      case 4:
        y = std::ldexp(y, -20);
        break;
      default:
        break;
    }
    points.re.push_back(static_cast<T>(x));
    points.im.push_back(static_cast<T>(y));
  }
  return points;
}

template <typename T>
Arrays<T> RunOp(Opcode opcode, const std::vector<Arrays<T>>& inputs, int64_t lanes) {
  const ElementType type = sizeof(T) == 4 ? ElementType::kC64 : ElementType::kC128;
  auto kernel =
      ElementalKernel::Compile({opcode, std::vector<ElementType>(inputs.size(), type), type}, lanes);
  EXPECT_TRUE(kernel.has_value()) << kernel.error().ToString();
  Arrays<T> out = inputs[0];
  if (!kernel) return out;
  std::vector<const void*> arrays;
  for (const auto& input : inputs) arrays.push_back(input.re.data()), arrays.push_back(input.im.data());
  void* results[] = {out.re.data(), out.im.data()};
  kernel->Run(arrays, results, static_cast<int64_t>(out.re.size()));
  return out;
}

/// The distance in units of the last place of the result's modulus.
template <typename T>
double ModulusUlps(T re, T im, ComplexQuad want) {
  const Quad x = __real__ want, y = __imag__ want, modulus = hypotq(x, y);
  if (modulus > static_cast<Quad>(std::numeric_limits<T>::max()) || modulus != modulus)
    return 0;  // infinite in T: other tests
  if (!std::isfinite(re) || !std::isfinite(im)) return HUGE_VAL;
  int exponent = 0;
  std::frexp(static_cast<T>(modulus), &exponent);
  const int unit = std::max(exponent, std::numeric_limits<T>::min_exponent) - std::numeric_limits<T>::digits;
  const Quad distance = hypotq(static_cast<Quad>(re) - x, static_cast<Quad>(im) - y);
  return static_cast<double>(distance * static_cast<Quad>(std::ldexp(1.0, -unit / 2)) *
                             static_cast<Quad>(std::ldexp(1.0, -unit - -unit / 2)));
}

template <typename T>
void Check(Opcode opcode, int most_exponent) {
  const bool binary = opcode == Opcode::kDivide || opcode == Opcode::kMultiply;
  const int count = sizeof(T) == 4 ? 16000 : 4000;  // binary128 is slow
  std::vector<Arrays<T>> inputs = {Points<T>(count, most_exponent, 1)};
  if (binary) inputs.push_back(Points<T>(count, most_exponent, 2));
  Arrays<T> got = RunOp(opcode, inputs, 8), single = RunOp(opcode, inputs, 0);
  double worst = 0;
  size_t at = 0;
  for (size_t i = 0; i < got.re.size(); ++i) {
    const bool same = (got.re[i] == single.re[i] || std::isnan(got.re[i])) &&
                      (got.im[i] == single.im[i] || std::isnan(got.im[i]));
    ASSERT_TRUE(same) << ToString(opcode) << " differs by lanes at " << inputs[0].re[i] << ", "
                      << inputs[0].im[i];
    const ComplexQuad w = binary ? Make(inputs[1].re[i], inputs[1].im[i]) : Make(0, 0);
    const double error =
        ModulusUlps(got.re[i], got.im[i], Reference(opcode, Make(inputs[0].re[i], inputs[0].im[i]), w));
    if (error > worst || error != error) worst = error, at = i;
  }
  std::printf("  %-22s c%zu worst %.2f ULP of the modulus at (%a, %a)\n",
              std::string(ToString(opcode)).c_str(), 16 * sizeof(T), worst,
              static_cast<double>(inputs[0].re[at]), static_cast<double>(inputs[0].im[at]));
  EXPECT_LE(worst, 4.0) << ToString(opcode) << " at (" << std::hexfloat << inputs[0].re[at] << ", "
                        << inputs[0].im[at] << "): got (" << got.re[at] << ", " << got.im[at] << ")";
}

class ComplexFunction : public ::testing::TestWithParam<Opcode> {};
TEST_P(ComplexFunction, C64IsWithinFourUlpOfTheModulus) { Check<float>(GetParam(), 60); }
TEST_P(ComplexFunction, C128IsWithinFourUlpOfTheModulus) { Check<double>(GetParam(), 500); }
INSTANTIATE_TEST_SUITE_P(All, ComplexFunction,
                         ::testing::Values(Opcode::kExp, Opcode::kExpm1, Opcode::kLog, Opcode::kLog1p,
                                           Opcode::kLogistic, Opcode::kSqrt, Opcode::kRsqrt, Opcode::kSin,
                                           Opcode::kCosine, Opcode::kTan, Opcode::kSinh, Opcode::kCosh,
                                           Opcode::kTanh, Opcode::kAsin, Opcode::kAcos, Opcode::kAsinh,
                                           Opcode::kAcosh, Opcode::kAtanh, Opcode::kSign, Opcode::kDivide,
                                           Opcode::kMultiply),
                         [](const auto& info) {
                           std::string name(ToString(info.param));
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

/// One value, as a C++ complex number.
std::complex<double> One(Opcode opcode, std::complex<double> z, std::optional<std::complex<double>> w = {}) {
  std::vector<Arrays<double>> inputs = {{{z.real()}, {z.imag()}}};
  if (w) inputs.push_back({{w->real()}, {w->imag()}});
  Arrays<double> out = RunOp(opcode, inputs, 0);
  return {out.re[0], out.im[0]};
}

TEST(Complex, EndsAreThoseOfAnnexG) {
  const double inf = HUGE_VAL;
  EXPECT_EQ(One(Opcode::kExp, {-inf, 1}), std::complex<double>(0, 0));
  EXPECT_EQ(One(Opcode::kExp, {2, 0.0}).imag(), 0);
  EXPECT_EQ(One(Opcode::kLog, {0.0, 0.0}).real(), -inf);
  EXPECT_EQ(One(Opcode::kSqrt, {-4, -0.0}), std::complex<double>(0, -2));
  EXPECT_EQ(One(Opcode::kSqrt, {NAN, inf}), std::complex<double>(inf, inf));
  EXPECT_EQ(One(Opcode::kTanh, {inf, 1}), std::complex<double>(1, 0));
  EXPECT_EQ(One(Opcode::kDivide, {1, 2}, std::complex<double>(0, 0)), std::complex<double>(inf, inf));
  EXPECT_EQ(One(Opcode::kDivide, {1, 2}, std::complex<double>(inf, 0)), std::complex<double>(0, 0));
  EXPECT_EQ(One(Opcode::kDivide, {1e300, 1e300}, std::complex<double>(1e300, 1e300)),
            std::complex<double>(1, 0));
  EXPECT_EQ(One(Opcode::kSinh, {0.0, 2.0}).real(), 0);
  EXPECT_EQ(One(Opcode::kPower, {0, 0}, std::complex<double>(0, 0)), std::complex<double>(1, 0));
}

}  // namespace
}  // namespace subfloor::testing
