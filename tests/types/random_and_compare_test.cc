#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "types/compare_literals.h"
#include "types/narrow.h"
#include "types/random_literal.h"

namespace subfloor {
namespace {

using enum ElementType;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Literal F32(std::vector<float> values) { return Literal::Vector(std::span<const float>(values)); }

TEST(RandomLiteral, IsDeterministicAndVaried) {
  const Shape shape =
      Shape::Tuple({Shape::ArrayOf(kF32, {1000}), Shape::Token(), Shape::ArrayOf(kF32, {1000})});
  const Literal a = *RandomLiteral(shape, 5);
  EXPECT_TRUE(a.Identical(*RandomLiteral(shape, 5)));
  EXPECT_FALSE(a.Identical(*RandomLiteral(shape, 6)));
  EXPECT_FALSE(a.elements()[0].Identical(a.elements()[2]));
  std::set<float> distinct;
  for (float x : a.elements()[0].data<float>()) {
    EXPECT_LE(std::abs(x), 1.0f);
    distinct.insert(x);
  }
  EXPECT_GT(distinct.size(), 800u);
}

TEST(RandomLiteral, IntegersKeepToTheirRange) {
  for (ElementType type : {kS4, kS8, kU8, kS64, kU64}) {
    const Literal values = *RandomLiteral(Shape::ArrayOf(type, {400}), 1, {.int_min = -2, .int_max = 5});
    std::set<int64_t> seen;
    for (int64_t i = 0; i < 400; ++i) seen.insert(GetAsInt(values, i));
    EXPECT_EQ(*seen.begin(), IsSigned(type) ? -2 : 0) << ToString(type);
    EXPECT_EQ(*seen.rbegin(), 5) << ToString(type);
  }
  const Literal bits = *RandomLiteral(Shape::ArrayOf(kS2, {100}), 1);
  std::set<int64_t> seen;
  for (int64_t i = 0; i < 100; ++i) seen.insert(GetAsInt(bits, i));
  EXPECT_EQ(seen, (std::set<int64_t>{-2, -1, 0, 1}));
}

TEST(RandomLiteral, EdgeModeMeetsEverySpecialValue) {
  const Literal floats = *RandomLiteral(Shape::ArrayOf(kF32, {2000}), 1, {.edge = true});
  bool nan = false, inf = false, negative_zero = false, subnormal = false, largest = false;
  for (float x : floats.data<float>()) {
    nan |= std::isnan(x);
    inf |= std::isinf(x);
    negative_zero |= x == 0 && std::signbit(x);
    subnormal |= std::fpclassify(x) == FP_SUBNORMAL;
    largest |= x == std::numeric_limits<float>::max();
  }
  EXPECT_TRUE(nan && inf && negative_zero && subnormal && largest);
  const Literal ordinary = *RandomLiteral(Shape::ArrayOf(kF8E8M0FNU, {200}), 1);
  for (int64_t i = 0; i < 200; ++i) EXPECT_LE(std::abs(std::log2(GetAsDouble(ordinary, i))), 3);
}

TEST(CompareLiterals, CountsErrorsInEveryMeasure) {
  // 1 + 3 ulp; 2 halved.
  const auto result = *CompareLiterals(F32({1 + 3 * 0x1p-23f, 1, 5}), F32({1, 2, 5}));
  ASSERT_EQ(result.leaves.size(), 1u);
  const LeafComparison& leaf = result.leaves[0];
  EXPECT_EQ(leaf.elements, 3);
  EXPECT_EQ(leaf.mismatches, 2);
  EXPECT_EQ(leaf.max_abs, 1);
  EXPECT_EQ(leaf.max_rel, 0.5);
  EXPECT_EQ(leaf.max_ulp, 0x1p22);  // the spacing at 2 is 2^-22
  EXPECT_NEAR(leaf.rms, std::sqrt(1.0 / 3), 1e-9);
  EXPECT_EQ(leaf.first_index, (std::vector<int64_t>{0}));
  EXPECT_EQ(leaf.first_expected, "1");
  EXPECT_FALSE(result.Matches());
}

TEST(CompareLiterals, AnyToleranceSuffices) {
  const Literal actual = F32({1 + 3 * 0x1p-23f}), expected = F32({1});
  EXPECT_FALSE(CompareLiterals(actual, expected, {.max_ulp = 2})->Matches());
  EXPECT_TRUE(CompareLiterals(actual, expected, {.max_ulp = 3})->Matches());
  EXPECT_TRUE(CompareLiterals(actual, expected, {.rtol = 1e-6})->Matches());
  EXPECT_TRUE(CompareLiterals(actual, expected, {.atol = 1e-6})->Matches());
  EXPECT_FALSE(CompareLiterals(actual, expected, {.atol = 1e-7})->Matches());
}

TEST(CompareLiterals, SpecialValues) {
  EXPECT_TRUE(CompareLiterals(F32({kNan, kInf, -0.0f}), F32({-kNan, kInf, 0.0f}))->Matches());
  const CompareOptions loose = {.max_ulp = 1e30, .rtol = 1e30, .atol = 1e30};
  EXPECT_FALSE(CompareLiterals(F32({kNan}), F32({1}), loose)->Matches());
  EXPECT_FALSE(CompareLiterals(F32({1}), F32({kNan}), loose)->Matches());
  EXPECT_FALSE(CompareLiterals(F32({kInf}), F32({-kInf}), loose)->Matches());
  EXPECT_FALSE(CompareLiterals(F32({kInf}), F32({3e38f}), loose)->Matches());
  // Least subnormals apart by one are one ulp apart.
  EXPECT_EQ(CompareLiterals(F32({0x1p-149f}), F32({0}))->leaves[0].max_ulp, 1);
}

TEST(CompareLiterals, AgainstAWiderTruth) {
  Literal truth = *Literal::Zeros(Shape::ArrayOf(kF64, {2}));
  SetFromDouble(truth, 0, 1 + 0x1p-25);
  SetFromDouble(truth, 1, 1e300);
  const auto result = *CompareLiterals(F32({1, kInf}), truth, {.max_ulp = 0.5});
  EXPECT_TRUE(result.Matches());
  EXPECT_EQ(result.leaves[0].max_ulp, 0.25);
  EXPECT_FALSE(CompareLiterals(F32({1, kInf}), F32({1, 1}), {.max_ulp = 0.5})->Matches());
}

TEST(CompareLiterals, IntegersComplexAndTuples) {
  const uint64_t big[] = {~uint64_t{0}, 1}, other[] = {~uint64_t{0} - 1, 1};
  const auto integers = *CompareLiterals(Literal::Vector(std::span<const uint64_t>(big)),
                                         Literal::Vector(std::span<const uint64_t>(other)));
  EXPECT_EQ(integers.leaves[0].max_abs, 1);
  EXPECT_EQ(integers.leaves[0].first_actual, "18446744073709551615");
  Literal a = *Literal::Zeros(Shape::ArrayOf(kC64, {1})), b = a;
  SetFromComplex(a, 0, {3, 4});
  SetFromComplex(b, 0, {3, 4 + 0x1p-21});
  EXPECT_EQ(CompareLiterals(a, b)->leaves[0].max_ulp, 1);  // of the modulus 5, whose spacing is 2^-21
  const auto tuples =
      *CompareLiterals(Literal::Tuple({F32({1}), Literal::Tuple({F32({2, 3})}), Literal::Token()}),
                       Literal::Tuple({F32({1}), Literal::Tuple({F32({2, 4})}), Literal::Token()}));
  ASSERT_EQ(tuples.leaves.size(), 2u);
  EXPECT_EQ(tuples.leaves[1].leaf, (ShapeIndex{1, 0}));
  EXPECT_EQ(tuples.ToString(/*only_mismatches=*/true),
            "{1,0}: 1 of 2 elements differ, first at [1]: 3, expected 4; max error 1 abs, 0.25 rel, "
            "2.097e+06 ulp, rms 0.707");
  EXPECT_FALSE(CompareLiterals(F32({1}), F32({1, 2})));
  EXPECT_FALSE(CompareLiterals(F32({1}), a));
  EXPECT_FALSE(CompareLiterals(F32({1}), Literal::Tuple({F32({1})})));
}

}  // namespace
}  // namespace subfloor
