#include "types/narrow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace subfloor {
namespace {

using enum ElementType;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const std::vector<ElementType> kNarrowFloats = {
    kF16,        kBF16,       kF8E5M2,    kF8E4M3,   kF8E3M4,   kF8E4M3FN, kF8E4M3B11FNUZ,
    kF8E4M3FNUZ, kF8E5M2FNUZ, kF8E8M0FNU, kF4E2M1FN, kF6E2M3FN, kF6E3M2FN};

// The value of a finite pattern by the textbook formula, independent of the code under test.
double SlowValue(ElementType type, uint64_t bits) {
  const FloatFormat f = FormatOf(type);
  if (type == kF8E8M0FNU) return std::ldexp(1.0, static_cast<int>(bits) - 127);
  const int sign = static_cast<int>(bits >> (f.exponent_bits + f.mantissa_bits)) & 1;
  const int exponent = static_cast<int>(bits >> f.mantissa_bits) & ((1 << f.exponent_bits) - 1);
  const double fraction =
      static_cast<double>(bits & ((uint64_t{1} << f.mantissa_bits) - 1)) / (1 << f.mantissa_bits);
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, 1 - f.bias) : std::ldexp(1 + fraction, exponent - f.bias);
  return sign ? -magnitude : magnitude;
}

TEST(Narrow, EveryPatternRoundTripsAndHasItsTextbookValue) {
  for (ElementType type : kNarrowFloats) {
    int finite = 0;
    for (uint64_t bits = 0; bits < uint64_t{1} << BitWidth(type); ++bits) {
      if (IsNan(type, bits)) {
        ASSERT_TRUE(std::isnan(ToDouble(type, bits)));
        ASSERT_TRUE(IsNan(type, FromDouble(type, ToDouble(type, bits))));
        continue;
      }
      const double value = ToDouble(type, bits);
      if (!IsInfinity(type, bits)) {
        ASSERT_EQ(value, SlowValue(type, bits)) << ToString(type) << " " << bits;
        ++finite;
      }
      ASSERT_EQ(FromDouble(type, value), bits) << ToString(type) << " " << value;
      ASSERT_EQ(FromQuad(type, value), bits) << ToString(type) << " " << value;
    }
    // As many finite patterns as the format descriptions count.
    const FloatFormat f = FormatOf(type);
    const int all = 1 << BitWidth(type);
    int expected = all - (f.has_nan && !f.has_infinity ? (type == kF8E4M3FN ? 2 : 1) : 0);
    if (f.has_infinity) expected = all - 2 * (1 << f.mantissa_bits);
    EXPECT_EQ(finite, expected) << ToString(type);
  }
}

// Between each two neighbours: the midpoint goes to the even pattern, a hair to either side to that side.
TEST(Narrow, MidpointsGoToEvenAndTheirNeighboursToTheNearest) {
  for (ElementType type : kNarrowFloats) {
    for (uint64_t low = 0; low < MaxFinite(type); ++low) {
      const double a = SlowValue(type, low), b = SlowValue(type, low + 1);
      const double middle = (a + b) / 2;  // exact
      uint64_t even = low % 2 == 0 ? low : low + 1;
      if (type == kF8E8M0FNU) even = low + 1;  // its significand of one bit is odd, so ties go up
      ASSERT_EQ(FromDouble(type, middle), even) << ToString(type) << " " << middle;
      ASSERT_EQ(FromDouble(type, std::nextafter(middle, kInf)), low + 1) << ToString(type) << " " << middle;
      ASSERT_EQ(FromDouble(type, std::nextafter(middle, -kInf)), low) << ToString(type) << " " << middle;
      const __float128 hair = static_cast<__float128>(middle) * 0x1p-110;
      ASSERT_EQ(FromQuad(type, middle + hair), low + 1) << ToString(type) << " " << middle;
      ASSERT_EQ(FromQuad(type, middle - hair), low) << ToString(type) << " " << middle;
      if (FormatOf(type).has_sign && (even != 0 || FormatOf(type).has_negative_zero)) {
        ASSERT_EQ(FromDouble(type, -middle), even | uint64_t{1} << (BitWidth(type) - 1)) << ToString(type);
      }
    }
  }
}

