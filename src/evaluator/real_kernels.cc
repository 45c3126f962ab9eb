// Floats, on double (types up to 32 bits) and binary128 (f64).

#include "evaluator/kernels.h"

namespace subfloor::evaluator {
namespace {

using hlo::Opcode;

/// reduce-precision: the mantissa to nearest even, then the exponent range; what falls below the target's
/// least normal number becomes zero. A NaN stays unless no mantissa bit could tell it from an infinity.
template <typename R>
R ReducePrecision(const ElementOp& op, R x) {
  const R infinity = static_cast<R>(__builtin_inf());
  if (IsNaN(x)) return op.mantissa_bits > 0 ? x : infinity;
  if (x == 0 || !IsFinite(x)) return x;
  const FloatFormat format = FormatOf(op.out_type);
  int exponent;
  R fraction = Frexp(x, &exponent);  // x = fraction * 2^exponent, 1/2 <= |fraction| < 1
  if (op.mantissa_bits < format.mantissa_bits) {
    fraction = Ldexp(RoundEven(Ldexp(fraction, op.mantissa_bits + 1)), -(op.mantissa_bits + 1));
    if (fraction == 1 || fraction == -1) fraction /= 2, ++exponent;
  }
  if (op.exponent_bits < format.exponent_bits) {
    const int bias = (1 << (op.exponent_bits - 1)) - 1;
    if (exponent - 1 > bias) return SignBit(x) ? -infinity : infinity;
    if (exponent - 1 < 1 - bias) return SignBit(x) ? -R{0} : R{0};
  }
  return Ldexp(fraction, exponent);
}

template <typename R>
ElementOp::Kernel Unary(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
      return MakeKernel<R, R>([](R x) { return SignBit(x) ? -x : x; });
    case Opcode::kNegate:
      return MakeKernel<R, R>([](R x) { return -x; });
    case Opcode::kSign:
      return MakeKernel<R, R>([](R x) { return x > 0 ? R{1} : x < 0 ? R{-1} : x; });
    case Opcode::kAcos:
      return MakeKernel<R, R>([](R x) { return Acos(x); });
    case Opcode::kAcosh:
      return MakeKernel<R, R>([](R x) { return Acosh(x); });
    case Opcode::kAsin:
      return MakeKernel<R, R>([](R x) { return Asin(x); });
    case Opcode::kAsinh:
      return MakeKernel<R, R>([](R x) { return Asinh(x); });
    case Opcode::kAtanh:
      return MakeKernel<R, R>([](R x) { return Atanh(x); });
    case Opcode::kCbrt:
      return MakeKernel<R, R>([](R x) { return Cbrt(x); });
    case Opcode::kCeil:
      return MakeKernel<R, R>([](R x) { return Ceil(x); });
    case Opcode::kCosine:
      return MakeKernel<R, R>([](R x) { return Cos(x); });
    case Opcode::kCosh:
      return MakeKernel<R, R>([](R x) { return Cosh(x); });
    case Opcode::kErf:
      return MakeKernel<R, R>([](R x) { return Erf(x); });
    case Opcode::kExp:
      return MakeKernel<R, R>([](R x) { return Exp(x); });
    case Opcode::kExpm1:
      return MakeKernel<R, R>([](R x) { return Expm1(x); });
    case Opcode::kFloor:
      return MakeKernel<R, R>([](R x) { return Floor(x); });
    case Opcode::kLog:
      return MakeKernel<R, R>([](R x) { return Log(x); });
    case Opcode::kLog1p:
      return MakeKernel<R, R>([](R x) { return Log1p(x); });
    case Opcode::kLogistic:
      return MakeKernel<R, R>([](R x) { return Logistic(x); });
    case Opcode::kReducePrecision:
      return MakeKernel<R, R>([](const ElementOp& op, R x) { return ReducePrecision(op, x); });
    case Opcode::kRoundNearestAfz:
      return MakeKernel<R, R>([](R x) { return RoundAway(x); });
    case Opcode::kRoundNearestEven:
      return MakeKernel<R, R>([](R x) { return RoundEven(x); });
    case Opcode::kRsqrt:
      return MakeKernel<R, R>([](R x) { return Rsqrt(x); });
    case Opcode::kSin:
      return MakeKernel<R, R>([](R x) { return Sin(x); });
    case Opcode::kSinh:
      return MakeKernel<R, R>([](R x) { return Sinh(x); });
    case Opcode::kSqrt:
      return MakeKernel<R, R>([](R x) { return Sqrt(x); });
    case Opcode::kTan:
      return MakeKernel<R, R>([](R x) { return Tan(x); });
    case Opcode::kTanh:
      return MakeKernel<R, R>([](R x) { return Tanh(x); });
    default:
      return nullptr;
  }
}

template <typename R>
ElementOp::Kernel Kernel(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return MakeKernel<R, R, R>([](R a, R b) { return a + b; });
    case Opcode::kSubtract:
      return MakeKernel<R, R, R>([](R a, R b) { return a - b; });
    case Opcode::kMultiply:
      return MakeKernel<R, R, R>([](R a, R b) { return a * b; });
    case Opcode::kDivide:
      return MakeKernel<R, R, R>([](R a, R b) { return a / b; });
    case Opcode::kRemainder:
      return MakeKernel<R, R, R>([](R a, R b) { return Fmod(a, b); });
    case Opcode::kMaximum:
      return MakeKernel<R, R, R>([](R a, R b) { return Maximum(a, b); });
    case Opcode::kMinimum:
      return MakeKernel<R, R, R>([](R a, R b) { return Minimum(a, b); });
    case Opcode::kPower:
      return MakeKernel<R, R, R>([](R a, R b) { return Power(a, b); });
    case Opcode::kAtan2:
      return MakeKernel<R, R, R>([](R a, R b) { return Atan2(a, b); });
    case Opcode::kClamp:
      return MakeKernel<R, R, R, R>([](R low, R x, R high) { return Minimum(Maximum(low, x), high); });
    default:
      return Unary<R>(opcode);
  }
}

}  // namespace

ElementOp::Kernel RealKernel(Opcode opcode, WideKind kind) {
  return kind == WideKind::kQuad ? Kernel<Quad>(opcode) : Kernel<double>(opcode);
}

}  // namespace subfloor::evaluator
