#include <gtest/gtest.h>

#include "codegen/support/elemental_harness.h"
#include "codegen/support/samples.h"

namespace subfloor::testing {
namespace {

using hlo::Opcode;
using Int = __int128;

constexpr ElementType kIntegers[] = {
    ElementType::kS1,  ElementType::kS2,  ElementType::kS4,  ElementType::kS8, ElementType::kS16,
    ElementType::kS32, ElementType::kS64, ElementType::kU1,  ElementType::kU2, ElementType::kU4,
    ElementType::kU8,  ElementType::kU16, ElementType::kU32, ElementType::kU64};

Int ValueOf(ElementType type, uint64_t bits) {
  return IsSigned(type) ? static_cast<Int>(ToInt(type, bits)) : static_cast<Int>(bits);
}
uint64_t MaskOf(ElementType type) {
  return BitWidth(type) == 64 ? ~uint64_t{0} : (uint64_t{1} << BitWidth(type)) - 1;
}

/// b^e modulo 2^64 by repeated multiplication in blocks, for a non-negative e.
uint64_t PowerModulo(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (int bit = 63; bit >= 0; --bit) {
    result *= result;
    if (exponent >> bit & 1) result *= base;
  }
  return result;
}

/// The contract's answer as a whole number, to be taken modulo 2^width.
Int Want(Opcode opcode, ElementType type, uint64_t a_bits, uint64_t b_bits) {
  const Int a = ValueOf(type, a_bits), b = ValueOf(type, b_bits);
  const int width = BitWidth(type);
  switch (opcode) {
    case Opcode::kAdd:
      return a + b;
    case Opcode::kSubtract:
      return a - b;
    case Opcode::kMultiply:
      return static_cast<Int>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    case Opcode::kDivide:
      return b == 0 ? -1 : a / b;
    case Opcode::kRemainder:
      return b == 0 ? a : a % b;
    case Opcode::kMaximum:
      return a > b ? a : b;
    case Opcode::kMinimum:
      return a < b ? a : b;
    case Opcode::kAnd:
      return static_cast<Int>(a_bits & b_bits);
    case Opcode::kOr:
      return static_cast<Int>(a_bits | b_bits);
    case Opcode::kXor:
      return static_cast<Int>(a_bits ^ b_bits);
    case Opcode::kShiftLeft:
      return b_bits >= static_cast<uint64_t>(width) ? 0 : static_cast<Int>(a_bits << b_bits);
    case Opcode::kShiftRightLogical:
      return b_bits >= static_cast<uint64_t>(width) ? 0 : static_cast<Int>(a_bits >> b_bits);
    case Opcode::kShiftRightArithmetic: {
      const bool negative = (a_bits >> (width - 1) & 1) != 0;
      if (b_bits >= static_cast<uint64_t>(width)) return negative ? -1 : 0;
      const Int extended = negative ? static_cast<Int>(a_bits) - (Int{1} << width) : static_cast<Int>(a_bits);
      return extended >> b_bits;
    }
    case Opcode::kMulhi: {
      if (width < 64) return (a * b) >> width;
      if (IsSigned(type)) return (a * b) >> 64;
      return static_cast<Int>((static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)) >> 64);
    }
    case Opcode::kPower:
      if (b < 0) return a == 1 ? 1 : a == -1 ? (b_bits & 1 ? -1 : 1) : 0;
      return static_cast<Int>(PowerModulo(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
    case Opcode::kNot:
      return static_cast<Int>(~a_bits);
    case Opcode::kNegate:
      return -a;
    case Opcode::kAbs:
      return a < 0 ? -a : a;
    case Opcode::kSign:
      return a > 0 ? 1 : a < 0 ? -1 : 0;
    case Opcode::kPopcnt:
      return std::popcount(a_bits);
    case Opcode::kCountLeadingZeros:
      return std::countl_zero(a_bits) - (64 - width);
    default:
      return 0;
  }
}

std::string Name(Opcode opcode) {
  std::string name(ToString(opcode));
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

void Check(Opcode opcode, ElementType type, bool binary, int64_t lanes) {
  auto samples = SampleBits(type, 300);
  auto [a, b] = binary ? Pairs(samples, samples, 20000) : std::pair(samples, samples);
  Packed x(type, a), y(type, b), out(type, x.size());
  std::vector<ElementType> operands(binary ? 2 : 1, type);
  auto kernel = ElementalKernel::Compile({opcode, operands, type}, lanes);
  ASSERT_TRUE(kernel.has_value()) << kernel.error().ToString();
  const void* in[] = {x.data(), y.data()};
  void* result = out.data();
  kernel->Run({in, operands.size()}, {&result, 1}, static_cast<int64_t>(x.size()));
  int wrong = 0;
  for (size_t i = 0; i < x.size() && wrong < 3; ++i) {
    const uint64_t want = static_cast<uint64_t>(Want(opcode, type, x[i], y[i])) & MaskOf(type);
    if ((out[i] & MaskOf(type)) == want) continue;
    ++wrong;
    ADD_FAILURE() << ToString(opcode) << " " << ToString(type) << " of " << std::hex << x[i] << ", " << y[i]
                  << ": got " << out[i] << ", want " << want << ", lanes " << lanes;
  }
}

class IntegerBinary : public ::testing::TestWithParam<Opcode> {};
TEST_P(IntegerBinary, WrapsAndNeverTraps) {
  for (ElementType type : kIntegers)
    for (int64_t lanes : {int64_t{0}, int64_t{8}}) Check(GetParam(), type, /*binary=*/true, lanes);
}
INSTANTIATE_TEST_SUITE_P(All, IntegerBinary,
                         ::testing::Values(Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply,
                                           Opcode::kDivide, Opcode::kRemainder, Opcode::kMaximum,
                                           Opcode::kMinimum, Opcode::kAnd, Opcode::kOr, Opcode::kXor,
                                           Opcode::kShiftLeft, Opcode::kShiftRightLogical,
                                           Opcode::kShiftRightArithmetic, Opcode::kMulhi, Opcode::kPower),
                         [](const auto& info) { return Name(info.param); });

class IntegerUnary : public ::testing::TestWithParam<Opcode> {};
TEST_P(IntegerUnary, AtItsOwnWidth) {
  for (ElementType type : kIntegers)
    for (int64_t lanes : {int64_t{0}, int64_t{8}}) Check(GetParam(), type, /*binary=*/false, lanes);
}
INSTANTIATE_TEST_SUITE_P(All, IntegerUnary,
                         ::testing::Values(Opcode::kNot, Opcode::kNegate, Opcode::kAbs, Opcode::kSign,
                                           Opcode::kPopcnt, Opcode::kCountLeadingZeros),
                         [](const auto& info) { return Name(info.param); });

}  // namespace
}  // namespace subfloor::testing
