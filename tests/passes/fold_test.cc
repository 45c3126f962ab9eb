#include "passes/pass_test_util.h"

namespace subfloor::passes {
namespace {

using hlo::Module;

// Folds the entry to one constant, which must have the bits that the evaluator gives.
void ExpectFolds(std::string_view body) {
  SCOPED_TRACE(body);
  auto module = Parse("ENTRY e { " + std::string(body) + " }");
  ASSERT_TRUE(module);
  const auto expected = Evaluate(*module, {});
  ASSERT_TRUE(expected.has_value());
  EXPECT_TRUE(RunPasses(*module, {"fold-constants"}));
  ASSERT_TRUE(module->entry()->root()->IsConstant()) << PrintShort(*module);
  EXPECT_TRUE(SameBits(*expected, module->entry()->root()->literal()));
}

TEST(FoldTest, IntegersAtTheirEdges) {
  for (const char* op : {"add", "subtract", "multiply", "divide", "remainder", "and", "or", "xor", "maximum",
                         "minimum", "shift-left", "shift-right-logical", "shift-right-arithmetic"}) {
    for (const char* type : {"s8", "s32", "s64", "s4"}) {
      ExpectFolds(fmt::format(
          "x = {0}[6] constant({{-8, 7, -1, 5, 0, -8}}) y = {0}[6] constant({{-1, 1, 0, -2, 0, 3}}) "
          "ROOT r = {0}[6] {1}(x, y)",
          type, op));
    }
    if (std::string_view(op) == "shift-right-arithmetic") continue;
    for (const char* type : {"u8", "u32", "u64"}) {
      ExpectFolds(
          fmt::format("x = {0}[5] constant({{200, 7, 255, 5, 0}}) y = {0}[5] constant({{1, 64, 0, 9, 0}}) "
                      "ROOT r = {0}[5] {1}(x, y)",
                      type, op));
    }
  }
  for (const char* op : {"negate", "abs", "sign", "not", "popcnt", "count-leading-zeros"}) {
    ExpectFolds(fmt::format("x = s8[4] constant({{-128, 127, 0, -3}}) ROOT r = s8[4] {}(x)", op));
  }
}

TEST(FoldTest, FloatsRoundOnce) {
  for (const char* type : {"f32", "f64", "bf16", "f16", "f8e5m2", "f8e4m3fn"}) {
    for (const char* op : {"add", "subtract", "multiply", "divide", "maximum", "minimum"}) {
      ExpectFolds(
          fmt::format("x = {0}[7] constant({{0.1, -0, 3, inf, nan, 1.25, -7}}) y = {0}[7] constant({{3, 0, "
                      "-0, 2, 1, 0.3, 0}}) "
                      "ROOT r = {0}[7] {1}(x, y)",
                      std::string_view(type) == "f8e4m3fn" ? "f32" : type, op));
    }
    for (const char* op : {"sqrt", "negate", "abs", "floor", "ceil"}) {
      ExpectFolds(fmt::format("x = {0}[4] constant({{0.1, -0, 2.5, 7}}) ROOT r = {0}[4] {1}(x)", type, op));
    }
  }
}

TEST(FoldTest, ComparisonsAndSelections) {
  for (const char* direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
    ExpectFolds(
        fmt::format("x = f32[4] constant({{1, nan, -0, 2}}) y = f32[4] constant({{1, 1, 0, 3}}) "
                    "ROOT r = pred[4] compare(x, y), direction={}",
                    direction));
    ExpectFolds(
        fmt::format("x = u8[3] constant({{1, 200, 0}}) y = u8[3] constant({{1, 1, 100}}) "
                    "ROOT r = pred[3] compare(x, y), direction={}",
                    direction));
  }
  ExpectFolds(
      "p = pred[3] constant({1, 0, 1}) x = s32[3] constant({1, 2, 3}) y = s32[3] constant({4, 5, 6}) ROOT r "
      "= s32[3] select(p, x, y)");
  ExpectFolds(
      "l = f32[] constant(0) x = f32[4] constant({-1, 0.5, 3, nan}) h = f32[] constant(1) ROOT r = f32[4] "
      "clamp(l, x, h)");
}

TEST(FoldTest, Conversions) {
  for (const char* to : {"s8", "u16", "s64", "pred", "f16", "bf16", "f64", "f8e4m3fn"}) {
    ExpectFolds(fmt::format(
        "x = f32[6] constant({{-1.5, 300.7, nan, inf, 0.001, -0}}) ROOT r = {}[6] convert(x)", to));
    ExpectFolds(fmt::format("x = s32[4] constant({{-300, 300, 0, 16777217}}) ROOT r = {}[4] convert(x)", to));
  }
}

TEST(FoldTest, Movers) {
  ExpectFolds(
      "x = s32[2,3] constant({{1, 2, 3}, {4, 5, 6}}) ROOT r = s32[3,2] transpose(x), dimensions={1,0}");
  ExpectFolds(
      "x = s32[2,3] constant({{1, 2, 3}, {4, 5, 6}}) ROOT r = s32[2,2] slice(x), slice={[0:2], [0:3:2]}");
  ExpectFolds("x = s32[2,3] constant({{1, 2, 3}, {4, 5, 6}}) ROOT r = s32[2,3] reverse(x), dimensions={0,1}");
  ExpectFolds(
      "x = s32[2,1] constant({{1}, {4}}) y = s32[2,2] constant({{7, 8}, {9, 10}}) ROOT r = s32[2,3] "
      "concatenate(x, y), dimensions={1}");
  ExpectFolds("x = s32[2,3] constant({{1, 2, 3}, {4, 5, 6}}) ROOT r = s32[6] reshape(x)");
}

TEST(FoldTest, TheBudgetRefusesAndSaysSo) {
  auto module = Parse("ENTRY e { x = s32[4] constant({1, 2, 3, 4}) ROOT r = s32[4] negate(x) }");
  ASSERT_TRUE(module);
  PassContext context;
  decision::Log log;
  context.log = &log;
  context.options.max_folded_bytes = 15;
  EXPECT_FALSE(RunPasses(*module, {"fold-constants"}, &context));
  ASSERT_EQ(log.records().size(), 1u);
  EXPECT_EQ(decision::Text(log.records()[0]), "16 bytes, the budget is 15");
}

TEST(FoldTest, ElementaryFunctionsStay) {
  auto module = Parse("ENTRY e { x = f32[] constant(1) ROOT r = f32[] exponential(x) }");
  ASSERT_TRUE(module);
  EXPECT_FALSE(RunPasses(*module, {"fold-constants"}));
}

}  // namespace
}  // namespace subfloor::passes
