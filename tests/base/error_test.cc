#include "base/error.h"

#include <gtest/gtest.h>

namespace subfloor {
namespace {

Result<int> Half(int x) {
  if (x % 2 != 0) return BadInput("{} is odd", x);
  return x / 2;
}

Result<int> Quarter(int x) { return SF_TRY(Half(SF_TRY(Half(x)))); }

TEST(Error, TryPassesValuesAndErrors) {
  EXPECT_EQ(*Quarter(12), 3);
  Result<int> bad = Quarter(6);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message(), "3 is odd");
}

TEST(Error, TextNamesPlaceAndInstruction) {
  Error error(ErrorKind::kBadInput, "found 3, wanted 4");
  EXPECT_EQ(error.ToString(), "found 3, wanted 4");
  error.At({"a.hlo", 7, 10}).In("sum");
  EXPECT_EQ(error.ToString(), "a.hlo:7:10: %sum: found 3, wanted 4");
}

TEST(Error, ExitCodes) {
  EXPECT_EQ(ExitCode(ErrorKind::kBadInput), 3);
  EXPECT_EQ(ExitCode(ErrorKind::kNotSupported), 4);
  EXPECT_EQ(ExitCode(ErrorKind::kOutOfResources), 5);
  EXPECT_EQ(ExitCode(ErrorKind::kInternal), 70);
}

}  // namespace
}  // namespace subfloor
