#include <bit>

#include "passes/make.h"
#include "passes/simplify/algebra/rules.h"

namespace subfloor::passes {
namespace {

using hlo::Instruction;
using hlo::Opcode;

// x + 0 of integers; of floats only x + -0, which keeps both zeros.
bool IsAdditiveNeutral(const Literal& scalar) {
  return IsFloat(scalar.element_type()) ? IsNegativeZero(scalar)
                                        : IsPositiveZero(scalar) && !IsComplex(scalar.element_type());
}

bool IsIntegerMinusOne(const Literal& scalar) {
  return IsSigned(scalar.element_type()) && IntegerAt(scalar, 0) == -1;
}

// log2 of a positive power of two, for unsigned types.
std::optional<int> UnsignedPowerOfTwo(const Instruction* x) {
  const auto splat = SplatOf(x);
  if (!splat || !IsUnsigned(splat->element_type())) return std::nullopt;
  const uint64_t value = BitsAt(*splat, 0);
  if (!std::has_single_bit(value)) return std::nullopt;
  return std::countr_zero(value);
}

// 1 / x where x is a power of two and the quotient a normal number, so that multiplying by it rounds as
// dividing does.
std::optional<Literal> ExactReciprocal(const Literal& scalar) {
  const ElementType type = scalar.element_type();
  if (!IsFloat(type)) return std::nullopt;
  const FloatFormat format = FormatOf(type);
  if (!format.has_sign) return std::nullopt;
  const uint64_t bits = BitsAt(scalar, 0);
  const uint64_t mantissa = bits & ((uint64_t{1} << format.mantissa_bits) - 1);
  const int exponent =
      static_cast<int>((bits >> format.mantissa_bits) & ((uint64_t{1} << format.exponent_bits) - 1));
  const int reciprocal = 2 * format.bias - exponent;
  const int top = (1 << format.exponent_bits) - 1;
  if (mantissa != 0 || exponent <= 0 || exponent >= top || reciprocal <= 0 || reciprocal >= top)
    return std::nullopt;
  const uint64_t sign = bits & (uint64_t{1} << (BitWidth(type) - 1));
  Literal result = scalar;
  SetBitsAt(result, 0, sign | static_cast<uint64_t>(reciprocal) << format.mantissa_bits);
  return result;
}

Instruction* Splat(Instruction* like, const Literal& scalar) {
  return MakeSplat(like->parent(), scalar, like->shape().dimensions());
}

Instruction* SimplifyDivide(Instruction* divide) {
  Instruction *x = divide->operand(0), *y = divide->operand(1);
  const auto splat = SplatOf(y);
  if (!splat) return nullptr;
  if (IsOne(*splat)) return x;
  if (const auto shift = UnsignedPowerOfTwo(y)) {
    return MakeBinary(Opcode::kShiftRightLogical, x,
                      Splat(divide, ScalarLiteral(splat->element_type(), *shift)));
  }
  if (const auto reciprocal = ExactReciprocal(*splat))
    return MakeBinary(Opcode::kMultiply, x, Splat(divide, *reciprocal));
  if (IsIntegerMinusOne(*splat)) return MakeUnary(Opcode::kNegate, x);
  return nullptr;
}

Instruction* SimplifyPower(Instruction* power) {
  Instruction* x = power->operand(0);
  const ElementType type = power->shape().element_type();
  const auto splat = SplatOf(power->operand(1));
  if (!splat || IsComplex(type) || IsPred(type)) return nullptr;
  if (IsOne(*splat)) return x;
  // The square is exact before rounding, and has power's answers for infinities, zeros and NaN.
  const Literal two = ScalarLiteral(ComponentType(type), 2);
  if ((IsIntegral(type) || type == ElementType::kF32 || type == ElementType::kF64) &&
      BitsAt(*splat, 0) == BitsAt(two, 0)) {
    return MakeBinary(Opcode::kMultiply, x, x);
  }
  return nullptr;
}

}  // namespace

Instruction* SimplifyArithmetic(Instruction* instruction) {
  Instruction* x = instruction->operand(0);
  Instruction* y = instruction->operand_count() > 1 ? instruction->operand(1) : nullptr;
  const ElementType type = instruction->shape().element_type();
  switch (instruction->opcode()) {
    case Opcode::kAdd:
      if (const auto splat = SplatOf(y); splat && IsAdditiveNeutral(*splat)) return x;
      if (const auto splat = SplatOf(x); splat && IsAdditiveNeutral(*splat)) return y;
      return nullptr;
    case Opcode::kSubtract:
      if (const auto splat = SplatOf(y); splat && IsPositiveZero(*splat) && !IsComplex(type)) return x;
      if (x == y && IsIntegral(type)) return MakeZeros(instruction->parent(), instruction->shape());
      return nullptr;
    case Opcode::kMultiply:
      for (int side = 0; side < 2; ++side) {
        Instruction* other = instruction->operand(1 - side);
        const auto splat = SplatOf(instruction->operand(side));
        if (!splat) continue;
        if (IsOne(*splat)) return other;
        if ((IsIntegral(type) || IsPred(type)) && IsPositiveZero(*splat)) return instruction->operand(side);
      }
      return nullptr;
    case Opcode::kDivide:
      return SimplifyDivide(instruction);
    case Opcode::kRemainder:
      if (const auto bits = UnsignedPowerOfTwo(y)) {
        const auto mask = static_cast<int64_t>((uint64_t{1} << *bits) - 1);
        return MakeBinary(Opcode::kAnd, x, Splat(instruction, ScalarLiteral(type, mask)));
      }
      return nullptr;
    case Opcode::kNegate:
      return x->opcode() == Opcode::kNegate ? x->operand(0) : nullptr;
    case Opcode::kAbs:
      if (x->opcode() == Opcode::kAbs) return x;
      if (x->opcode() == Opcode::kNegate && !IsComplex(x->shape().element_type()))
        return MakeUnary(Opcode::kAbs, x->operand(0));
      return nullptr;
    case Opcode::kPower:
      return SimplifyPower(instruction);
    default:
      return nullptr;
  }
}

Instruction* SimplifyLogic(Instruction* instruction) {
  Instruction* x = instruction->operand(0);
  Instruction* y = instruction->operand_count() > 1 ? instruction->operand(1) : nullptr;
  const ElementType type = instruction->shape().element_type();
  const Opcode opcode = instruction->opcode();
  const auto zeros = [&] { return MakeZeros(instruction->parent(), instruction->shape()); };
  const auto all_ones = [&](const Literal& scalar) {
    return IsPred(type) ? BitsAt(scalar, 0) != 0 : BitsAt(scalar, 0) == BitsAt(ScalarLiteral(type, -1), 0);
  };
  switch (opcode) {
    case Opcode::kNot:
      return x->opcode() == Opcode::kNot ? x->operand(0) : nullptr;
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      if (x == y) return opcode == Opcode::kXor ? zeros() : x;
      for (int side = 0; side < 2; ++side) {
        Instruction *constant = instruction->operand(side), *other = instruction->operand(1 - side);
        const auto splat = SplatOf(constant);
        if (!splat) continue;
        if (IsPositiveZero(*splat)) return opcode == Opcode::kAnd ? constant : other;
        if (!all_ones(*splat)) continue;
        if (opcode == Opcode::kAnd) return other;
        if (opcode == Opcode::kOr) return constant;
        return MakeUnary(Opcode::kNot, other);
      }
      return nullptr;
    default: {  // shifts
      const auto splat = SplatOf(y);
      if (!splat) return nullptr;
      if (IsPositiveZero(*splat)) return x;
      const bool beyond = BitsAt(*splat, 0) >= static_cast<uint64_t>(BitWidth(type));  // amounts are unsigned
      return beyond && opcode != Opcode::kShiftRightArithmetic ? zeros() : nullptr;
    }
  }
}

}  // namespace subfloor::passes
