#include "hlo/literal_text.h"

#include <gtest/gtest.h>

#include "hlo/parser.h"
#include "types/narrow.h"

namespace subfloor::hlo {
namespace {

std::string Text(const Literal& literal) {
  std::string text;
  AppendLiteral(text, literal);
  return text;
}

Literal Read(std::string_view shape, std::string_view text) {
  auto literal = ParseLiteral(*ParseShape(shape), text);
  EXPECT_TRUE(literal) << literal.error().ToString();
  return literal ? *std::move(literal) : Literal();
}

std::string Problem(std::string_view shape, std::string_view text) {
  const auto literal = ParseLiteral(*ParseShape(shape), text);
  return literal ? "read " + Text(*literal) : literal.error().ToString();
}

TEST(LiteralText, PrintsAsItReads) {
  const std::pair<std::string_view, std::string_view> kCases[] = {
      {"f32[]", "0.1"},
      {"f32[]", "-0"},
      {"f32[]", "3.14159274"},
      {"f32[]", "1.4013e-45"},
      {"f32[]", "3.40282347e+38"},
      {"f32[]", "inf"},
      {"f32[]", "-inf"},
      {"f32[]", "nan"},
      {"f32[]", "-nan"},
      {"f32[]", "nan(0x400001)"},
      {"f32[]", "-nan(0x1)"},
      {"f32[]", "1e+10"},
      {"f64[]", "0.1"},
      {"f64[]", "0.30000000000000004"},
      {"f64[]", "nan(0x8000000000001)"},
      {"f64[]", "4.94065645841247e-324"},
      {"f16[]", "0.099976"},
      {"f16[]", "65504"},
      {"bf16[]", "0.1001"},
      {"bf16[]", "nan(0x41)"},
      {"f8e4m3fn[]", "448"},
      {"f8e4m3fn[]", "-nan"},
      {"f8e5m2[]", "inf"},
      {"f8e5m2[]", "nan(0x1)"},
      {"f8e4m3fnuz[]", "nan"},
      {"f8e8m0fnu[]", "nan"},
      {"f8e8m0fnu[]", "0.5"},
      {"f4e2m1fn[]", "-6"},
      {"s4[]", "-8"},
      {"u4[]", "15"},
      {"s1[]", "-1"},
      {"s64[]", "-9223372036854775808"},
      {"u64[]", "18446744073709551615"},
      {"pred[]", "true"},
      {"c64[]", "(1, -2.5)"},
      {"c128[]", "(nan, inf)"},
      {"s32[3]", "{1, 2, 3}"},
      {"s32[0]", "{}"},
      {"s32[2,0]", "{}"},
      {"s32[2,2]", "{ {1, 2}, {3, 4} }"},
      {"pred[2,1,2]", "{ { {false, true} }, { {true, false} } }"},
      {"c64[2]", "{(1, 2), (3, 4)}"},
      {"(f32[], (s32[2], pred[]))", "(1, ({2, 3}, true))"},
      {"()", "()"},
      {"((), f32[])", "((), 2)"},
      {"(token[], s8[])", "(token, 1)"},
  };
  for (const auto& [shape, text] : kCases) EXPECT_EQ(Text(Read(shape, text)), text) << shape;
}

TEST(LiteralText, ReadsOtherForms) {
  EXPECT_EQ(Text(Read("s32[2,2]", "{{1 2}\n{ 3, /*i=1*/ 4}}")), "{ {1, 2}, {3, 4} }");
  EXPECT_EQ(Text(Read("pred[3]", "{1, 0, -7}")), "{true, false, true}");
  EXPECT_EQ(Text(Read("s32[2,0]", "{{}, {}}")), "{}");
  EXPECT_EQ(Text(Read("f32[1,1]", "4")), "{ {4} }");
  EXPECT_EQ(Text(Read("f32[]", "3.")), "3");
  EXPECT_EQ(Text(Read("c64[]", "7")), "(7, 0)");
  EXPECT_EQ(Text(Read("f64[]", "1e-400")), "0");
  EXPECT_EQ(Text(Read("f32[]", "1e-45")), "1.4013e-45");
  EXPECT_EQ(Text(Read("f8e4m3fn[]", "449")), "448");
  EXPECT_EQ(Text(Read("f32[]", "16777217")), "16777216");
}

// Every bit pattern of the types of 16 bits and less reads back from its text.
TEST(LiteralText, EveryNarrowValueComesBack) {
#define X(enumerator, text, bits, cls) ElementType::enumerator,
  for (ElementType type : {SUBFLOOR_ELEMENT_TYPES(X)}) {
#undef X
    if (!IsArrayType(type) || BitWidth(type) > 16 || IsPred(type)) continue;
    const int64_t count = int64_t{1} << BitWidth(type);
    Literal all = *Literal::Zeros(Shape::ArrayOf(type, {count}));
    for (int64_t i = 0; i < count; ++i) SetBits(all, i, static_cast<uint64_t>(i));
    const auto again = ParseLiteral(all.shape(), Text(all));
    ASSERT_TRUE(again) << ToString(type) << ": " << again.error().ToString();
    EXPECT_TRUE(again->Identical(all)) << ToString(type);
  }
}

TEST(LiteralText, EveryFloatBitComesBack) {
  // A walk over the bit patterns of f32 and f64 that visits all exponents.
  Literal floats = *Literal::Zeros(Shape::ArrayOf(ElementType::kF32, {40000}));
  uint32_t bits32 = 0;
  for (uint32_t& bits : floats.mutable_data<uint32_t>()) bits = bits32 += 0x9E3779B1u;
  Literal doubles = *Literal::Zeros(Shape::ArrayOf(ElementType::kF64, {40000}));
  uint64_t bits64 = 0;
  for (uint64_t& bits : doubles.mutable_data<uint64_t>()) bits = bits64 += 0x9E3779B97F4A7C15u;
  for (const Literal& literal : {floats, doubles}) {
    const auto again = ParseLiteral(literal.shape(), Text(literal));
    ASSERT_TRUE(again) << again.error().ToString();
    EXPECT_TRUE(again->Identical(literal));
  }
}

TEST(LiteralText, Errors) {
  EXPECT_EQ(Problem("s4[]", "8"), "1:1: 8 is out of the range of s4");
  EXPECT_EQ(Problem("u8[]", "-1"), "1:1: -1 is out of the range of u8");
  EXPECT_EQ(Problem("u8[]", "256"), "1:1: 256 is out of the range of u8");
  EXPECT_EQ(Problem("s64[]", "9223372036854775808"), "1:1: 9223372036854775808 is out of the range of s64");
  EXPECT_EQ(Problem("s32[]", "1.5"),
            "1:1: a number with a fraction or an exponent, wanted an integer of type s32");
  EXPECT_EQ(Problem("f16[]", "65520"), "1:1: 65520 is out of the range of f16");
  EXPECT_EQ(Problem("f32[]", "1e39"), "1:1: 1e39 is out of the range of f32");
  EXPECT_EQ(Problem("f8e4m3fn[]", "465"), "1:1: 465 is out of the range of f8e4m3fn");
  EXPECT_EQ(Problem("f4e2m1fn[]", "7"), "1:1: 7 is out of the range of f4e2m1fn");
  EXPECT_EQ(Problem("f4e2m1fn[]", "nan"), "1:1: f4e2m1fn has no NaN");
  EXPECT_EQ(Problem("f8e4m3fn[]", "-inf"), "1:1: f8e4m3fn has no infinity");
  EXPECT_EQ(Problem("f8e8m0fnu[]", "0"), "1:1: 0 is out of the range of f8e8m0fnu");
  EXPECT_EQ(Problem("f32[]", "nan(0x0)"), "1:5: 0x0 are no payload bits that a NaN of f32 can have");
  EXPECT_EQ(Problem("f32[]", "nan(0x800000)"),
            "1:5: 0x800000 are no payload bits that a NaN of f32 can have");
  EXPECT_EQ(Problem("f32[]", "one"), "1:1: found `one`, wanted a number of type f32");
  EXPECT_EQ(Problem("f32[3]", "{1, 2}"), "1:6: 2 elements in dimension 0 of f32[3], wanted 3");
  EXPECT_EQ(Problem("f32[3]", "{1, 2, 3, 4}"), "1:11: more than 3 elements in dimension 0 of f32[3]");
  EXPECT_EQ(Problem("f32[2,2]", "{{1, 2}, {3, 4}, {5, 6}}"),
            "1:18: more than 2 elements in dimension 0 of f32[2,2]");
  EXPECT_EQ(Problem("f32[2,2]", "{1, 2}"), "1:2: found `1`, wanted `{`, as f32[2,2] has 2 dimensions");
  EXPECT_EQ(Problem("f32[2]", "{{1, 2}}"), "1:2: braces nested deeper than the 1 dimensions of f32[2]");
  EXPECT_EQ(Problem("f32[3]", "1"), "1:1: found `1`, wanted `{` and the elements of f32[3]");
  EXPECT_EQ(Problem("f32[]", "{1}"), "1:1: found `{`, wanted a scalar of type f32");
  EXPECT_EQ(Problem("f32[2]", "{1, 2"), "1:6: found the end of the text, wanted an element or `}`");
  EXPECT_EQ(Problem("f32[1000000]", "{1}"),
            "1:1: a literal of 1000000 elements wanted for f32[1000000], and the text is shorter");
  EXPECT_EQ(Problem("(f32[], f32[])", "(1)"), "1:3: 1 elements in a tuple of 2");
  EXPECT_EQ(Problem("(f32[])", "(1, 2)"), "1:3: more than 1 elements in a tuple");
  EXPECT_EQ(Problem("f32[]", "1 2"), "1:3: found `2`, wanted the end of the literal");
  EXPECT_EQ(Problem("f32[2]", "{...}"), "1:6: an elided literal has no value");
  EXPECT_EQ(Problem("pred[]", "maybe"), "1:1: found `maybe`, wanted true, false or an integer");
}

}  // namespace
}  // namespace subfloor::hlo
