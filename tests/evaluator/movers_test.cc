#include "evaluator/evaluate_op.h"

namespace subfloor::evaluator_testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Shape Of(ElementType type, std::vector<int64_t> dimensions) { return Shape::ArrayOf(type, dimensions); }

TEST(Movers, Broadcast) {
  EXPECT_THAT(
      Values(Op(Opcode::kBroadcast, Of(kS32, {2, 3}), {Vec(kS32, {1, 2})}, hlo::DimensionsAttributes{{0}})),
      ElementsAre(1, 1, 1, 2, 2, 2));
  EXPECT_THAT(Values(Op(Opcode::kBroadcast, Of(kS32, {2, 3}), {Vec(kS32, {1, 2, 3})},
                        hlo::DimensionsAttributes{{1}})),
              ElementsAre(1, 2, 3, 1, 2, 3));
  EXPECT_THAT(Values(Op(Opcode::kBroadcast, Of(kF32, {2}), {Scalar(kF32, 7)}, hlo::DimensionsAttributes{{}})),
              ElementsAre(7, 7));
  // A dimension of size 1 stretches.
  EXPECT_THAT(Values(Op(Opcode::kBroadcast, Of(kS8, {3}), {Vec(kS8, {4})}, hlo::DimensionsAttributes{{0}})),
              ElementsAre(4, 4, 4));
}

TEST(Movers, Transpose) {
  const Literal x = Array(kS16, {2, 3}, {0, 1, 2, 3, 4, 5});
  EXPECT_THAT(Values(Op(Opcode::kTranspose, Of(kS16, {3, 2}), {x}, hlo::DimensionsAttributes{{1, 0}})),
              ElementsAre(0, 3, 1, 4, 2, 5));
  // Result dimension i is operand dimension perm[i]: sizes 2,3,4 become 4,2,3.
  std::vector<double> values(24);
  for (size_t i = 0; i < 24; ++i) values[i] = static_cast<double>(i);
  const std::vector<double> moved =
      Values(Op(Opcode::kTranspose, Of(kF64, {4, 2, 3}), {Array(kF64, {2, 3, 4}, values)},
                hlo::DimensionsAttributes{{2, 0, 1}}));
  EXPECT_EQ(moved[1], 4);    // (0,0,1) <- (0,1,0)
  EXPECT_EQ(moved[3], 12);   // (0,1,0) <- (1,0,0)
  EXPECT_EQ(moved[23], 23);  // (3,1,2) <- (1,2,3)
}

