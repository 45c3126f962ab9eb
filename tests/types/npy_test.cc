#include "types/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <string>

#include "types/narrow.h"
#include "types/random_literal.h"

namespace subfloor {
namespace {

using enum ElementType;

std::vector<std::byte> Bytes(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

// A version 1 file by hand.
std::vector<std::byte> File(const std::string& dictionary, std::string_view data) {
  std::string text = "\x93NUMPY";
  text += '\x01';
  text += '\0';
  text += static_cast<char>(dictionary.size() % 256);
  text += static_cast<char>(dictionary.size() / 256);
  return Bytes(text + dictionary + std::string(data));
}

Literal Of(ElementType type, std::initializer_list<int64_t> sizes, std::initializer_list<double> values) {
  Literal literal = *Literal::Zeros(Shape::ArrayOf(type, sizes));
  int64_t i = 0;
  for (double value : values) SetFromDouble(literal, i++, value);
  return literal;
}

TEST(Npy, WritesTheDocumentedBytes) {
  const auto file = *WriteNpy(Of(kS16, {2}, {1, -2}));
  ASSERT_EQ(file.size(), 128u + 4);  // the header is padded to a multiple of 64
  const std::string text(reinterpret_cast<const char*>(file.data()), file.size());
  EXPECT_EQ(text.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(text.substr(10, 57), "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }");
  EXPECT_EQ(text[127], '\n');
  EXPECT_EQ(text.substr(128), std::string("\x01\x00\xfe\xff", 4));
}

TEST(Npy, EveryTypeRoundTripsThroughItsWidening) {
#define X(enumerator, text, bits, cls) enumerator,
  for (ElementType type : {SUBFLOOR_ELEMENT_TYPES(X)}) {
#undef X
    if (!IsArrayType(type)) continue;
    const Literal value = *RandomLiteral(Shape::ArrayOf(type, {3, 5, 2}), 7, {.edge = true});
    const auto file = WriteNpy(value);
    ASSERT_TRUE(file) << file.error().ToString();
    const auto back = ReadNpy(*file, value.shape());
    ASSERT_TRUE(back) << ToString(type) << " " << back.error().ToString();
    EXPECT_TRUE(back->Identical(value)) << ToString(type);
  }
}

TEST(Npy, ScalarAndEmptyArrays) {
  for (auto sizes : {std::vector<int64_t>{}, std::vector<int64_t>{0, 3}}) {
    const Literal value = *RandomLiteral(Shape::ArrayOf(kF64, sizes), 1);
    EXPECT_TRUE(ReadNpy(*WriteNpy(value))->Identical(value));
  }
}

TEST(Npy, FortranOrderAndBigEndian) {
  // [[1, 2, 3], [4, 5, 6]] column by column, high byte first.
  const auto file = File("{'descr': '>u2', 'fortran_order': True, 'shape': (2, 3), }",
                         std::string_view("\0\1\0\4\0\2\0\5\0\3\0\6", 12));
  const auto value = ReadNpy(file);
  ASSERT_TRUE(value) << value.error().ToString();
  EXPECT_TRUE(value->Identical(Of(kU16, {2, 3}, {1, 2, 3, 4, 5, 6})));
  // A complex number's two halves are swapped each by itself.
  const auto complex = ReadNpy(File("{\"shape\": (), \"fortran_order\": False, \"descr\": \">c8\"}",
                                    std::string_view("\x3f\x80\0\0\xc0\0\0\0", 8)));
  ASSERT_TRUE(complex) << complex.error().ToString();
  EXPECT_EQ(GetAsComplex(*complex, 0), std::complex<double>(1, -2));
}

TEST(Npy, FormatTwoHasALongerLength) {
  const std::string dictionary = "{'descr': '|i1', 'fortran_order': False, 'shape': (1,), }";
  std::string text = "\x93NUMPY";
  text += '\x02';
  text += '\0';
  text += static_cast<char>(dictionary.size());
  text += std::string(3, '\0') + dictionary + '\x05';
  EXPECT_EQ(GetAsInt(*ReadNpy(Bytes(text)), 0), 5);
}

TEST(Npy, ConvertsExactlyOrSaysWhere) {
  const auto halves = *WriteNpy(Of(kF32, {2}, {1.5, 2.25}));
  EXPECT_TRUE(ReadNpy(halves, Shape::ArrayOf(kBF16, {2})));
  EXPECT_TRUE(ReadNpy(halves, Shape::ArrayOf(kF64, {2})));
  const auto f4 = ReadNpy(halves, Shape::ArrayOf(kF4E2M1FN, {2}));
  ASSERT_FALSE(f4);
  EXPECT_EQ(f4.error().message(), "element 1 of the .npy file is 2.25, which f4e2m1fn cannot hold exactly");
  EXPECT_FALSE(ReadNpy(halves, Shape::ArrayOf(kS32, {2})));
  const auto integers = *WriteNpy(Of(kS8, {2}, {7, -8}));
  EXPECT_EQ(GetAsInt(*ReadNpy(integers, Shape::ArrayOf(kS4, {2})), 1), -8);
  EXPECT_FALSE(ReadNpy(integers, Shape::ArrayOf(kU4, {2})));
  EXPECT_FALSE(ReadNpy(*WriteNpy(Of(kF32, {1}, {std::numeric_limits<double>::quiet_NaN()})),
                       Shape::ArrayOf(kS8, {1})));
  const auto sizes = ReadNpy(halves, Shape::ArrayOf(kF32, {3}));
  ASSERT_FALSE(sizes);
  EXPECT_EQ(sizes.error().message(), "the .npy file has shape (2); f32[3] is wanted");
}

TEST(Npy, RawElementsNeedATypeOfTheirWidth) {
  const auto file =
      File("{'descr': '<V2', 'fortran_order': False, 'shape': (1,), }", std::string_view("\xc0\x3f", 2));
  EXPECT_EQ(GetAsDouble(*ReadNpy(file, Shape::ArrayOf(kBF16, {1})), 0), 1.5);
  EXPECT_FALSE(ReadNpy(file, Shape::ArrayOf(kF8E5M2, {1})));
  EXPECT_FALSE(ReadNpy(file));
}

TEST(Npy, DamagedFilesAreErrors) {
  const std::string good = "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }";
  EXPECT_TRUE(ReadNpy(File(good, "abcd")));
  EXPECT_FALSE(ReadNpy(File(good, "abc")));
  EXPECT_FALSE(ReadNpy(File(good, "abcde")));
  for (std::string_view bad :
       {"", "{", "{'descr': '<i2'}", "{'descr': '<i2', 'fortran_order': 1, 'shape': (2,)}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (2}", "{'other': 1}", "{'descr': '<i2",
        "{'descr': '|O', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': [('a', '<i2')], 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<i2', 'fortran_order': False, 'shape': (4611686018427387904, 8)}"}) {
    EXPECT_FALSE(ReadNpy(File(std::string(bad), "abcd"))) << bad;
  }
  const auto whole = *WriteNpy(Of(kF32, {2}, {1, 2}));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(ReadNpy(std::span(whole).first(size))) << size;
  }
}

TEST(Npy, Files) {
  const std::string path = (std::filesystem::path(::testing::TempDir()) / "subfloor_npy_test.npy").string();
  const Literal value = *RandomLiteral(Shape::ArrayOf(kBF16, {300, 70}), 3);
  ASSERT_TRUE(WriteNpyFile(path, value));
  EXPECT_TRUE(ReadNpyFile(path, value.shape())->Identical(value));
  EXPECT_EQ(ReadNpyFile(path)->element_type(), kF32);
  std::filesystem::remove(path);
  const auto missing = ReadNpyFile(path);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message().find(path), std::string::npos);
}

}  // namespace
}  // namespace subfloor
