#include <algorithm>
#include <bit>
#include <cmath>

#include "passes/simplify/fold_constants.h"
#include "types/narrow.h"

namespace subfloor::passes {
namespace {

using hlo::ComparisonDirection;
using hlo::Instruction;
using hlo::Opcode;

// Integers are worked on as their 64-bit patterns and cut to their width at the end; signed ones
// sign-extended.
uint64_t Cut(ElementType type, uint64_t value) {
  return BitWidth(type) >= 64 ? value : value & ((uint64_t{1} << BitWidth(type)) - 1);
}

std::optional<uint64_t> FoldDivision(ElementType type, bool remainder, uint64_t x, uint64_t y) {
  if (IsUnsigned(type)) {
    if (y == 0) return remainder ? x : Cut(type, ~uint64_t{0});
    return remainder ? x % y : x / y;
  }
  const int64_t a = ToInt(type, x), b = ToInt(type, y);
  if (b == 0) return remainder ? x : Cut(type, ~uint64_t{0});
  if (b == -1) return remainder ? 0 : Cut(type, uint64_t{0} - x);  // the least value stays itself
  return Cut(type, static_cast<uint64_t>(remainder ? a % b : a / b));
}

std::optional<uint64_t> FoldShift(Opcode opcode, ElementType type, uint64_t x, uint64_t amount) {
  const auto width = static_cast<uint64_t>(BitWidth(type));
  if (opcode == Opcode::kShiftRightArithmetic) {
    if (!IsSigned(type)) return std::nullopt;
    return Cut(type, static_cast<uint64_t>(ToInt(type, x) >> std::min<uint64_t>(amount, 63)));
  }
  if (amount >= width) return 0;
  return Cut(type, opcode == Opcode::kShiftLeft ? x << amount : x >> amount);
}

bool Holds(ComparisonDirection direction, int order) {  // order of the operands: -1, 0, 1
  switch (direction) {
    case ComparisonDirection::kEq:
      return order == 0;
    case ComparisonDirection::kNe:
      return order != 0;
    case ComparisonDirection::kLt:
      return order < 0;
    case ComparisonDirection::kLe:
      return order <= 0;
    case ComparisonDirection::kGt:
      return order > 0;
    case ComparisonDirection::kGe:
      return order >= 0;
  }
  return false;
}

int OrderOf(ElementType type, uint64_t x, uint64_t y) {
  if (!IsSigned(type)) return x < y ? -1 : x > y;
  const int64_t a = ToInt(type, x), b = ToInt(type, y);
  return a < b ? -1 : a > b;
}

std::optional<uint64_t> FoldCompare(const Instruction& compare, uint64_t x, uint64_t y) {
  const auto& attributes = compare.As<hlo::CompareAttributes>();
  const ElementType type = compare.operand(0)->shape().element_type();
  if (IsIntegral(type) || IsPred(type)) {
    if (attributes.type == hlo::ComparisonType::kUnsigned && IsSigned(type)) return std::nullopt;
    if (attributes.type == hlo::ComparisonType::kSigned && !IsSigned(type)) return std::nullopt;
    return Holds(attributes.direction, OrderOf(type, x, y));
  }
  if (!IsFloat(type) || attributes.type == hlo::ComparisonType::kTotalOrder) return std::nullopt;
  const double a = ToDouble(type, x), b = ToDouble(type, y);
  if (std::isnan(a) || std::isnan(b)) return attributes.direction == ComparisonDirection::kNe;
  return Holds(attributes.direction, a < b ? -1 : a > b);
}

// maximum or minimum: NaN wins, -0 is less than +0.
uint64_t FoldExtremum(ElementType type, bool maximum, uint64_t x, uint64_t y) {
  if (!IsFloat(type)) return (OrderOf(type, x, y) > 0) == maximum ? x : y;
  const double a = ToDouble(type, x), b = ToDouble(type, y);
  if (std::isnan(a)) return x;
  if (std::isnan(b)) return y;
  if (a == b) return std::signbit(a) == maximum ? y : x;
  return (a > b) == maximum ? x : y;
}

std::optional<uint64_t> FoldInteger(const Instruction& instruction, ElementType type,
                                    std::span<const uint64_t> v) {
  const uint64_t x = v[0], y = v.size() > 1 ? v[1] : 0;
  const int width = BitWidth(type);
  switch (instruction.opcode()) {
    case Opcode::kAdd:
      return Cut(type, x + y);
    case Opcode::kSubtract:
      return Cut(type, x - y);
    case Opcode::kMultiply:
      return Cut(type, x * y);
    case Opcode::kDivide:
      return FoldDivision(type, /*remainder=*/false, x, y);
    case Opcode::kRemainder:
      return FoldDivision(type, /*remainder=*/true, x, y);
    case Opcode::kAnd:
      return x & y;
    case Opcode::kOr:
      return x | y;
    case Opcode::kXor:
      return x ^ y;
    case Opcode::kNot:
      return Cut(type, ~x);
    case Opcode::kNegate:
      return Cut(type, uint64_t{0} - x);
    case Opcode::kAbs:
      return IsSigned(type) && ToInt(type, x) < 0 ? Cut(type, uint64_t{0} - x) : x;
    case Opcode::kSign: {
      const bool negative = IsSigned(type) && ToInt(type, x) < 0;
      return Cut(type, negative ? ~uint64_t{0} : x != 0);
    }
    case Opcode::kPopcnt:
      return Cut(type, static_cast<uint64_t>(std::popcount(x)));
    case Opcode::kCountLeadingZeros:
      return Cut(type, static_cast<uint64_t>(std::countl_zero(x) - (64 - width)));
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightLogical:
    case Opcode::kShiftRightArithmetic:
      return FoldShift(instruction.opcode(), type, x, y);
    default:
      return std::nullopt;
  }
}

std::optional<uint64_t> FoldPred(Opcode opcode, std::span<const uint64_t> v) {
  const uint64_t x = v[0], y = v.size() > 1 ? v[1] : 0;
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kOr:
      return x | y;
    case Opcode::kMultiply:
    case Opcode::kAnd:
      return x & y;
    case Opcode::kXor:
      return x ^ y;
    case Opcode::kNot:
      return x ^ 1;
    default:
      return std::nullopt;
  }
}

std::optional<uint64_t> FoldFloat(Opcode opcode, ElementType type, std::span<const uint64_t> v) {
  const uint64_t sign = FormatOf(type).has_sign ? uint64_t{1} << (BitWidth(type) - 1) : 0;
  const double x = ToDouble(type, v[0]), y = v.size() > 1 ? ToDouble(type, v[1]) : 0;
  switch (opcode) {
    case Opcode::kAdd:
      return FromDouble(type, x + y);
    case Opcode::kSubtract:
      return FromDouble(type, x - y);
    case Opcode::kMultiply:
      return FromDouble(type, x * y);
    case Opcode::kDivide:
      return FromDouble(type, x / y);
    case Opcode::kSqrt:
      return FromDouble(type, std::sqrt(x));
    case Opcode::kFloor:
      return FromDouble(type, std::floor(x));
    case Opcode::kCeil:
      return FromDouble(type, std::ceil(x));
    case Opcode::kNegate:
      return FormatOf(type).has_negative_zero ? std::optional<uint64_t>(v[0] ^ sign) : std::nullopt;
    case Opcode::kAbs:
      return FormatOf(type).has_negative_zero ? std::optional<uint64_t>(v[0] & ~sign) : std::nullopt;
    case Opcode::kIsFinite:
      return std::isfinite(x);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<uint64_t> FoldElement(const Instruction& instruction, std::span<const uint64_t> operands) {
  const ElementType type = instruction.operand(0)->shape().element_type();
  const ElementType result = instruction.shape().element_type();
  switch (instruction.opcode()) {
    case Opcode::kConvert:
      return IsComplex(type) || IsComplex(result) ? std::nullopt
                                                  : std::optional(ConvertBits(type, result, operands[0]));
    case Opcode::kSelect:
      return operands[operands[0] != 0 ? 1 : 2];
    case Opcode::kCompare:
      return FoldCompare(instruction, operands[0], operands[1]);
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return FoldExtremum(type, instruction.opcode() == Opcode::kMaximum, operands[0], operands[1]);
    case Opcode::kClamp:
      return FoldExtremum(result, /*maximum=*/false,
                          FoldExtremum(result, /*maximum=*/true, operands[0], operands[1]), operands[2]);
    default:
      break;
  }
  if (IsPred(type)) return FoldPred(instruction.opcode(), operands);
  if (IsIntegral(type)) return FoldInteger(instruction, type, operands);
  return IsFloat(type) ? FoldFloat(instruction.opcode(), type, operands) : std::nullopt;
}

}  // namespace subfloor::passes
