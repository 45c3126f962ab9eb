#include <cmath>

#include "codegen/elemental/convert/convert.h"
#include "codegen/elemental/math/math.h"
#include "codegen/elemental/ops/ops.h"

namespace subfloor::codegen::elemental {
namespace {

using hlo::Opcode;

/// Ops on the sign bit alone work on the pattern as it is, so that NaNs keep theirs.
Result<Element> SignBitOp(mlir::ImplicitLocOpBuilder& b, Opcode opcode, const Element& x) {
  V a(b, x.value);
  const FloatFormat format = FormatOf(x.type);
  if (!format.has_sign) {
    if (opcode == Opcode::kAbs) return x;
    return Element{x.type, Num(a, 0xff).get(), {}};  // a negative power of two is f8e8m0fnu's NaN
  }
  if (a.is_float()) return Element{x.type, (opcode == Opcode::kAbs ? Abs(a) : -a).get(), {}};
  const int64_t sign = int64_t{1} << (BitWidth(x.type) - 1);
  V result = opcode == Opcode::kAbs ? a & (sign - 1) : a ^ sign;
  // The fnuz kinds spell NaN as -0: it stays NaN, and zero stays zero.
  if (!format.has_negative_zero) result = Select(Eq(a & (sign - 1), 0), a, result);
  return Element{x.type, result.get(), {}};
}

V RoundAwayFromZero(const V& x) {
  // Not 0.5, which would carry the number below a half up to one.
  const double below_half =
      x.is_f64() ? std::nextafter(0.5, 0.0) : static_cast<double>(std::nextafterf(0.5f, 0.0f));
  return Trunc(x + CopySign(Num(x, below_half), x));
}

V Sign(const V& x) {
  V keeps = Eq(x, 0.0) | IsNan(x);
  return Select(keeps, x, CopySign(Num(x, 1.0), x));
}

/// The op on f32 or f64. Null when the op is none of floats.
V WideUnary(Opcode opcode, const V& x) {
  switch (opcode) {
    case Opcode::kCeil:
      return Ceil(x);
    case Opcode::kFloor:
      return Floor(x);
    case Opcode::kRoundNearestEven:
      return RoundEven(x);
    case Opcode::kRoundNearestAfz:
      return RoundAwayFromZero(x);
    case Opcode::kSign:
      return Sign(x);
    case Opcode::kSqrt:
      return Sqrt(x);
    default:
      return MathFunction(opcode, x);
  }
}

V WideBinary(Opcode opcode, const V& x, const V& y) {
  switch (opcode) {
    case Opcode::kAdd:
      return x + y;
    case Opcode::kSubtract:
      return x - y;
    case Opcode::kMultiply:
      return x * y;
    case Opcode::kDivide:
      return x / y;
    case Opcode::kMaximum:
      return Maximum(x, y);
    case Opcode::kMinimum:
      return Minimum(x, y);
    default:
      return MathFunction(opcode, x, y);
  }
}

}  // namespace

Result<Element> FloatOp(mlir::ImplicitLocOpBuilder& b, Opcode opcode, std::span<const Element> x) {
  const ElementType type = x[0].type;
  if (opcode == Opcode::kNegate || opcode == Opcode::kAbs) return SignBitOp(b, opcode, x[0]);
  // f8e8m0fnu reaches as far as f32: products and quotients of its ends would be lost there, not rounded.
  const ElementType worked =
      !FormatOf(type).has_sign || type == ElementType::kF64 ? ElementType::kF64 : ElementType::kF32;
  auto widen = [&](const Element& e) { return FloatToFloat(type, V(b, e.value), worked); };
  V first = widen(x[0]);
  V result = x.size() == 1 ? WideUnary(opcode, first) : WideBinary(opcode, first, widen(x[1]));
  if (!result) return TypeNotTaken(opcode, type);
  return Element{type, FloatToFloat(worked, result, type).get(), {}};
}

}  // namespace subfloor::codegen::elemental
