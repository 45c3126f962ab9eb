// Elementwise operations and conversions of the random program generator.

#include <algorithm>

#include "support/random_generator.h"

namespace subfloor::testing_support {

using enum ElementType;
using hlo::ComparisonDirection;
using hlo::ComparisonType;
using hlo::Instruction;
using hlo::Opcode;

namespace {

std::vector<int64_t> SizesOf(const RandomValue& x) {
  return {x.shape().dimensions().begin(), x.shape().dimensions().end()};
}

// Types whose range is so small that a few operations leave it.
bool IsTiny(ElementType type) { return IsFloat(type) && BitWidth(type) <= 8; }

}  // namespace

Instruction* RandomGenerator::Bounded(Instruction* x, double low, double high) {
  return b_.Clamp(b_.Full(x->shape(), low), x, b_.Full(x->shape(), high));
}

Instruction* RandomGenerator::AwayFromZero(Instruction* x, double least) {
  return b_.Add(b_.Abs(x), b_.Full(x->shape(), least));
}

Instruction* RandomGenerator::BoundedComplex(Instruction* x, double most, bool right_half) {
  Instruction* real = Bounded(b_.Real(x), -most, most);
  return b_.Complex(right_half ? AwayFromZero(real, 0.5) : real, Bounded(b_.Imag(x), -most, most));
}

void RandomGenerator::AddElementwise() {
  const bool tame = options_.tame;
  const RandomValue x = Any();
  const ElementType type = x.type();
  const auto second = [&]() { return Of(type, SizesOf(x)); };
  const int64_t kind = random_.Below(10);

  // Compare, select and clamp: for all types alike.
  if (kind == 0 && !(tame && !x.exact)) {
    const RandomValue y = Of(type, SizesOf(x), tame);
    const auto direction =
        IsComplex(type)
            ? random_.Pick({ComparisonDirection::kEq, ComparisonDirection::kNe})
            : random_.Pick({ComparisonDirection::kEq, ComparisonDirection::kNe, ComparisonDirection::kGe,
                            ComparisonDirection::kGt, ComparisonDirection::kLe, ComparisonDirection::kLt});
    const bool total = IsFloat(type) && random_.OneIn(4);
    return Keep(b_.Compare(x.value, y.value, direction,
                           total ? ComparisonType::kTotalOrder : ComparisonType::kDefault),
                x.exact && y.exact);
  }
  if (kind == 1) {
    const RandomValue y = second(),
                      pred = Of(kPred, random_.OneIn(3) ? std::vector<int64_t>{} : SizesOf(x), tame);
    return Keep(b_.Select(pred.value, x.value, y.value), x.exact && y.exact && pred.exact);
  }
  if (kind == 2 && !IsComplex(type) && !IsPred(type)) {
    const auto sizes = random_.OneIn(2) ? std::vector<int64_t>{} : SizesOf(x);
    const RandomValue low = Of(type, sizes), high = Of(type, sizes);
    return Keep(b_.Clamp(low.value, x.value, high.value), x.exact && low.exact && high.exact);
  }

  if (IsPred(type)) {
    if (random_.OneIn(4)) return Keep(b_.Not(x.value), x.exact);
    const RandomValue y = second();
    return Keep(
        b_.Make(random_.Pick({Opcode::kAnd, Opcode::kOr, Opcode::kXor, Opcode::kMaximum, Opcode::kMinimum}),
                {x.value, y.value}),
        x.exact && y.exact);
  }
  if (IsIntegral(type)) {
    if (random_.OneIn(4)) {
      const auto op =
          IsSigned(type)
              ? random_.Pick({Opcode::kNot, Opcode::kNegate, Opcode::kAbs, Opcode::kSign, Opcode::kPopcnt,
                              Opcode::kCountLeadingZeros})
              : random_.Pick({Opcode::kNot, Opcode::kNegate, Opcode::kPopcnt, Opcode::kCountLeadingZeros});
      return Keep(b_.Make(op, {x.value}), x.exact);
    }
    const RandomValue y = second();
    const auto op =
        random_.Pick({Opcode::kAdd, Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply, Opcode::kDivide,
                      Opcode::kRemainder, Opcode::kMaximum, Opcode::kMinimum, Opcode::kAnd, Opcode::kOr,
                      Opcode::kXor, Opcode::kShiftLeft, Opcode::kShiftRightArithmetic,
                      Opcode::kShiftRightLogical, Opcode::kPower, Opcode::kMulhi});
    return Keep(b_.Make(op, {x.value, y.value}), x.exact && y.exact);
  }
  if (IsComplex(type)) {
    const RandomValue y = second();
    switch (random_.Below(5)) {
      case 0:
        return Keep(b_.Real(x.value), x.exact);
      case 1:
        return Keep(b_.Imag(x.value), x.exact);
      case 2:
        return Keep(b_.Negate(x.value), x.exact);
      case 3:
        return Keep(b_.Subtract(x.value, y.value), x.exact && y.exact);
      default:
        return Keep(random_.OneIn(2) ? b_.Add(x.value, y.value) : b_.Multiply(x.value, y.value), false);
    }
  }
  if (type == kF8E8M0FNU) return Keep(b_.Copy(x.value), x.exact);

  // Floats.
  if (random_.OneIn(3)) {
    switch (random_.Below(8)) {
      case 0:
        return Keep(b_.Negate(x.value), x.exact);
      case 1:
        return Keep(b_.Abs(x.value), x.exact);
      case 2:
        return Keep(b_.IsFinite(x.value), x.exact);
      case 3:
        return Keep(b_.Sqrt(tame ? b_.Abs(x.value) : x.value), x.exact);
      default:
        if (tame && !x.exact) return;
        return Keep(b_.Make(random_.Pick({Opcode::kFloor, Opcode::kCeil, Opcode::kRoundNearestEven,
                                          Opcode::kRoundNearestAfz, Opcode::kSign}),
                            {x.value}),
                    x.exact);
    }
  }
  const RandomValue y = second();
  const bool exact = x.exact && y.exact;
  Instruction* result = nullptr;
  if ((type == kF32 || type == kF64) && Has(kComplexNumbers) && random_.OneIn(10)) {
    return Keep(b_.Complex(x.value, y.value), exact);
  }
  switch (random_.Below(8)) {
    case 0:
      result = b_.Maximum(x.value, y.value);
      break;
    case 1:
      result = b_.Minimum(x.value, y.value);
      break;
    case 2:
      result = b_.Divide(x.value, tame ? AwayFromZero(y.value, 0.5) : y.value);
      break;
    case 3:
      if (tame && !exact) return;
      result = b_.Remainder(x.value, tame ? AwayFromZero(y.value, 0.5) : y.value);
      break;
    case 4:
      result = b_.Subtract(x.value, y.value);
      break;
    case 5:
      result = b_.Multiply(x.value, y.value);
      break;
    default:
      result = b_.Add(x.value, y.value);
      break;
  }
  if (tame && (IsTiny(type) || random_.OneIn(4))) result = Bounded(result, -2, 2);
  Keep(result, exact);
}

void RandomGenerator::AddTranscendental() {
  const bool complex_too = Has(kComplexNumbers);
  const RandomValue x = Any(
      [&](const RandomValue& v) {
        return (IsFloat(v.type()) && v.type() != kF8E8M0FNU) || (complex_too && IsComplex(v.type()));
      },
      kF32);
  if ((!IsFloat(x.type()) || x.type() == kF8E8M0FNU) && !IsComplex(x.type())) return;
  if (IsComplex(x.type())) {
    const auto op = random_.Pick({Opcode::kAbs, Opcode::kExp, Opcode::kLog, Opcode::kSqrt, Opcode::kSin,
                                  Opcode::kCosine, Opcode::kTanh});
    // Logarithm and root are cut along the negative axis, where a rounding error may choose the side.
    const bool cut = op == Opcode::kLog || op == Opcode::kSqrt;
    Instruction* z = options_.tame ? BoundedComplex(x.value, 1, cut) : x.value;
    return Keep(b_.Make(op, {z}), false);
  }
  const bool tame = options_.tame;
  Instruction* v = x.value;
  const auto within = [&](double low, double high) { return tame ? Bounded(v, low, high) : v; };
  const auto positive = [&](double least) { return tame ? AwayFromZero(v, least) : v; };
  Instruction* result = nullptr;
  switch (random_.Below(24)) {
    case 0:
      result = b_.Exp(within(-4, 4));
      break;
    case 1:
      result = b_.Expm1(within(-4, 4));
      break;
    case 2:
      result = b_.Log(positive(0.5));
      break;
    case 3:
      result = b_.Log1p(tame ? b_.Abs(v) : v);
      break;
    case 4:
      result = b_.Sin(within(-8, 8));
      break;
    case 5:
      result = b_.Cosine(within(-8, 8));
      break;
    case 6:
      result = b_.Tan(within(-1, 1));
      break;
    case 7:
      result = b_.Asin(within(-0.75, 0.75));
      break;
    case 8:
      result = b_.Acos(within(-0.75, 0.75));
      break;
    case 9:
      result = b_.Sinh(within(-3, 3));
      break;
    case 10:
      result = b_.Cosh(within(-3, 3));
      break;
    case 11:
      result = b_.Asinh(v);
      break;
    case 12:
      result = b_.Acosh(positive(1.5));
      break;
    case 13:
      result = b_.Atanh(within(-0.75, 0.75));
      break;
    case 14:
      result = b_.Erf(v);
      break;
    case 15:
      result = b_.Cbrt(v);
      break;
    case 16:
      result = b_.Rsqrt(positive(0.25));
      break;
    case 17:
    case 18:
      result = b_.Logistic(v);
      break;
    case 19: {
      const RandomValue y = Of(x.type(), SizesOf(x));
      result = b_.Power(positive(0.5), tame ? Bounded(y.value, -2, 2) : y.value);
      break;
    }
    case 20: {
      const RandomValue y = Of(x.type(), SizesOf(x));
      // Kept off the cut along the negative axis.
      result = b_.Atan2(v, tame ? AwayFromZero(y.value, 0.5) : y.value);
      break;
    }
    default:
      result = b_.Tanh(v);
      break;
  }
  Keep(result, false);
}

void RandomGenerator::AddConversion() {
  const RandomValue x = Any();
  const bool whole_numbers = IsIntegral(x.type()) || IsPred(x.type());
  switch (random_.Below(6)) {
    case 0: {
      if (!IsFloat(x.type()) || (options_.tame && !x.exact)) return;
      const auto bits = static_cast<int>(random_.Between(2, 8));
      return Keep(b_.MakeAs(x.shape(), Opcode::kReducePrecision, {x.value},
                            hlo::ReducePrecisionAttributes{.exponent_bits = bits,
                                                           .mantissa_bits = random_.Between(1, 10)}),
                  x.exact);
    }
    case 1: {
      if (IsComplex(x.type()) || IsPred(x.type()) || IsSubByte(x.type()) || !x.exact) return;
      std::vector<ElementType> same_width;
      for (ElementType type : {kS8, kU8, kS16, kU16, kF16, kBF16, kS32, kU32, kF32, kS64, kU64, kF64}) {
        // Integers reread as floats may be NaN with any payload: only without `tame`.
        if (BitWidth(type) == BitWidth(x.type()) && (IsIntegral(type) || !options_.tame))
          same_width.push_back(type);
      }
      if (same_width.empty()) return;
      return Keep(b_.BitcastConvert(x.value, random_.Pick(same_width)), x.exact);
    }
    default:
      break;
  }
  const ElementType to = Type();
  if (IsComplex(x.type()) && !IsComplex(to)) return;
  const bool to_whole = IsIntegral(to) || IsPred(to);
  if (options_.tame && !x.exact && to_whole && !whole_numbers) return;
  // A rounding error becomes one of the narrow type's units where it decides which way to round, which is too
  // much for a wider type.
  if (options_.tame && !x.exact && (IsTiny(to) || (IsFloat(x.type()) && BitWidth(x.type()) < BitWidth(to)))) {
    if (IsTiny(to) || BitWidth(x.type()) <= 16) return;
  }
  Instruction* from = x.value;
  // Integers at their ends would be infinite or NaN in tiny floats.
  if (options_.tame && whole_numbers && IsFloat(to) && BitWidth(to) <= 16 && BitWidth(x.type()) > 4 &&
      !IsPred(x.type())) {
    from = b_.Clamp(b_.FullInt(x.shape(), IsSigned(x.type()) ? -3 : 0), from, b_.FullInt(x.shape(), 3));
  }
  if (to == x.type()) return;
  Keep(b_.Convert(from, to), x.exact);
}

}  // namespace subfloor::testing_support