TEST(Movers, SliceAndReverse) {
  const Literal x = Array(kF32, {2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_THAT(Values(Op(Opcode::kSlice, Of(kF32, {1, 2}), {x}, hlo::SliceAttributes{{{1, 2, 1}, {0, 4, 3}}})),
              ElementsAre(4, 7));
  EXPECT_THAT(Values(Op(Opcode::kSlice, Of(kF32, {2, 0}), {x}, hlo::SliceAttributes{{{0, 2, 1}, {4, 4, 1}}})),
              ElementsAre());
  EXPECT_THAT(Values(Same(Opcode::kReverse, {x}, hlo::DimensionsAttributes{{1}})),
              ElementsAre(3, 2, 1, 0, 7, 6, 5, 4));
  EXPECT_THAT(Values(Same(Opcode::kReverse, {x}, hlo::DimensionsAttributes{{0, 1}})),
              ElementsAre(7, 6, 5, 4, 3, 2, 1, 0));
}

std::vector<double> Pad(const std::vector<double>& x, hlo::PaddingDimension padding, int64_t size) {
  return Values(
      Op(Opcode::kPad, Of(kS32, {size}), {Vec(kS32, x), Scalar(kS32, -9)}, hlo::PadAttributes{{padding}}));
}

TEST(Movers, Pad) {
  EXPECT_THAT(Pad({1, 2, 3, 4, 5}, {-2, -1, 1}, 6), ElementsAre(2, -9, 3, -9, 4, -9));
  EXPECT_THAT(Pad({1, 2}, {1, 2, 0}, 5), ElementsAre(-9, 1, 2, -9, -9));
  EXPECT_THAT(Pad({1, 2, 3}, {-1, 0, 1}, 4), ElementsAre(-9, 2, -9, 3));
  EXPECT_THAT(Pad({1, 2, 3}, {-2, -1, 0}, 0), ElementsAre());
  EXPECT_THAT(Pad({}, {2, 1, 5}, 3), ElementsAre(-9, -9, -9));
  EXPECT_THAT(Pad({1, 2}, {-5, 6, 0}, 3), ElementsAre(-9, -9, -9));
}

TEST(Movers, Concatenate) {
  EXPECT_THAT(
      Values(Op(Opcode::kConcatenate, Of(kS32, {2, 3}),
                {Array(kS32, {2, 1}, {1, 2}), Array(kS32, {2, 0}, {}), Array(kS32, {2, 2}, {3, 4, 5, 6})},
                hlo::DimensionsAttributes{{1}})),
      ElementsAre(1, 3, 4, 2, 5, 6));
}

TEST(Movers, IotaWrapsInNarrowTypes) {
  EXPECT_THAT(Values(Op(Opcode::kIota, Of(kF32, {2, 3}), {}, hlo::IotaAttributes{1})),
              ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(Values(Op(Opcode::kIota, Of(kU2, {6}), {}, hlo::IotaAttributes{0})),
              ElementsAre(0, 1, 2, 3, 0, 1));
  EXPECT_THAT(Values(Op(Opcode::kIota, Of(kC64, {2}), {}, hlo::IotaAttributes{0})), ElementsAre(0, 1));
}

TEST(Movers, DynamicSliceClamps) {
  const Literal x = Vec(kS32, {0, 1, 2, 3, 4});
  auto slice = [&](const Literal& start) {
    return Values(Op(Opcode::kDynamicSlice, Of(kS32, {2}), {x, start}, hlo::DynamicSliceAttributes{{2}}));
  };
  EXPECT_THAT(slice(Scalar(kS32, -1)), ElementsAre(0, 1));
  EXPECT_THAT(slice(Scalar(kS32, 2)), ElementsAre(2, 3));
  EXPECT_THAT(slice(Scalar(kS32, 100)), ElementsAre(3, 4));
  EXPECT_THAT(slice(Scalar(kU32, 4294967295.0)), ElementsAre(3, 4));
  EXPECT_THAT(slice(Scalar(kU8, 200)), ElementsAre(3, 4));
  EXPECT_THAT(slice(Scalar(kS8, -56)), ElementsAre(0, 1));
  Literal huge = *Literal::Zeros(Shape::Scalar(kU64));
  SetBits(huge, 0, ~uint64_t{0});
  EXPECT_THAT(slice(huge), ElementsAre(3, 4));
  EXPECT_THAT(slice(Vec(kS32, {3})), ElementsAre(3, 4));  // the old form: one vector of starts
}

TEST(Movers, DynamicUpdateSliceClampsAndKeepsItsOperand) {
  const Literal x = Array(kF32, {2, 3}, {0, 1, 2, 3, 4, 5});
  const Literal update = Array(kF32, {1, 2}, {8, 9});
  EXPECT_THAT(
      Values(Op(Opcode::kDynamicUpdateSlice, x.shape(), {x, update, Scalar(kS32, 7), Scalar(kS32, -3)})),
      ElementsAre(0, 1, 2, 8, 9, 5));
  EXPECT_THAT(Values(x), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Bitcasts, ConvertKeepsTheBits) {
  EXPECT_THAT(Bits(Op(Opcode::kBitcastConvert, Of(kU32, {2}), {FromBits(kF32, {0x7f800001, 0x80000000})})),
              ElementsAre(0x7f800001, 0x80000000));
  // Little endian: element 0 is the low part.
  EXPECT_THAT(Bits(Op(Opcode::kBitcastConvert, Shape::Scalar(kS32), {Vec(kS8, {0, 1, 2, 3})})),
              ElementsAre(0x03020100));
  EXPECT_THAT(Bits(Op(Opcode::kBitcastConvert, Of(kU8, {2, 2}), {FromBits(kU16, {0x0102, 0xfffe})})),
              ElementsAre(0x02, 0x01, 0xfe, 0xff));
  // Packed order of what is narrower than a byte: element 0 in the low bits.
  EXPECT_THAT(Values(Op(Opcode::kBitcastConvert, Of(kS4, {1, 2}), {FromBits(kU8, {0x8f})})),
              ElementsAre(-1, -8));
  EXPECT_THAT(Bits(Op(Opcode::kBitcastConvert, Of(kU8, {1}), {Array(kU2, {1, 4}, {1, 2, 3, 0})})),
              ElementsAre(0x39));
}

TEST(Bitcasts, BitcastReadsMemoryInOrder) {
  // f32[2,3] with dimension 0 fastest lies in memory as 0,3,1,4,2,5.
  Shape from = Of(kF32, {2, 3});
  from.set_layout({{0, 1}, 0, nullptr});
  Literal x = Array(kF32, {2, 3}, {0, 1, 2, 3, 4, 5});
  x.set_shape_layout(from);
  Shape to = Of(kF32, {6});
  to.set_layout(Layout::RowMajor(1));
  EXPECT_THAT(Values(Op(Opcode::kBitcast, to, {x})), ElementsAre(0, 3, 1, 4, 2, 5));
  Shape back = Of(kF32, {3, 2});
  back.set_layout({{1, 0}, 0, nullptr});
  EXPECT_THAT(Values(Op(Opcode::kBitcast, back, {x})), ElementsAre(0, 3, 1, 4, 2, 5));
  Shape same = Of(kF32, {2, 3});
  same.set_layout({{0, 1}, 0, nullptr});
  EXPECT_THAT(Values(Op(Opcode::kBitcast, same, {x})), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(DynamicShapes, AtTheBoundOnly) {
  const Literal x = Vec(kF32, {1, 2, 3});
  EXPECT_THAT(Values(Op(Opcode::kGetDimensionSize, Shape::Scalar(kS32), {x}, hlo::DimensionsAttributes{{0}})),
              ElementsAre(3));
  Shape dynamic = x.shape();
  dynamic.set_dynamic(0, true);
  EXPECT_THAT(
      Values(Op(Opcode::kSetDimensionSize, dynamic, {x, Scalar(kS32, 3)}, hlo::DimensionsAttributes{{0}})),
      ElementsAre(1, 2, 3));
  Result<Literal> shorter =
      TryOp(Opcode::kSetDimensionSize, dynamic, {x, Scalar(kS32, 2)}, hlo::DimensionsAttributes{{0}});
  ASSERT_FALSE(shorter.has_value());
  EXPECT_EQ(shorter.error().kind(), ErrorKind::kNotSupported);
  EXPECT_THAT(shorter.error().message(), HasSubstr("set to 2"));
}

}  // namespace
}  // namespace subfloor::evaluator_testing