TEST(Narrow, F32AgreesWithTheHardware) {
  uint64_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    // Exponents around all of f32's range, subnormals and overflow included.
    const uint64_t exponent = 1023 - 160 + (state >> 33) % 310;
    const auto value = std::bit_cast<double>(state << 52 >> 52 << 40 | (state >> 20 & 0xfffff) |
                                             exponent << 52 | state >> 63 << 63);
    const auto expected = static_cast<float>(value);
    ASSERT_EQ(FromDouble(kF32, value), std::bit_cast<uint32_t>(expected)) << value;
    if (!std::isinf(expected)) ASSERT_EQ(ToDouble(kF32, std::bit_cast<uint32_t>(expected)), expected);
    const auto integer = static_cast<int64_t>(state);
    ASSERT_EQ(FromInt(kF32, integer), std::bit_cast<uint32_t>(static_cast<float>(integer)));
    ASSERT_EQ(FromUint(kF64, state), std::bit_cast<uint64_t>(static_cast<double>(state)));
  }
}

TEST(Narrow, QuadRoundsOnceWhereTwoStepsWouldNot) {
  // 1 + 2^-24 + 2^-80 lies just above the midpoint of f32's 1 and 1 + 2^-23; a stop at f64 would lose the
  // 2^-80.
  const __float128 value = static_cast<__float128>(1) + 0x1p-24 + static_cast<__float128>(0x1p-80);
  EXPECT_EQ(FromQuad(kF32, value), std::bit_cast<uint32_t>(1 + 0x1p-23f));
  EXPECT_EQ(FromDouble(kF32, static_cast<double>(value)), std::bit_cast<uint32_t>(1.0f));
  EXPECT_EQ(ToQuad(kU64, ~uint64_t{0}), static_cast<__float128>(0x1p64) - 1);
}

TEST(Narrow, IntegersRoundOnceToNarrowFloats) {
  // 2^24 + 2^16 + 1: f32 would drop the 1, and then bf16 (8 bits) would see a tie and go to the even 2^24.
  EXPECT_EQ(ToDouble(kBF16, FromInt(kBF16, (1 << 24) + (1 << 16) + 1)), 0x1p24 + 0x1p17);
  EXPECT_EQ(ToDouble(kBF16, FromInt(kBF16, (1 << 24) + (1 << 16))), 0x1p24);
  EXPECT_EQ(ToDouble(kF16, FromInt(kF16, 65519)), 65504);
  EXPECT_EQ(ToDouble(kF16, FromInt(kF16, 65520)), kInf);
  EXPECT_EQ(ToDouble(kF8E4M3FN, FromInt(kF8E4M3FN, -449)), -448);
  EXPECT_EQ(FromInt(kF8E8M0FNU, 0), 0xffu);
  EXPECT_EQ(ToDouble(kF32, FromInt(kF32, std::numeric_limits<int64_t>::min())), -0x1p63);
}

