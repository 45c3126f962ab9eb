#include "evaluator/evaluate_op.h"

namespace subfloor::evaluator_testing {
namespace {

using ::testing::ElementsAre;
constexpr double kMin32 = -2147483648.0;

TEST(IntegerOps, DivisionNeverTraps) {
  EXPECT_THAT(Values(Same(Opcode::kDivide, {Vec(kS32, {5, -5, kMin32, 7, -7}), Vec(kS32, {0, 0, -1, 2, 2})})),
              ElementsAre(-1, -1, kMin32, 3, -3));
  EXPECT_THAT(Values(Same(Opcode::kRemainder, {Vec(kS32, {5, kMin32, 7, -7}), Vec(kS32, {0, -1, -2, 2})})),
              ElementsAre(5, 0, 1, -1));
  EXPECT_THAT(Values(Same(Opcode::kDivide, {Vec(kU8, {5, 200}), Vec(kU8, {0, 3})})), ElementsAre(255, 66));
  EXPECT_THAT(Values(Same(Opcode::kDivide, {Vec(kS4, {-8, 7, 3}), Vec(kS4, {-1, 0, 2})})),
              ElementsAre(-8, -1, 1));
  const Literal min64 = FromBits(kS64, {uint64_t{1} << 63}), minus1 = Vec(kS64, {-1});
  EXPECT_THAT(Bits(Same(Opcode::kDivide, {min64, minus1})), ElementsAre(uint64_t{1} << 63));
  EXPECT_THAT(Bits(Same(Opcode::kRemainder, {min64, minus1})), ElementsAre(0));
  EXPECT_THAT(Bits(Same(Opcode::kDivide, {FromBits(kU64, {~uint64_t{0}, 7}), FromBits(kU64, {2, 0})})),
              ElementsAre(0x7fffffffffffffff, ~uint64_t{0}));
}

TEST(IntegerOps, ShiftsPastTheWidth) {
  EXPECT_THAT(Values(Same(Opcode::kShiftLeft, {Vec(kS32, {-1, 1, 1}), Vec(kS32, {32, -1, 31})})),
              ElementsAre(0, 0, kMin32));
  EXPECT_THAT(Values(Same(Opcode::kShiftRightArithmetic, {Vec(kS32, {-8, 1, -8}), Vec(kS32, {33, -1, 1})})),
              ElementsAre(-1, 0, -4));
  EXPECT_THAT(Values(Same(Opcode::kShiftRightLogical, {Vec(kS8, {-1, 1, -1}), Vec(kS8, {8, -1, 4})})),
              ElementsAre(0, 0, 15));
  // The sign bit of an unsigned number is its highest one.
  EXPECT_THAT(Values(Same(Opcode::kShiftRightArithmetic, {Vec(kU8, {0x80, 0x40}), Vec(kU8, {9, 1})})),
              ElementsAre(255, 32));
  EXPECT_THAT(Values(Same(Opcode::kShiftLeft, {Vec(kU4, {3}), Vec(kU4, {3})})), ElementsAre(8));
}

TEST(IntegerOps, WrapAtTheirOwnWidth) {
  EXPECT_THAT(Values(Same(Opcode::kAdd, {Vec(kS8, {127, -128}), Vec(kS8, {1, -1})})), ElementsAre(-128, 127));
  EXPECT_THAT(Values(Same(Opcode::kMultiply, {Vec(kS4, {7, -8}), Vec(kS4, {7, -1})})), ElementsAre(1, -8));
  EXPECT_THAT(Values(Same(Opcode::kSubtract, {Vec(kU2, {0}), Vec(kU2, {1})})), ElementsAre(3));
  EXPECT_THAT(Values(Same(Opcode::kAbs, {Vec(kS8, {-128, -5, 5})})), ElementsAre(-128, 5, 5));
  EXPECT_THAT(Values(Same(Opcode::kNegate, {Vec(kS8, {-128, 5})})), ElementsAre(-128, -5));
  EXPECT_THAT(Values(Same(Opcode::kNegate, {Vec(kU8, {1})})), ElementsAre(255));
  EXPECT_THAT(Values(Same(Opcode::kNot, {Vec(kU4, {5})})), ElementsAre(10));
  EXPECT_THAT(Values(Same(Opcode::kSign, {Vec(kS32, {-3, 0, 9})})), ElementsAre(-1, 0, 1));
}

TEST(IntegerOps, MulhiIsTheHighHalf) {
  EXPECT_THAT(Values(Same(Opcode::kMulhi, {Vec(kS8, {-128, 100}), Vec(kS8, {-128, -3})})),
              ElementsAre(64, -2));
  EXPECT_THAT(Values(Same(Opcode::kMulhi, {Vec(kU8, {255}), Vec(kU8, {255})})), ElementsAre(254));
  EXPECT_THAT(Bits(Same(Opcode::kMulhi, {FromBits(kU64, {~uint64_t{0}}), FromBits(kU64, {~uint64_t{0}})})),
              ElementsAre(~uint64_t{0} - 1));
  EXPECT_THAT(Bits(Same(Opcode::kMulhi, {Vec(kS64, {-1}), Vec(kS64, {1})})), ElementsAre(~uint64_t{0}));
}

TEST(IntegerOps, BitCountsAtTheOperandsWidth) {
  EXPECT_THAT(Values(Same(Opcode::kCountLeadingZeros, {Vec(kS8, {0, -1, 1, 64})})), ElementsAre(8, 0, 7, 1));
  EXPECT_THAT(Values(Same(Opcode::kCountLeadingZeros, {Vec(kU32, {0, 1})})), ElementsAre(32, 31));
  EXPECT_THAT(Values(Same(Opcode::kPopcnt, {Vec(kS16, {-1, 5})})), ElementsAre(16, 2));
  // The count 2 does not fit the positive range of s2: it wraps to -2.
  EXPECT_THAT(Values(Same(Opcode::kPopcnt, {Vec(kS2, {1, -1})})), ElementsAre(1, -2));
}

TEST(IntegerOps, Power) {
  EXPECT_THAT(Values(Same(Opcode::kPower, {Vec(kS32, {2, 3, 0, 7, 1, -1, -1, 2, 0}),
                                           Vec(kS32, {10, 3, 0, 0, -5, -3, -2, -1, -1})})),
              ElementsAre(1024, 27, 1, 1, 1, -1, 1, 0, 0));
  EXPECT_THAT(Values(Same(Opcode::kPower, {Vec(kS32, {2, 3}), Vec(kS32, {64, 33})})),
              ElementsAre(0, -1504003197));  // 3^33 is 0x13bfefa65abb83
}

TEST(PredOps, AgreeWithTheirNames) {
  const Literal a = Vec(kPred, {0, 0, 1, 1}), b = Vec(kPred, {0, 1, 0, 1});
  for (Opcode opcode : {Opcode::kAdd, Opcode::kMaximum, Opcode::kOr}) {
    EXPECT_THAT(Values(Same(opcode, {a, b})), ElementsAre(0, 1, 1, 1)) << hlo::ToString(opcode);
  }
  for (Opcode opcode : {Opcode::kMultiply, Opcode::kMinimum, Opcode::kAnd}) {
    EXPECT_THAT(Values(Same(opcode, {a, b})), ElementsAre(0, 0, 0, 1)) << hlo::ToString(opcode);
  }
  EXPECT_THAT(Values(Same(Opcode::kXor, {a, b})), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(Values(Same(Opcode::kPower, {a, b})), ElementsAre(1, 0, 1, 1));
  EXPECT_THAT(Values(Same(Opcode::kNot, {a})), ElementsAre(1, 1, 0, 0));
  Result<Literal> refused = TryOp(Opcode::kSubtract, a.shape(), {a, b});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message(), "subtract is not defined on pred");
}

TEST(FloatOps, Remainder) {
  EXPECT_THAT(Values(Same(Opcode::kRemainder,
                          {Vec(kF32, {5.5, -5.5, 5, kInf, 5, -4}), Vec(kF32, {2, 2, -3, 2, 0, 2})})),
              Are({1.5, -1.5, 2, kNaN, kNaN, -0.0}));
}

TEST(FloatOps, PowerFollowsC) {
  EXPECT_THAT(Values(Same(Opcode::kPower, {Vec(kF32, {0, 0, kNaN, 1, -2, -2, -8}),
                                           Vec(kF32, {0, -1, 0, kNaN, 0.5, 3, 1.0 / 3})})),
              Are({1, kInf, 1, 1, kNaN, -8, kNaN}));
  EXPECT_THAT(Values(Same(Opcode::kPower, {Vec(kF64, {1, kNaN, 2, -0.0}), Vec(kF64, {kNaN, 0, 0.5, -3})})),
              Are({1, 1, 1.4142135623730951, -kInf}));
}

TEST(FloatOps, MaximumAndMinimumSpreadNaNAndOrderZeros) {
  const Literal a = Vec(kF32, {kNaN, 1, -0.0, 0.0, 1, -kInf}), b = Vec(kF32, {1, kNaN, 0.0, -0.0, 2, 3});
  EXPECT_THAT(Values(Same(Opcode::kMaximum, {a, b})), Are({kNaN, kNaN, 0.0, 0.0, 2, 3}));
  EXPECT_THAT(Values(Same(Opcode::kMinimum, {a, b})), Are({kNaN, kNaN, -0.0, -0.0, 1, -kInf}));
}

TEST(FloatOps, ClampIsMinimumOfMaximum) {
  EXPECT_THAT(
      Values(Op(Opcode::kClamp, Shape::ArrayOf(kF32, {4}),
                {Vec(kF32, {kNaN, 0, 0, 3}), Vec(kF32, {1, kNaN, 5, 2}), Vec(kF32, {2, 2, kNaN, 1})})),
      Are({kNaN, kNaN, kNaN, 1}));
  // Scalar bounds serve every element.
  EXPECT_THAT(Values(Op(Opcode::kClamp, Shape::ArrayOf(kS32, {3}),
                        {Scalar(kS32, -1), Vec(kS32, {-5, 0, 5}), Scalar(kS32, 2)})),
              ElementsAre(-1, 0, 2));
}

TEST(FloatOps, Rounding) {
  const Literal x = Vec(kF32, {0.5, -2.5, 0.49999997, 2.5, -0.5, 8388609, kNaN});
  EXPECT_THAT(Values(Same(Opcode::kRoundNearestAfz, {x})), Are({1, -3, 0, 3, -1, 8388609, kNaN}));
  EXPECT_THAT(Values(Same(Opcode::kRoundNearestEven, {x})), Are({0, -2, 0, 2, -0.0, 8388609, kNaN}));
  EXPECT_THAT(Values(Same(Opcode::kFloor, {Vec(kF64, {-0.5, 1.5, -0.0})})), Are({-1, 1, -0.0}));
  EXPECT_THAT(Values(Same(Opcode::kCeil, {Vec(kF64, {-0.5, 1.5})})), Are({-0.0, 2}));
}

TEST(FloatOps, ExponentialsAndLogarithms) {
  EXPECT_THAT(Values(Same(Opcode::kExp, {Vec(kF32, {88.8, -kInf, 0, 1})})),
              Are({kInf, 0, 1, 2.7182817459106445}));
  // exp(-88) = 6.05e-39 lies below the least normal f32 and is kept.
  EXPECT_GT(Values(Same(Opcode::kExp, {Vec(kF32, {-88})}))[0], 6e-39);
  EXPECT_THAT(Values(Same(Opcode::kLog, {Vec(kF32, {0, -0.0, -1, 1})})), Are({-kInf, -kInf, kNaN, 0}));
  EXPECT_THAT(Values(Same(Opcode::kLog1p, {Vec(kF32, {-1, 0, -0.0, 1e-30})})),
              Are({-kInf, 0, -0.0, static_cast<float>(1e-30)}));
  EXPECT_THAT(Values(Same(Opcode::kExpm1, {Vec(kF32, {-0.0, 1e-30, -kInf})})),
              Are({-0.0, static_cast<float>(1e-30), -1}));
  EXPECT_THAT(Values(Same(Opcode::kLogistic, {Vec(kF32, {0, kInf, -kInf, -200, 200})})),
              Are({0.5, 1, 0, 0, 1}));
}

TEST(FloatOps, RootsOfZerosAndNegatives) {
  EXPECT_THAT(Values(Same(Opcode::kRsqrt, {Vec(kF32, {0, -0.0, 4, kInf})})), Are({kInf, -kInf, 0.5, 0}));
  EXPECT_THAT(Values(Same(Opcode::kSqrt, {Vec(kF32, {-0.0, -1, 2})})), Are({-0.0, kNaN, 1.4142135381698608}));
  EXPECT_THAT(Values(Same(Opcode::kCbrt, {Vec(kF32, {-8, 27, -0.0})})), Are({-2, 3, -0.0}));
}

TEST(FloatOps, SignAbsNegateKeepBits) {
  EXPECT_THAT(Values(Same(Opcode::kSign, {Vec(kF32, {-0.0, 0.0, -3, kInf, kNaN})})),
              Are({-0.0, 0.0, -1, 1, kNaN}));
  EXPECT_THAT(Bits(Same(Opcode::kNegate, {FromBits(kF32, {0x7f800001, 0x80000000, 0xffc12345})})),
              ElementsAre(0xff800001, 0, 0x7fc12345));
  EXPECT_THAT(Bits(Same(Opcode::kAbs, {FromBits(kF16, {0xfc01, 0x8001})})), ElementsAre(0x7c01, 1));
  EXPECT_THAT(Bits(Same(Opcode::kNegate, {FromBits(kF64, {0x7ff0000000000001})})),
              ElementsAre(0xfff0000000000001));
  // The fnuz kinds have no negative zero: its bits are their NaN.
  EXPECT_THAT(Bits(Same(Opcode::kNegate, {FromBits(kF8E4M3FNUZ, {0x00, 0x80, 0x08})})),
              ElementsAre(0x00, 0x80, 0x88));
}

TEST(FloatOps, SelectPicksBits) {
  EXPECT_THAT(Bits(Op(Opcode::kSelect, Shape::ArrayOf(kF32, {2}),
                      {Vec(kPred, {1, 0}), FromBits(kF32, {0x7f800001, 0x7f800001}),
                       FromBits(kF32, {0, 0x80000000})})),
              ElementsAre(0x7f800001, 0x80000000));
  EXPECT_THAT(Values(Op(Opcode::kSelect, Shape::ArrayOf(kS4, {2}),
                        {Scalar(kPred, 0), Vec(kS4, {1, 2}), Vec(kS4, {-3, -4})})),
              ElementsAre(-3, -4));
}

TEST(FloatOps, Atan2AtTheAxes) {
  const double pi = static_cast<float>(M_PI);
  EXPECT_THAT(
      Values(Same(Opcode::kAtan2, {Vec(kF32, {0.0, -0.0, 0.0, 1}), Vec(kF32, {-0.0, -0.0, 0.0, -kInf})})),
      Are({pi, -pi, 0, pi}));
}

TEST(FloatOps, SubnormalsAreKept) {
  EXPECT_THAT(Bits(Same(Opcode::kMultiply, {FromBits(kF32, {0x00000003}), Vec(kF32, {0.5})})),
              ElementsAre(2));
  EXPECT_THAT(Bits(Same(Opcode::kAdd, {FromBits(kBF16, {1}), FromBits(kBF16, {1})})), ElementsAre(2));
}

TEST(FloatOps, F64IsRoundedOnce) {
  // 1 + (2^-53 + 2^-80) rounds up; in a double-rounded x87 manner it would not.
  EXPECT_THAT(Values(Same(Opcode::kAdd, {Vec(kF64, {1}), Vec(kF64, {0x1p-53 + 0x1p-80})})),
              ElementsAre(1 + 0x1p-52));
  EXPECT_THAT(Values(Same(Opcode::kExp, {Vec(kF64, {1, 710, -745.2})})), Are({2.718281828459045, kInf, 0}));
  EXPECT_THAT(Values(Same(Opcode::kTanh, {Vec(kF64, {1})})), Are({0.7615941559557649}));
}

TEST(FloatOps, IsFinite) {
  EXPECT_THAT(Values(Op(Opcode::kIsFinite, Shape::ArrayOf(kPred, {4}), {Vec(kF32, {1, kInf, -kInf, kNaN})})),
              ElementsAre(1, 0, 0, 0));
}

Literal Compare(hlo::ComparisonDirection direction, const Literal& a, const Literal& b,
                hlo::ComparisonType type = hlo::ComparisonType::kDefault) {
  return Op(Opcode::kCompare, a.shape().WithElementType(kPred), {a, b},
            hlo::CompareAttributes{direction, type});
}

TEST(Compare, NaNIsUnequalToEverything) {
  const Literal a = Vec(kF32, {kNaN, 1, -0.0}), b = Vec(kF32, {kNaN, kNaN, 0.0});
  using enum hlo::ComparisonDirection;
  EXPECT_THAT(Values(Compare(kEq, a, b)), ElementsAre(0, 0, 1));
  EXPECT_THAT(Values(Compare(kNe, a, b)), ElementsAre(1, 1, 0));
  EXPECT_THAT(Values(Compare(kLe, a, b)), ElementsAre(0, 0, 1));
  EXPECT_THAT(Values(Compare(kGt, a, b)), ElementsAre(0, 0, 0));
}

TEST(Compare, TotalOrder) {
  const auto total = hlo::ComparisonType::kTotalOrder;
  using enum hlo::ComparisonDirection;
  EXPECT_THAT(Values(Compare(kLt, Vec(kF32, {-0.0, kNaN, std::copysign(kNaN, -1), 1}),
                             Vec(kF32, {0, kInf, -kInf, kNaN}), total)),
              ElementsAre(1, 0, 1, 1));
  // Payloads count, signalling before quiet.
  EXPECT_THAT(Values(Compare(kLt, FromBits(kF32, {0x7f800001, 0xffc00000}),
                             FromBits(kF32, {0x7fc00000, 0xff800001}), total)),
              ElementsAre(1, 1));
  EXPECT_THAT(Values(Compare(kEq, Vec(kF64, {kNaN, -0.0}), Vec(kF64, {kNaN, 0.0}), total)),
              ElementsAre(1, 0));
}

TEST(Compare, IntegersByTheirOwnOrder) {
  using enum hlo::ComparisonDirection;
  EXPECT_THAT(Values(Compare(kLt, Vec(kS8, {-1}), Vec(kS8, {1}))), ElementsAre(1));
  EXPECT_THAT(Values(Compare(kLt, Vec(kU8, {255}), Vec(kU8, {1}))), ElementsAre(0));
  EXPECT_THAT(Values(Compare(kGt, FromBits(kU64, {uint64_t{1} << 63}), FromBits(kU64, {1}))), ElementsAre(1));
}

Literal Convert(ElementType to, const Literal& x) {
  return Op(Opcode::kConvert, x.shape().WithElementType(to), {x});
}

TEST(Convert, FloatToIntegerSaturates) {
  EXPECT_THAT(Values(Convert(kS8, Vec(kF32, {kNaN, kInf, -1e20, -1.5, 300.7}))),
              ElementsAre(0, 127, -128, -1, 127));
  EXPECT_THAT(Values(Convert(kU8, Vec(kF32, {kNaN, kInf, -1.5, 300.7}))), ElementsAre(0, 255, 0, 255));
  EXPECT_THAT(Bits(Convert(kU64, Vec(kF64, {1.9, 0x1p64, 0x1p63, -1}))),
              ElementsAre(1, ~uint64_t{0}, uint64_t{1} << 63, 0));
  EXPECT_THAT(Bits(Convert(kS64, Vec(kF32, {0x1p63, -0x1p63}))),
              ElementsAre(0x7fffffffffffffff, uint64_t{1} << 63));
  EXPECT_THAT(Values(Convert(kS4, Vec(kF32, {9, -9, 3.9}))), ElementsAre(7, -8, 3));
  EXPECT_THAT(Values(Convert(kPred, Vec(kF32, {kNaN, 0, -0.0, 1e-45, 2}))), ElementsAre(1, 0, 0, 1, 1));
}

TEST(Convert, FloatToFloatRoundsOnce) {
  EXPECT_THAT(Values(Convert(kF16, Vec(kF32, {65519, 65520, 1e-8, 5.96e-8}))),
              Are({65504, kInf, 0, 0x1p-24}));
  EXPECT_THAT(Values(Convert(kF8E4M3FN, Vec(kF32, {449, 464, 465, kInf, 0.001}))),
              Are({448, 448, kNaN, kNaN, 0x1p-9}));
  // f64 1 + 2^-8 + 2^-40 lies above the middle of two bf16; through f32 it would round to the middle, then to
  // even.
  EXPECT_THAT(Values(Convert(kBF16, Vec(kF64, {1 + 0x1p-8 + 0x1p-40}))), ElementsAre(1 + 0x1p-7));
  EXPECT_THAT(Values(Convert(kF32, Vec(kF64, {1e300, 1 + 0x1p-24 + 0x1p-50}))), Are({kInf, 1 + 0x1p-23}));
}

TEST(Convert, IntegerToFloatRoundsOnce) {
  EXPECT_THAT(Values(Convert(kF32, Vec(kS32, {16777217, -16777219}))), ElementsAre(16777216, -16777220));
  // 2^62 + 2^38 + 1: above the middle of two f32. Rounded to a double first the 1 is lost and the tie goes to
  // even.
  EXPECT_THAT(Values(Convert(kF32, FromBits(kS64, {(uint64_t{1} << 62) + (uint64_t{1} << 38) + 1}))),
              ElementsAre(0x1p62 + 0x1p39));
  EXPECT_THAT(Values(Convert(kF64, FromBits(kU64, {~uint64_t{0}}))), ElementsAre(0x1p64));
  EXPECT_THAT(Values(Convert(kBF16, FromBits(kS32, {(1 << 20) + (1 << 12) + 1}))),
              ElementsAre(0x1p20 + 0x1p13));
  EXPECT_THAT(Values(Convert(kF16, Vec(kS32, {70000}))), Are({kInf}));
}

TEST(Convert, IntegerToInteger) {
  EXPECT_THAT(Values(Convert(kS8, Vec(kS32, {300, -1}))), ElementsAre(44, -1));
  EXPECT_THAT(Values(Convert(kU32, Vec(kS8, {-1}))), ElementsAre(4294967295.0));
  EXPECT_THAT(Values(Convert(kS32, Vec(kU8, {255}))), ElementsAre(255));
  EXPECT_THAT(Values(Convert(kPred, Vec(kS8, {0, 2, -128}))), ElementsAre(0, 1, 1));
  EXPECT_THAT(Values(Convert(kS4, Vec(kS8, {9, -9}))), ElementsAre(-7, 7));
  EXPECT_THAT(Values(Convert(kF32, Vec(kPred, {0, 1}))), ElementsAre(0, 1));
}

TEST(ReducePrecision, RoundsThenFlushes) {
  auto reduce = [](std::vector<double> x, int64_t exponent, int64_t mantissa) {
    return Values(
        Same(Opcode::kReducePrecision, {Vec(kF32, x)}, hlo::ReducePrecisionAttributes{exponent, mantissa}));
  };
  EXPECT_THAT(reduce({65519, 65520, 1e-6, 6e-5, -6e-5, kNaN, kInf}, 5, 10),
              Are({65504, kInf, 0, 0, -0.0, kNaN, kInf}));
  EXPECT_THAT(reduce({0x1p-14, 1 + 0x1p-11, 1 + 0x1.8p-10}, 5, 10), Are({0x1p-14, 1, 1 + 0x1p-9}));
  EXPECT_THAT(reduce({kNaN, 3, 5}, 8, 0), Are({kInf, 4, 4}));
  EXPECT_THAT(reduce({1e-45, 1.1f}, 8, 23), Are({static_cast<float>(1e-45), 1.1f}));
  EXPECT_THAT(reduce({1e-45, 1.1f}, 11, 52), Are({static_cast<float>(1e-45), 1.1f}));
}

TEST(StochasticConvert, DrawsAgainstTheFraction) {
  // 2.25: up when the random fraction is below 1/4.
  const Literal x = Vec(kF32, {2.25, 2.25, -2.25, 300, -kInf, kNaN, 2});
  const Literal random = FromBits(kU32, {0x3fffffff, 0x40000000, 0, 0, 0, 0, 0});
  EXPECT_THAT(Values(Op(Opcode::kStochasticConvert, Shape::ArrayOf(kS8, {7}), {x, random})),
              ElementsAre(3, 2, -3, 127, -128, 0, 2));
}

Literal ComplexVec(ElementType type, const std::vector<std::complex<double>>& values) {
  Literal literal = *Literal::Zeros(Shape::ArrayOf(type, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) SetFromComplex(literal, static_cast<int64_t>(i), values[i]);
  return literal;
}
std::complex<double> First(const Literal& literal) { return GetAsComplex(literal, 0); }

TEST(Complex, Arithmetic) {
  const Literal a = ComplexVec(kC64, {{1, 2}}), b = ComplexVec(kC64, {{3, -1}});
  EXPECT_EQ(First(Same(Opcode::kMultiply, {a, b})), std::complex<double>(5, 5));
  EXPECT_EQ(First(Same(Opcode::kDivide, {ComplexVec(kC64, {{5, 5}}), b})), std::complex<double>(1, 2));
  EXPECT_EQ(Values(Op(Opcode::kAbs, Shape::ArrayOf(kF32, {1}), {ComplexVec(kC64, {{3e30, -4e30}})}))[0],
            static_cast<float>(5e30));
  EXPECT_EQ(Values(Op(Opcode::kImag, Shape::ArrayOf(kF64, {1}), {ComplexVec(kC128, {{3, -4}})}))[0], -4);
  // Squares beyond the type's range do not matter.
  EXPECT_EQ(First(Same(Opcode::kDivide,
                       {ComplexVec(kC128, {{1e300, 1e300}}), ComplexVec(kC128, {{1e300, 1e300}})})),
            std::complex<double>(1, 0));
  EXPECT_THAT(Values(Op(Opcode::kComplex, Shape::ArrayOf(kC64, {1}), {Vec(kF32, {7}), Vec(kF32, {8})})),
              ElementsAre(7));
}

TEST(Complex, FunctionsAtKnownPoints) {
  auto near = [](const Literal& literal, std::complex<double> wanted) {
    EXPECT_NEAR(First(literal).real(), wanted.real(), 1e-15);
    EXPECT_NEAR(First(literal).imag(), wanted.imag(), 1e-15);
  };
  near(Same(Opcode::kExp, {ComplexVec(kC128, {{0, M_PI}})}), {-1, 1.2246467991473532e-16});
  near(Same(Opcode::kLog, {ComplexVec(kC128, {{-1, 0}})}), {0, M_PI});
  near(Same(Opcode::kSqrt, {ComplexVec(kC128, {{-4, 0}})}), {0, 2});
  near(Same(Opcode::kRsqrt, {ComplexVec(kC128, {{-4, 0}})}), {0, -0.5});
  near(Same(Opcode::kSign, {ComplexVec(kC128, {{3, 4}})}), {0.6, 0.8});
  near(Same(Opcode::kTanh, {ComplexVec(kC128, {{400, 1}})}), {1, 0});
  near(Same(Opcode::kPower, {ComplexVec(kC128, {{0, 1}}), ComplexVec(kC128, {{0, 1}})}),
       {0.20787957635076193, 0});
  near(Same(Opcode::kPower, {ComplexVec(kC128, {{0, 0}}), ComplexVec(kC128, {{0, 0}})}), {1, 0});
  near(Same(Opcode::kLog1p, {ComplexVec(kC128, {{1e-20, 1e-30}})}), {1e-20, 1e-30});
  near(Same(Opcode::kExpm1, {ComplexVec(kC128, {{1e-20, 1e-30}})}), {1e-20, 1e-30});
  near(Same(Opcode::kAtan2, {ComplexVec(kC128, {{1, 0}}), ComplexVec(kC128, {{1, 0}})}), {M_PI / 4, 0});
  near(Same(Opcode::kAsin, {ComplexVec(kC128, {{0.5, 0}})}), {M_PI / 6, 0});
  near(Same(Opcode::kLogistic, {ComplexVec(kC128, {{-1e300, 2}})}), {0, 0});
  // |1 + z| = 1 - 2^-61 - ..: nothing is left to cancellation.
  const Literal z = ComplexVec(kC64, {{-0x1p-31, 0x1p-15}});
  EXPECT_EQ(First(Same(Opcode::kLog1p, {z})).real(), static_cast<float>(0x1p-63));
}

TEST(Complex, Conversions) {
  EXPECT_EQ(First(Convert(kC64, Vec(kF64, {1.5}))), std::complex<double>(1.5, 0));
  EXPECT_EQ(First(Convert(kC128, ComplexVec(kC64, {{1, -2}}))), std::complex<double>(1, -2));
  EXPECT_EQ(First(Convert(kC64, ComplexVec(kC128, {{1 + 0x1p-40, 1e300}}))), std::complex<double>(1, kInf));
  EXPECT_THAT(Values(Convert(kF32, ComplexVec(kC64, {{2, 5}}))), ElementsAre(2));
}

TEST(Elementwise, LongArraysCrossRuns) {
  std::vector<double> values(3000), doubled(3000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>(i), doubled[i] = 2.0 * static_cast<double>(i);
  EXPECT_EQ(Values(Same(Opcode::kAdd, {Vec(kF32, values), Vec(kF32, values)})), doubled);
}

}  // namespace
}  // namespace subfloor::evaluator_testing
