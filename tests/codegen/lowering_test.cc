#include "codegen/run_lowering.h"

#include <gmock/gmock.h>

namespace subfloor::codegen {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kCopy = R"(
sf.kernel @copy(%a: !sf.buffer<4x16xf32>, %b: !sf.buffer<4x16xf32>) attributes {inputs = 1 : i64, workgroups = 1 : i64} {
  %zero = arith.constant 0 : i64
  %v = sf.load %a[%zero] align 64 : !sf.buffer<4x16xf32> -> vector<16xf32>
  sf.store %v, %b[%zero] align 64 : vector<16xf32>, !sf.buffer<4x16xf32>
  sf.return
}
)";

TEST(Lowering, TheDialectIsReadBackAsItIsPrinted) {
  auto once = RunLowering(kCopy, "");
  ASSERT_TRUE(once) << once.error().ToString();
  EXPECT_THAT(*once, HasSubstr("sf.kernel @copy(%in0: !sf.buffer<4x16xf32>, %out0: !sf.buffer<4x16xf32>)"));
  EXPECT_THAT(*once, HasSubstr("= sf.load %in0["));
  auto twice = RunLowering(*once, "");
  ASSERT_TRUE(twice) << twice.error().ToString();
  EXPECT_EQ(*once, *twice);
}

TEST(Lowering, KernelsBecomeFunctionsThatSayWhatCannotAlias) {
  auto text = RunLowering(kCopy, "lower-kernels");
  ASSERT_TRUE(text) << text.error().ToString();
  EXPECT_THAT(*text, HasSubstr("llvm.func @copy"));
  EXPECT_THAT(*text, HasSubstr("noalias_scopes"));
  EXPECT_THAT(*text, HasSubstr("invariant"));
  EXPECT_THAT(*text, Not(HasSubstr("sf.")));
}

TEST(Lowering, NothingButLlvmIsLeft) {
  auto text = RunLowering(kCopy, "all");
  ASSERT_TRUE(text) << text.error().ToString();
  EXPECT_THAT(*text, Not(HasSubstr("arith.")));
}

TEST(Lowering, BadTextIsRefused) {
  auto what = [](std::string_view body, std::string_view pass = "") {
    auto result = RunLowering(body, pass);
    return result ? std::string("accepted") : result.error().ToString();
  };
  EXPECT_THAT(what("sf.kernel @k("), HasSubstr("does not parse"));
  EXPECT_THAT(what(kCopy, "polish"), HasSubstr("no lowering pass is called polish; there are cse"));
  EXPECT_THAT(what("sf.kernel @k(%a: i64) attributes {inputs = 1 : i64, workgroups = 1 : i64} { sf.return }"),
              HasSubstr("takes buffers only"));
  EXPECT_THAT(
      what(
          R"(sf.kernel @k(%a: !sf.buffer<4xf33>) attributes {inputs = 1 : i64, workgroups = 1 : i64} { sf.return })"),
      HasSubstr("'f33' is no element type of an array"));
  EXPECT_THAT(
      what(R"(sf.kernel @k(%a: !sf.buffer<4xf32>) attributes {inputs = 1 : i64, workgroups = 1 : i64} {
    %zero = arith.constant 0 : i64
    %v = sf.load %a[%zero] : !sf.buffer<4xf32> -> vector<8xf32>
    sf.return })"),
      HasSubstr("moves 8 lanes, more than"));
  EXPECT_THAT(
      what(R"(sf.kernel @k(%a: !sf.buffer<4xbf16>) attributes {inputs = 1 : i64, workgroups = 1 : i64} {
    %zero = arith.constant 0 : i64
    %v = sf.load %a[%zero] : !sf.buffer<4xbf16> -> f32
    sf.return })"),
      HasSubstr("holds 'i16'"));
}

}  // namespace
}  // namespace subfloor::codegen