TEST(Narrow, OverflowByFormat) {
  for (double huge : {kInf, 1e300, 1e6}) {
    EXPECT_EQ(FromDouble(kF16, huge), 0x7c00u);
    EXPECT_EQ(FromDouble(kF8E5M2, -huge), 0xfcu);
    EXPECT_EQ(FromDouble(kF8E4M3, huge), 0x78u);
    EXPECT_EQ(FromDouble(kF8E3M4, huge), 0x70u);
    EXPECT_EQ(FromDouble(kF8E4M3FN, huge), 0x7fu);
    EXPECT_EQ(FromDouble(kF8E4M3FN, -huge), 0xffu);
    EXPECT_EQ(FromDouble(kF8E4M3FNUZ, -huge), 0x80u);
    EXPECT_EQ(FromDouble(kF8E5M2FNUZ, huge), 0x80u);
    EXPECT_EQ(FromDouble(kF8E4M3B11FNUZ, huge), 0x80u);
    EXPECT_EQ(FromDouble(kF4E2M1FN, huge), 0x7u);
    EXPECT_EQ(FromDouble(kF4E2M1FN, -huge), 0xfu);
    EXPECT_EQ(FromDouble(kF6E2M3FN, huge), 0x1fu);
    EXPECT_EQ(FromDouble(kF6E3M2FN, -huge), 0x3fu);
  }
  EXPECT_EQ(FromDouble(kF8E8M0FNU, 1e300), 0xffu);
  EXPECT_EQ(FromDouble(kF8E4M3FN, 464), 0x7eu);
  EXPECT_EQ(FromDouble(kF8E4M3FN, std::nextafter(464.0, kInf)), 0x7fu);
  EXPECT_EQ(ToDouble(kF8E4M3FN, MaxFinite(kF8E4M3FN)), 448);
  EXPECT_EQ(ToDouble(kF8E4M3FNUZ, MaxFinite(kF8E4M3FNUZ)), 240);
  EXPECT_EQ(ToDouble(kF8E4M3B11FNUZ, MaxFinite(kF8E4M3B11FNUZ)), 30);
  EXPECT_EQ(ToDouble(kF8E5M2FNUZ, MaxFinite(kF8E5M2FNUZ)), 57344);
  EXPECT_EQ(ToDouble(kF8E3M4, MaxFinite(kF8E3M4)), 15.5);
  EXPECT_EQ(ToDouble(kF4E2M1FN, MaxFinite(kF4E2M1FN)), 6);
  EXPECT_EQ(ToDouble(kF6E2M3FN, MaxFinite(kF6E2M3FN)), 7.5);
  EXPECT_EQ(ToDouble(kF6E3M2FN, MaxFinite(kF6E3M2FN)), 28);
}

TEST(Narrow, NansZerosAndTheExponentOnlyType) {
  for (ElementType type : {kF16, kBF16, kF32, kF64, kF8E5M2, kF8E4M3FN, kF8E4M3FNUZ, kF8E8M0FNU}) {
    EXPECT_TRUE(IsNan(type, FromDouble(type, kNan))) << ToString(type);
    EXPECT_TRUE(IsNan(type, FromDouble(type, -kNan))) << ToString(type);
  }
  EXPECT_EQ(FromDouble(kF32, std::bit_cast<double>(uint64_t{0xfff8000000000000})), 0xffc00000u);
  EXPECT_EQ(FromDouble(kBF16, ToDouble(kF32, 0x7f800001)),
            0x7fc0u);  // a signalling NaN becomes quiet, never infinite
  EXPECT_EQ(FromDouble(kF4E2M1FN, kNan), 0x8u);
  EXPECT_EQ(FromDouble(kF8E4M3FNUZ, -0.0), 0u);
  EXPECT_EQ(FromDouble(kF8E4M3FNUZ, -1e-9), 0u);  // not 0x80, the NaN
  EXPECT_EQ(FromDouble(kF16, -1e-9), 0x8000u);
  EXPECT_EQ(FromDouble(kF8E8M0FNU, 0.0), 0xffu);
  EXPECT_EQ(FromDouble(kF8E8M0FNU, -2.0), 0xffu);
  EXPECT_EQ(FromDouble(kF8E8M0FNU, 1.0), 127u);
  EXPECT_EQ(FromDouble(kF8E8M0FNU, 1.49), 127u);
  EXPECT_EQ(FromDouble(kF8E8M0FNU, 1e-300), 0u);
}

