#include "types/shape.h"

#include <gtest/gtest.h>

namespace subfloor {
namespace {

TEST(Shape, ArraySizesAreChecked) {
  EXPECT_EQ(Shape::Array(ElementType::kF32, std::vector<int64_t>{2, 3})->byte_size(), 24);
  EXPECT_FALSE(Shape::Array(ElementType::kF32, std::vector<int64_t>{-1}));
  EXPECT_FALSE(Shape::Array(ElementType::kF32, std::vector<int64_t>{1LL << 40, 1LL << 40}));
  EXPECT_EQ(Shape::Array(ElementType::kF32, std::vector<int64_t>{0, 5})->element_count(), 0);
}

TEST(Shape, Text) {
  Shape shape = Shape::ArrayOf(ElementType::kBF16, {2, 3});
  EXPECT_EQ(shape.ToString(), "bf16[2,3]");
  EXPECT_EQ(shape.WithDefaultLayout().ToString(), "bf16[2,3]{1,0}");
  EXPECT_EQ(Shape::Tuple({shape, Shape::Token(), Shape::Tuple({})}).ToString(), "(bf16[2,3], token[], ())");
}

TEST(Shape, DeepNestingCostsNoStack) {
  Shape shape = Shape::Scalar(ElementType::kF32);
  for (int i = 0; i < 1'000'000; ++i) shape = Shape::Tuple({shape});
  Shape copy = shape.WithDefaultLayout();
  EXPECT_TRUE(copy.Compatible(shape));
  EXPECT_EQ(copy.ToString().size(), 2'000'000u + 5);
}

TEST(Shape, LeavesComeInOrder) {
  Shape scalar = Shape::Scalar(ElementType::kS32);
  Shape shape = Shape::Tuple({scalar, Shape::Tuple({scalar, Shape::Scalar(ElementType::kF32)})});
  auto leaves = Leaves(shape);
  ASSERT_EQ(leaves.size(), 3u);
  EXPECT_EQ(leaves[2]->element_type(), ElementType::kF32);
  EXPECT_EQ(LeafCount(shape), 3);
}

}  // namespace
}  // namespace subfloor
