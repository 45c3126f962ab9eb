#include <gtest/gtest.h>

#include "codegen/kernel_harness.h"

namespace subfloor::codegen::testing {
namespace {

const RunSettings kSort{.emitter = dispatch::EmitterKind::kSort, .in_place = {}};

TEST(Sort, OfEveryLength) {
  for (int n : {1, 2, 3, 7, 8, 9, 100, 1000}) {
    ExpectAgrees(
        fmt::format(
            R"(less {{ a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }}
      ENTRY e {{ a = s32[{0}] parameter(0) ROOT r = s32[{0}] sort(a), dimensions={{0}}, to_apply=less }})",
            n),
        {}, kSort, {.int_min = -50, .int_max = 50});
  }
}

TEST(Sort, IsStable) {
  // Many equal keys: the values show whether their order was kept.
  ExpectAgrees(
      R"(less { a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3)
    ROOT r = pred[] compare(a, b), direction=GT }
    ENTRY e { a = s32[300] parameter(0) i = s32[300] iota(), iota_dimension=0
    ROOT r = (s32[300], s32[300]) sort(a, i), dimensions={0}, is_stable=true, to_apply=less })",
      {}, kSort, {.int_min = 0, .int_max = 9});
}

TEST(Sort, AlongAnyDimension) {
  for (int d : {0, 1, 2}) {
    ExpectAgrees(
        fmt::format(
            R"(less {{ a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER }}
      ENTRY e {{ a = f32[5,13,6] parameter(0) ROOT r = f32[5,13,6] sort(a), dimensions={{{}}}, to_apply=less }})",
            d),
        {}, kSort);
  }
}

TEST(Sort, InPlace) {
  RunSettings settings = kSort;
  settings.in_place = {{0, 0}};
  ExpectAgrees(
      R"(less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
    ENTRY e { a = f32[77] parameter(0) ROOT r = f32[77] sort(a), dimensions={0}, to_apply=less })",
      {}, settings);
}

TEST(Sort, ABadComparatorStillGivesAPermutation) {
  auto module =
      hlo::ParseModule(R"(f { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] constant(true) }
    ENTRY e { a = s32[37] parameter(0) ROOT r = s32[37] sort(a), dimensions={0}, to_apply=f })");
  ASSERT_TRUE(module) << module.error().ToString();
  std::vector<int32_t> numbers(37);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i);
  auto result = RunBody(*(*module)->entry(), std::vector<Literal>{Literal::Vector<int32_t>(numbers)}, kSort);
  ASSERT_TRUE(result) << result.error().ToString();
  auto sorted = result->value.data<int32_t>();
  EXPECT_THAT(std::vector<int32_t>(sorted.begin(), sorted.end()),
              ::testing::UnorderedElementsAreArray(numbers));
}

}  // namespace
}  // namespace subfloor::codegen::testing
