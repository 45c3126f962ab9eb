#include <gtest/gtest.h>

#include "codegen/kernel_harness.h"

namespace subfloor::codegen::testing {
namespace {

TEST(Loop, AddsTwoVectors) {
  auto module = hlo::ParseModule(
      "ENTRY e { a = f32[19] parameter(0) b = f32[19] parameter(1) ROOT r = f32[19] add(a, b) }");
  ASSERT_TRUE(module);
  std::vector<float> a(19), b(19);
  for (int i = 0; i < 19; ++i)
    a[static_cast<size_t>(i)] = static_cast<float>(i), b[static_cast<size_t>(i)] = 0.5f;
  std::vector<Literal> arguments{Literal::Vector<float>(a), Literal::Vector<float>(b)};
  auto result = RunBody(*(*module)->entry(), arguments);
  ASSERT_TRUE(result) << result.error().ToString();
  for (size_t i = 0; i < 19; ++i) EXPECT_EQ(result->value.data<float>()[i], static_cast<float>(i) + 0.5f);
}

TEST(Loop, EveryLengthHasItsTail) {
  for (int n : {1, 2, 15, 16, 17, 31, 33, 64, 100}) {
    ExpectAgrees(fmt::format(
        "ENTRY e {{ a = f32[{0}] parameter(0) b = f32[{0}] parameter(1) m = f32[{0}] multiply(a, b) "
        "ROOT r = f32[{0}] subtract(m, a) }}",
        n));
  }
}

TEST(Loop, TypesOfAllWidths) {
  for (const char* type : {"pred", "s4", "u4", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64", "f16",
                           "bf16", "f32", "f64"}) {
    ExpectAgrees(fmt::format(
        "ENTRY e {{ a = {0}[7,5] parameter(0) b = {0}[7,5] parameter(1) ROOT r = {0}[7,5] maximum(a, b) }}",
        type));
  }
  for (const char* type : {"c64", "c128"}) {
    ExpectAgrees(fmt::format(
        "ENTRY e {{ a = {0}[7,5] parameter(0) b = {0}[7,5] parameter(1) ROOT r = {0}[7,5] add(a, b) }}",
        type));
  }
}

TEST(Loop, RunsOnEveryIsaLevel) {
  for (const char* cpu : {"x86-64-v2", "x86-64-v3"}) {
    RunSettings settings;
    settings.cpu = cpu;
    ExpectAgrees(
        "ENTRY e { a = f32[37] parameter(0) b = bf16[37] parameter(1) c = f32[37] convert(b) ROOT r = "
        "f32[37] add(a, c) }",
        {}, settings);
  }
}

TEST(Loop, SharesOutLargeOnes) {
  RunSettings settings;
  settings.max_workgroups = 5;
  int64_t workgroups = 0;
  ExpectAgrees("ENTRY e { a = f32[100003] parameter(0) ROOT r = f32[100003] add(a, a) }", {}, settings, {},
               &workgroups);
  EXPECT_EQ(workgroups, 5);
  ExpectAgrees(
      "ENTRY e { a = f32[3,500,71] parameter(0) ROOT r = f32[500,3,71] transpose(a), dimensions={1,0,2} }",
      {}, settings, {}, &workgroups);
  EXPECT_EQ(workgroups, 5);
  ExpectAgrees("ENTRY e { a = f32[100] parameter(0) ROOT r = f32[100] add(a, a) }", {}, settings, {},
               &workgroups);
  EXPECT_EQ(workgroups, 1);
}

TEST(Loop, SeveralOutputs) {
  ExpectAgrees(R"(ENTRY e { a = f32[6,10] parameter(0) b = f32[6,10] parameter(1)
    s = f32[6,10] add(a, b) d = f32[6,10] subtract(a, b) q = f32[60] reshape(s) k = f32[4] constant({1,2,3,4})
    ROOT t = (f32[6,10], f32[6,10], f32[60], f32[4]) tuple(s, d, q, k) })");
}

TEST(Loop, OverwritesAnOperandInPlace) {
  RunSettings settings;
  settings.in_place = {{0, 1}};
  ExpectAgrees(
      "ENTRY e { a = f32[50] parameter(0) b = f32[50] parameter(1) ROOT r = f32[50] subtract(a, b) }", {},
      settings);
}

TEST(Loop, NothingToDo) {
  ExpectAgrees("ENTRY e { a = f32[0,5] parameter(0) ROOT r = f32[0,5] add(a, a) }");
  ExpectAgrees("ENTRY e { a = f32[] parameter(0) ROOT r = f32[] add(a, a) }");
}

}  // namespace
}  // namespace subfloor::codegen::testing
