#include "evaluator/number.h"

#include <bit>

#include "evaluator/evaluate_op.h"

namespace subfloor::evaluator {
namespace {

using evaluator_testing::FromBits;
using enum ElementType;

/// Every pattern of a type, one an element.
Literal AllPatterns(ElementType type) {
  std::vector<uint64_t> bits(size_t{1} << BitWidth(type));
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = i;
  return FromBits(type, bits);
}

TEST(Number, EveryPatternSurvivesTheWideType) {
  for (ElementType type : {kS1, kS2, kS4, kS8, kS16, kU1, kU2, kU4, kU8, kU16}) {
    const Literal all = AllPatterns(type);
    Literal again = *Literal::Zeros(all.shape());
    StoreAll(LoadAll<int64_t>(all), again);
    EXPECT_TRUE(again.Identical(all)) << ToString(type);
  }
  for (ElementType type : {kF16, kBF16, kF8E5M2, kF8E4M3, kF8E3M4, kF8E4M3FN, kF8E4M3B11FNUZ, kF8E4M3FNUZ,
                           kF8E5M2FNUZ, kF8E8M0FNU, kF4E2M1FN, kF6E2M3FN, kF6E3M2FN}) {
    const Literal all = AllPatterns(type);
    Literal again = *Literal::Zeros(all.shape());
    StoreAll(LoadAll<double>(all), again);
    EXPECT_TRUE(again.Identical(all)) << ToString(type) << " by double";
    StoreAll(LoadAll<Quad>(all), again);
    EXPECT_TRUE(again.Identical(all)) << ToString(type) << " by quad";
  }
}

TEST(Number, SignallingNaNsOfNativeTypesSurvive) {
  const Literal f32 = FromBits(kF32, {0x7f800001, 0xffbfffff, 0x7fc00000});
  Literal again = *Literal::Zeros(f32.shape());
  StoreAll(LoadAll<double>(f32), again);
  EXPECT_TRUE(again.Identical(f32));
  const Literal f64 = FromBits(kF64, {0x7ff0000000000001, 0xfff8000000000000});
  again = *Literal::Zeros(f64.shape());
  StoreAll(LoadAll<Quad>(f64), again);
  EXPECT_TRUE(again.Identical(f64));
}

TEST(Number, IntegersReadByTheirSignedness) {
  EXPECT_EQ(LoadAll<int64_t>(FromBits(kS4, {0xf, 0x8, 0x7}))[0], -1);
  EXPECT_EQ(LoadAll<int64_t>(FromBits(kS4, {0xf, 0x8, 0x7}))[1], -8);
  EXPECT_EQ(LoadAll<int64_t>(FromBits(kU4, {0xf}))[0], 15);
  EXPECT_EQ(LoadAll<int64_t>(FromBits(kS1, {1}))[0], -1);
  EXPECT_EQ(WrapInt(kS8, 200), -56);
  EXPECT_EQ(WrapInt(kU8, -1), 255);
  EXPECT_EQ(WrapInt(kPred, 2), 1);
}

/// The quick way for 16-bit floats against the one definition, on random doubles around the type's range and
/// on those that lie on and beside the middle of two neighbours.
TEST(Number, SixteenBitRoundingIsTheDefinition) {
  for (ElementType type : {kF16, kBF16}) {
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 1000000; ++i) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      const int reach = type == kF16 ? 30 : 280;
      const auto exponent = static_cast<uint64_t>(1023 - reach / 2 + static_cast<int>(state >> 40) % reach);
      uint64_t bits = (state & 0x800fffffffffffff) | exponent << 52;
      if (i % 4 == 0) bits = (bits & ~((uint64_t{1} << 41) - 1)) + static_cast<uint64_t>(i % 3) - 1;
      const double value = std::bit_cast<double>(bits);
      uint16_t stored;
      Store<double>(type, reinterpret_cast<std::byte*>(&stored), 0, 1, &value);
      ASSERT_EQ(stored, FromDouble(type, value)) << ToString(type) << " " << value;
    }
  }
}

TEST(Number, StridesAndRepeats) {
  const Literal x = evaluator_testing::Vec(kF32, {0, 1, 2, 3, 4, 5});
  std::vector<double> out(3);
  Load<double>(kF32, x.bytes().data(), 1, 3, out.data(), /*stride=*/2);
  EXPECT_THAT(out, ::testing::ElementsAre(1, 3, 5));
  Load<double>(kF32, x.bytes().data(), 4, 3, out.data(), /*stride=*/0);
  EXPECT_THAT(out, ::testing::ElementsAre(4, 4, 4));
}

}  // namespace
}  // namespace subfloor::evaluator
