// Complex numbers, on pairs of double (c64) and binary128 (c128).

#include "evaluator/kernels.h"

namespace subfloor::evaluator {
namespace {

using hlo::Opcode;

template <typename R>
ElementOp::Kernel Kernel(Opcode opcode) {
  using C = Complex<R>;
  switch (opcode) {
    case Opcode::kAdd:
      return MakeKernel<C, C, C>([](C a, C b) { return a + b; });
    case Opcode::kSubtract:
      return MakeKernel<C, C, C>([](C a, C b) { return a - b; });
    case Opcode::kMultiply:
      return MakeKernel<C, C, C>([](C a, C b) { return a * b; });
    case Opcode::kDivide:
      return MakeKernel<C, C, C>([](C a, C b) { return Divide(a, b); });
    case Opcode::kPower:
      return MakeKernel<C, C, C>([](C a, C b) { return Power(a, b); });
    case Opcode::kAtan2:
      return MakeKernel<C, C, C>([](C a, C b) { return Atan2(a, b); });
    case Opcode::kNegate:
      return MakeKernel<C, C>([](C z) { return -z; });
    case Opcode::kSign:
      return MakeKernel<C, C>([](C z) { return Sign(z); });
    case Opcode::kAcos:
      return MakeKernel<C, C>([](C z) { return Acos(z); });
    case Opcode::kAcosh:
      return MakeKernel<C, C>([](C z) { return Acosh(z); });
    case Opcode::kAsin:
      return MakeKernel<C, C>([](C z) { return Asin(z); });
    case Opcode::kAsinh:
      return MakeKernel<C, C>([](C z) { return Asinh(z); });
    case Opcode::kAtanh:
      return MakeKernel<C, C>([](C z) { return Atanh(z); });
    case Opcode::kCosine:
      return MakeKernel<C, C>([](C z) { return Cos(z); });
    case Opcode::kCosh:
      return MakeKernel<C, C>([](C z) { return Cosh(z); });
    case Opcode::kExp:
      return MakeKernel<C, C>([](C z) { return Exp(z); });
    case Opcode::kExpm1:
      return MakeKernel<C, C>([](C z) { return Expm1(z); });
    case Opcode::kLog:
      return MakeKernel<C, C>([](C z) { return Log(z); });
    case Opcode::kLog1p:
      return MakeKernel<C, C>([](C z) { return Log1p(z); });
    case Opcode::kLogistic:
      return MakeKernel<C, C>([](C z) { return Logistic(z); });
    case Opcode::kRsqrt:
      return MakeKernel<C, C>([](C z) { return Rsqrt(z); });
    case Opcode::kSin:
      return MakeKernel<C, C>([](C z) { return Sin(z); });
    case Opcode::kSinh:
      return MakeKernel<C, C>([](C z) { return Sinh(z); });
    case Opcode::kSqrt:
      return MakeKernel<C, C>([](C z) { return Sqrt(z); });
    case Opcode::kTan:
      return MakeKernel<C, C>([](C z) { return Tan(z); });
    case Opcode::kTanh:
      return MakeKernel<C, C>([](C z) { return Tanh(z); });
    default:
      return nullptr;
  }
}

}  // namespace

ElementOp::Kernel ComplexKernel(Opcode opcode, WideKind kind) {
  return kind == WideKind::kComplexQuad ? Kernel<Quad>(opcode) : Kernel<double>(opcode);
}

}  // namespace subfloor::evaluator
