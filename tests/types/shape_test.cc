#include "types/shape.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

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

// Copies share what they describe; changing one must not show in another, nor in the token that all tokens
// share.
TEST(Shape, ACopyIsItsOwn) {
  const Shape original = Shape::ArrayOf(ElementType::kF32, {2, 3}).WithDefaultLayout();
  Shape copy = original, second = copy;
  copy.clear_layout();
  second.set_dynamic(0, true);
  EXPECT_EQ(original.ToString(), "f32[2,3]{1,0}");
  EXPECT_EQ(copy.ToString(), "f32[2,3]");
  EXPECT_EQ(second.ToString(), "f32[<=2,3]{1,0}");
  EXPECT_EQ(second.WithElementType(ElementType::kS8).ToString(), "s8[<=2,3]{1,0}");
  EXPECT_NE(original, second);
  second.set_dynamic(0, false);
  EXPECT_EQ(original, second);

  Shape token;
  token.set_layout(Layout::RowMajor(0));
  EXPECT_EQ(Shape::Token().layout(), nullptr);
  Shape moved_from = original;
  const Shape moved = std::move(moved_from);
  EXPECT_EQ(moved, original);
  const Shape& self = copy;
  copy = self;
  EXPECT_EQ(copy.ToString(), "f32[2,3]");
  // An element of the tuple that is overwritten by it.
  Shape tuple = Shape::Tuple({original, Shape::Token()});
  tuple = tuple.tuple_shape(0);
  EXPECT_EQ(tuple, original);
}

TEST(Shape, ThreadsMayCopyOneShapeAndChangeTheirs) {
  const Shape shared = Shape::Tuple({Shape::ArrayOf(ElementType::kF32, {4}), Shape::Token()});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([copy = shared] {
      for (int k = 0; k < 10'000; ++k) {
        Shape element = copy.tuple_shape(0);
        element.set_layout(Layout::RowMajor(1));
        ASSERT_EQ(element.layout()->minor_to_major.size(), 1u);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(shared.ToString(), "(f32[4], token[])");
}

}  // namespace
}  // namespace subfloor
