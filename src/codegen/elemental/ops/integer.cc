#include "codegen/elemental/lanes.h"
#include "codegen/elemental/ops/ops.h"
#include "codegen/elemental/value.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

/// Integer ops. Types below 8 bits are computed in 8 and brought back to their width (Normalize).
namespace subfloor::codegen::elemental {
namespace {

using hlo::Opcode;

struct QuotientAndRest {
  V quotient, rest;
};

/// Truncating division of operands that trap nowhere: no zero divisor, no MIN / -1.
V SafeQuotient(ElementType type, const V& x, const V& y) {
  mlir::ImplicitLocOpBuilder& b = x.builder();
  if (x.lanes() > 0 && x.bits() <= 32) {
    // No vector unit divides integers; f64 does it exactly for 32 bits, since a quotient that is not whole is
    // farther from the next whole number than rounding can move it.
    const bool is_signed = IsSigned(type);
    auto to_float = [&](const V& v) {
      if (is_signed) return SIntToFloat(SExt(v, 32), b.getF64Type());
      return x.bits() < 32 ? SIntToFloat(ZExt(v, 32), b.getF64Type()) : UIntToFloat(v, b.getF64Type());
    };
    V q = Trunc(to_float(x) / to_float(y));
    const bool fits_s32 = is_signed || x.bits() < 32;
    if (fits_s32) return TruncTo(FloatToSInt(q, 32), x.bits());
    V upper = Ge(q, 2147483648.0);
    V low = FloatToSInt(Select(upper, q - 2147483648.0, q), 32);
    return Select(upper, low ^ int64_t{-2147483648LL}, low);
  }
  if (IsSigned(type)) return V(b, mlir::arith::DivSIOp::create(b, x.get(), y.get()));
  return V(b, mlir::arith::DivUIOp::create(b, x.get(), y.get()));
}

/// x / 0 = all ones, x % 0 = x, MIN / -1 = MIN, MIN % -1 = 0.
QuotientAndRest Divide(ElementType type, const V& x, const V& y) {
  V by_zero = Eq(y, 0);
  V unsafe = by_zero;
  if (IsSigned(type)) unsafe = unsafe | (Eq(y, -1) & Eq(x, LowestOf(type, x)));
  V divisor = Select(unsafe, 1, y);  // MIN / 1 = MIN, MIN % 1 = 0
  V quotient = SafeQuotient(type, x, divisor);
  V rest = x - quotient * divisor;
  return {Normalize(type, Select(by_zero, -1, quotient)), Select(by_zero, x, rest)};
}

/// Amounts are unsigned at the type's own width; at or beyond it nothing of x is left.
V Shift(Opcode opcode, ElementType type, const V& x, const V& amount) {
  const int width = BitWidth(type);
  const int64_t mask = width < 8 ? (int64_t{1} << width) - 1 : -1;
  V by = width < 8 ? amount & mask : amount;
  V inside = ULt(by, Num(by, width));
  V safe = Select(inside, by, 0);
  if (opcode == Opcode::kShiftLeft) return Normalize(type, Select(inside, Shl(x, safe), 0));
  if (opcode == Opcode::kShiftRightLogical) {
    V bits = width < 8 ? x & mask : x;
    return Normalize(type, Select(inside, Shr(bits, safe), 0));
  }
  // The arithmetic shift copies the top bit of the type's width, of unsigned types too.
  V extended = x;
  if (width < 8) extended = Sar(Shl(x, 8 - width), 8 - width);
  return Normalize(type, Sar(extended, Select(inside, by, width - 1)));
}

V MultiplyHigh(ElementType type, const V& x, const V& y) {
  mlir::ImplicitLocOpBuilder& b = x.builder();
  const int width = BitWidth(type);
  if (width == 64) {
    if (IsSigned(type)) return V(b, mlir::arith::MulSIExtendedOp::create(b, x.get(), y.get()).getHigh());
    return V(b, mlir::arith::MulUIExtendedOp::create(b, x.get(), y.get()).getHigh());
  }
  const int wide = width < 8 ? 16 : 2 * width;
  auto extend = [&](const V& v) { return IsSigned(type) ? SExt(v, wide) : ZExt(v, wide); };
  return Normalize(type, TruncTo(Shr(extend(x) * extend(y), width), x.bits()));
}

/// Exact modulo 2^width by squaring; a negative exponent leaves 1 and -1 only.
V Power(ElementType type, const V& base, const V& exponent) {
  const std::string name = "power." + std::string(ToString(type));
  V raised = CallHelper1(name, {base, exponent}, [&](std::span<const V> args) {
    std::vector<V> state = {Num(args[0], 1), args[0], args[1]};
    state = While(
        state, [](std::span<const V> s) { return AnyLane(Ne(s[2], 0)); },
        [](std::span<const V> s) {
          V odd = Ne(s[2] & 1, 0);
          return std::vector<V>{Select(odd, s[0] * s[1], s[0]), s[1] * s[1], Shr(s[2], 1)};
        });
    return state[0];
  });
  if (!IsSigned(type)) return Normalize(type, raised);
  V one = Eq(base, 1), minus_one = Eq(base, -1);
  V odd = Ne(exponent & 1, 0);
  V of_negative =
      Select(one, Num(base, 1), Select(minus_one, Select(odd, Num(base, -1), Num(base, 1)), Num(base, 0)));
  return Normalize(type, Select(Lt(exponent, 0), of_negative, raised));
}

V CountBits(Opcode opcode, ElementType type, const V& x) {
  mlir::ImplicitLocOpBuilder& b = x.builder();
  const int width = BitWidth(type);
  V bits = width < 8 ? x & ((int64_t{1} << width) - 1) : x;
  if (opcode == Opcode::kPopcnt)
    return Normalize(type, V(b, mlir::LLVM::CtPopOp::create(b, x.type(), bits.get())));
  V zeros(b, mlir::LLVM::CountLeadingZerosOp::create(b, x.type(), bits.get(), /*is_zero_poison=*/false));
  return Normalize(type, width < 8 ? zeros - (8 - width) : zeros);
}

V Less(ElementType type, const V& a, const V& b) { return IsSigned(type) ? Lt(a, b) : ULt(a, b); }

}  // namespace

Result<Element> IntegerOp(mlir::ImplicitLocOpBuilder& b, Opcode opcode, std::span<const Element> x) {
  const ElementType type = x[0].type;
  V a(b, x[0].value);
  V c = x.size() > 1 ? V(b, x[1].value) : V();
  auto give = [&](const V& value) { return Element{type, value.get(), {}}; };
  auto wrap = [&](const V& value) { return give(Normalize(type, value)); };
  switch (opcode) {
    case Opcode::kAdd:
      return wrap(a + c);
    case Opcode::kSubtract:
      return wrap(a - c);
    case Opcode::kMultiply:
      return wrap(a * c);
    case Opcode::kDivide:
      return give(Divide(type, a, c).quotient);
    case Opcode::kRemainder:
      return give(Divide(type, a, c).rest);
    case Opcode::kMaximum:
      return give(Select(Less(type, a, c), c, a));
    case Opcode::kMinimum:
      return give(Select(Less(type, c, a), c, a));
    case Opcode::kAnd:
      return give(a & c);
    case Opcode::kOr:
      return give(a | c);
    case Opcode::kXor:
      return give(a ^ c);
    case Opcode::kNot:
      return wrap(~a);
    case Opcode::kNegate:
      return wrap(-a);
    case Opcode::kAbs:
      return IsSigned(type) ? wrap(Select(Lt(a, 0), -a, a)) : x[0];
    case Opcode::kSign: {
      V positive = Select(Ne(a, 0), Num(a, 1), Num(a, 0));
      return wrap(IsSigned(type) ? Select(Lt(a, 0), Num(a, -1), positive) : positive);
    }
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightLogical:
    case Opcode::kShiftRightArithmetic:
      return give(Shift(opcode, type, a, c));
    case Opcode::kMulhi:
      return give(MultiplyHigh(type, a, c));
    case Opcode::kPower:
      return give(Power(type, a, c));
    case Opcode::kPopcnt:
    case Opcode::kCountLeadingZeros:
      return give(CountBits(opcode, type, a));
    default:
      return TypeNotTaken(opcode, type);
  }
}

}  // namespace subfloor::codegen::elemental
