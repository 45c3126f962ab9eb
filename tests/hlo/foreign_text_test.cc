#include "hlo/foreign_text.h"

#include <gmock/gmock.h>

#include <string>

#include "hlo/parser.h"

namespace subfloor::hlo {
namespace {

using ::testing::HasSubstr;
using namespace std::string_view_literals;

std::string Problem(std::string_view text) {
  const auto module = ParseModule(text, "f");
  return module ? "parsed" : module.error().ToString();
}

TEST(ForeignText, IsNamedWithTheWayToHloText) {
  const struct {
    std::string_view text, message;
  } kCases[] = {
      {"", "f:1:1: nothing here, wanted HLO text; JAX gives"},
      {" \n// only a comment", "f:1:1: nothing here"},
      {"module @jit_f attributes {mhlo.num_partitions = 1 : i32} {\n  func.func public @main() {}\n}",
       "f:1:1: MLIR (such as StableHLO), wanted HLO text; JAX gives HLO text by jax.jit(f).lower(*args)"},
      {"// a comment\n#loc = loc(unknown)\nmodule { func.func @f() }", "MLIR (such as StableHLO)"},
      {"ML\xefR\rMLIR21\0"sv, "MLIR bytecode"},
      {"\n\x07jit_sum\x12\x06main.1\x1a\x02"sv, "a serialized module (HloModuleProto or alike)"},
      {"\n\xa5\x02\n\x07jit_sum\x12\0"sv, "a serialized module"},
      {"\x1f\x8b\x08\0\0"sv, "compressed with gzip"},
      {"PK\x03\x04\x14\0"sv, "a zip archive"},
      {"\x28\xb5\x2f\xfd\x24", "zstd"},
      {"\x93NUMPY\x01\0"sv, "a .npy array"},
      {"\x7f"
       "ELF\x02",
       "machine code"},
      {"\xff\xfeH\0l\0o\0"sv, "UTF-16"},
  };
  for (const auto& [text, message] : kCases) EXPECT_THAT(Problem(text), HasSubstr(message));
}

TEST(ForeignText, HloTextWithAMistakeKeepsItsOwnMessage) {
  // A computation may be called module.
  EXPECT_EQ(Problem("module { ROOT x = f32[2] parameter(0"),
            "f:1:37: %x: found the end of the text, wanted `,` or `)`");
  EXPECT_EQ(Problem("module { ROOT x = f32[2] parameter(0) }"), "parsed");
}

TEST(ForeignText, AByteOrderMarkIsNotSeen) {
  EXPECT_EQ(Problem("\xef\xbb\xbf"
                    "e { ROOT x = f32[2] parameter(0) }"),
            "parsed");
  EXPECT_THAT(Problem("\xef\xbb\xbf"
                      "e { ROOT x = 3 }"),
              HasSubstr("f:1:14: "));
}

TEST(ForeignText, BytesOutsideAsciiAreNamedWhereTheyStand) {
  EXPECT_THAT(Problem("e {\n  x = f32[2] parameter(0)\n  y\xc2\xa0= f32[2] negate(x)\n}"),
              HasSubstr("f:3:4: %y: found the byte 0xC2, which is not ASCII, wanted `=`"));
  EXPECT_THAT(Problem("e {\n  x\x01 = f32[2] parameter(0) }"),
              HasSubstr("f:2:4: %x: found the byte 0x01, wanted"));
  // In comments and strings they are nobody's business.
  EXPECT_EQ(Problem("e { /* \xc3\xa4 */ ROOT x = f32[2] parameter(0), metadata={op_name=\"\xc3\xa4\"} }"),
            "parsed");
}

}  // namespace
}  // namespace subfloor::hlo