TEST(Narrow, ToIntegersTruncatesAndSaturates) {
  EXPECT_EQ(ToInt(kS8, FromDouble(kS8, kNan)), 0);
  EXPECT_EQ(ToInt(kS8, FromDouble(kS8, kInf)), 127);
  EXPECT_EQ(ToInt(kS8, FromDouble(kS8, -1e20)), -128);
  EXPECT_EQ(ToInt(kS8, FromDouble(kS8, -1.5)), -1);
  EXPECT_EQ(ToInt(kS8, FromDouble(kS8, -128.9)), -128);
  EXPECT_EQ(ToInt(kS8, FromDouble(kS8, 300.7)), 127);
  EXPECT_EQ(ToInt(kU8, FromDouble(kU8, -1.5)), 0);
  EXPECT_EQ(ToInt(kU8, FromDouble(kU8, 300.7)), 255);
  EXPECT_EQ(ToInt(kS4, FromDouble(kS4, -9.0)), -8);
  EXPECT_EQ(FromDouble(kS4, -8.0), 0x8u);
  EXPECT_EQ(ToInt(kS1, FromDouble(kS1, -1.0)), -1);
  EXPECT_EQ(ToInt(kS1, FromDouble(kS1, 1.0)), 0);
  EXPECT_EQ(FromDouble(kU64, 0x1p64), ~uint64_t{0});
  EXPECT_EQ(FromDouble(kU64, 0x1.8p63), uint64_t{3} << 62);
  EXPECT_EQ(FromDouble(kS64, 0x1p63), static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(FromDouble(kS64, -0x1p63), uint64_t{1} << 63);
  EXPECT_EQ(FromDouble(kPred, kNan), 1u);
  EXPECT_EQ(FromDouble(kPred, -0.0), 0u);
  EXPECT_EQ(FromDouble(kPred, 1e-320), 1u);
  EXPECT_EQ(FromInt(kPred, 256), 1u);
  EXPECT_EQ(FromInt(kU4, 17), 1u);
}

TEST(Narrow, ConvertFollowsTheSource) {
  EXPECT_EQ(ToInt(kS8, ConvertBits(kS32, kS8, 300)), 44);
  EXPECT_EQ(ToInt(kS32, ConvertBits(kS4, kS32, 0xf)), -1);
  EXPECT_EQ(ToInt(kS32, ConvertBits(kU4, kS32, 0xf)), 15);
  EXPECT_EQ(ConvertBits(kS8, kU32, 0xff), 0xffffffffu);
  EXPECT_EQ(ToDouble(kF64, ConvertBits(kU64, kF64, ~uint64_t{0})), 0x1p64);
  EXPECT_EQ(ConvertBits(kF32, kF32, 0x7f800001), 0x7f800001u);
  EXPECT_EQ(ConvertBits(kPred, kF16, 1), 0x3c00u);
}

TEST(Narrow, LiteralElements) {
  Literal s4 = *Literal::Zeros(Shape::ArrayOf(kS4, {3}));
  SetFromInt(s4, 1, -3);
  EXPECT_EQ(GetAsInt(s4, 1), -3);
  EXPECT_EQ(GetBits(s4, 1), 0xdu);
  EXPECT_EQ(GetAsDouble(s4, 1), -3.0);
  EXPECT_EQ(GetAsInt(s4, 2), 0);
  Literal c64 = *Literal::Zeros(Shape::ArrayOf(kC64, {2}));
  SetFromComplex(c64, 1, {1.5, -2});
  EXPECT_EQ(GetAsComplex(c64, 1), std::complex<double>(1.5, -2));
  EXPECT_EQ(GetAsDouble(c64, 1), 1.5);
  EXPECT_EQ(c64.data<float>()[3], -2.0f);
  SetFromDouble(c64, 1, 7);
  EXPECT_EQ(GetAsComplex(c64, 1), std::complex<double>(7, 0));
  Literal c128 = *Literal::Zeros(Shape::ArrayOf(kC128, {1}));
  SetFromComplex(c128, 0, {0.1, 0.2});
  EXPECT_EQ(GetAsComplex(c128, 0), std::complex<double>(0.1, 0.2));
  Literal f8 = *Literal::Zeros(Shape::ArrayOf(kF8E4M3FN, {1}));
  SetFromDouble(f8, 0, 0.001);
  EXPECT_EQ(GetAsDouble(f8, 0), 0x1p-9);
}

}  // namespace
}  // namespace subfloor
