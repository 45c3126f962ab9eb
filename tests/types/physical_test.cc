#include "types/physical.h"

#include <gtest/gtest.h>

namespace subfloor {
namespace {

TEST(Physical, ColumnMajorAndBack) {
  Shape shape = Shape::ArrayOf(ElementType::kS16, {2, 3});
  shape.set_layout(Layout{{0, 1}, 0, nullptr});
  const std::vector<int16_t> rows = {1, 2, 3, 4, 5, 6};
  std::vector<int16_t> physical(6), back(6);
  RowMajorToPhysical(shape, std::as_bytes(std::span(rows)), std::as_writable_bytes(std::span(physical)));
  EXPECT_EQ(physical, (std::vector<int16_t>{1, 4, 2, 5, 3, 6}));
  PhysicalToRowMajor(shape, std::as_bytes(std::span(physical)), std::as_writable_bytes(std::span(back)));
  EXPECT_EQ(back, rows);
}

}  // namespace
}  // namespace subfloor
