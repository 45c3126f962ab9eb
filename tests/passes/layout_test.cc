#include "passes/pass_test_util.h"

namespace subfloor::passes {
namespace {

using hlo::Instruction;
using hlo::Opcode;

TEST(NormalizeLayoutsTest, ParameterBecomesTheArrayOfItsBytes) {
  auto module = Parse(R"(HloModule m, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{1,0}}
  ENTRY e { x = f32[2,3]{0,1} parameter(0) ROOT n = f32[2,3]{1,0} negate(x) })");
  ASSERT_TRUE(module);
  EXPECT_TRUE(RunPasses(*module, {"normalize-layouts"}));
  ASSERT_TRUE(hlo::Verify(*module, {.normal_form = true}).has_value());
  const Instruction* parameter = module->entry()->parameter(0);
  EXPECT_EQ(parameter->shape().ToString(), "f32[3,2]{1,0}");
  const Instruction* transpose = module->entry()->root()->operand(0);
  ASSERT_EQ(transpose->opcode(), Opcode::kTranspose);
  EXPECT_EQ(transpose->shape().ToString(), "f32[2,3]{1,0}");
  EXPECT_EQ(module->entry_layout().parameters[0].ToString(), "f32[2,3]{0,1}");  // what callers see
}

TEST(NormalizeLayoutsTest, ResultIsTransposedToItsBytes) {
  auto module = Parse(
      R"(HloModule m, entry_computation_layout={(f32[2,3,4]{2,1,0})->(f32[2,3,4]{1,0,2}, f32[2,3,4]{2,1,0})}
  ENTRY e { x = f32[2,3,4]{2,1,0} parameter(0) c = f32[2,3,4]{1,0,2} copy(x)
            ROOT t = (f32[2,3,4]{1,0,2}, f32[2,3,4]{2,1,0}) tuple(c, x) })");
  ASSERT_TRUE(module);
  EXPECT_TRUE(RunPasses(*module, {"normalize-layouts", "simplify-tuples", "dead-code"}));
  ASSERT_TRUE(hlo::Verify(*module, {.normal_form = true}).has_value());
  // Minor to major 1,0,2: dimension 2 is slowest, then 0, then 1.
  EXPECT_EQ(module->entry()->root()->shape().ToString(), "(f32[4,2,3]{2,1,0}, f32[2,3,4]{2,1,0})");
  const Literal x = *RandomLiteral(module->entry()->parameter(0)->shape(), 1);
  const auto result = Evaluate(*module, std::vector<Literal>{x});
  ASSERT_TRUE(result.has_value());
  const auto in = x.data<float>(), out = result->elements()[0].data<float>();
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 3; ++b)
      for (int c = 0; c < 4; ++c)
        EXPECT_EQ(out[static_cast<size_t>(c * 6 + a * 3 + b)], in[static_cast<size_t>(a * 12 + b * 4 + c)]);
}

TEST(NormalizeLayoutsTest, BitcastReadsTheBytesInOrder) {
  // Column-major f32[2,3] holds x00 x10 x01 x11 x02 x12; as row-major f32[6] these in order.
  auto module = Parse(R"(HloModule m
  ENTRY e { x = f32[2,3]{1,0} parameter(0) c = f32[2,3]{0,1} copy(x) ROOT b = f32[6]{0} bitcast(c) })");
  ASSERT_TRUE(module);
  auto original = module->Clone();
  EXPECT_TRUE(RunPasses(*module, {"normalize-layouts"}));
  ASSERT_TRUE(hlo::Verify(*module, {.normal_form = true}).has_value());
  const float values[] = {0, 1, 2, 10, 11, 12};
  const Literal x =
      *Literal::FromBytes(Shape::ArrayOf(ElementType::kF32, {2, 3}), std::as_bytes(std::span(values)));
  const auto result = Evaluate(*module, std::vector<Literal>{x});
  ASSERT_TRUE(result.has_value());
  const float expected[] = {0, 10, 1, 11, 2, 12};
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(result->data<float>()[i], expected[i]);
  ExpectSameResults(*original, *module);
}

TEST(NormalizeLayoutsTest, BitcastToAnotherWidth) {
  auto module = Parse(R"(HloModule m
  ENTRY e { x = u32[3]{0} parameter(0) ROOT b = u8[2,6]{1,0} bitcast(x) })");
  ASSERT_TRUE(module);
  auto original = module->Clone();
  EXPECT_TRUE(RunPasses(*module, {"normalize-layouts"}));
  ExpectSameResults(*original, *module, 3);
}

TEST(NormalizeLayoutsTest, TilesAreRefusedByName) {
  auto module = Parse(R"(HloModule m
  ENTRY e { ROOT x = f32[16,256]{1,0:T(8,128)} parameter(0) })");
  ASSERT_TRUE(module);
  PassContext context;
  const auto result = RunPass(*FindPass("normalize-layouts"), *module, context);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind(), ErrorKind::kNotSupported);
  EXPECT_EQ(result.error().instruction(), "x");
  EXPECT_EQ(result.error().message(),
            "layout {1,0:T(8,128)} has tiles; layouts that order dimensions, S(5) and E(n) are supported");
}

}  // namespace
}  // namespace subfloor::passes
