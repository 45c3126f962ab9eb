#include "codegen/elemental/math/math.h"

#include "codegen/elemental/math/functions.h"

namespace subfloor::codegen::elemental {

using hlo::Opcode;

V MathFunction(Opcode opcode, const V& x) {
  switch (opcode) {
    case Opcode::kAcos:
      return Acos(x);
    case Opcode::kAcosh:
      return Acosh(x);
    case Opcode::kAsin:
      return Asin(x);
    case Opcode::kAsinh:
      return Asinh(x);
    case Opcode::kAtanh:
      return Atanh(x);
    case Opcode::kCbrt:
      return Cbrt(x);
    case Opcode::kCosine:
      return Cos(x);
    case Opcode::kCosh:
      return Cosh(x);
    case Opcode::kErf:
      return Erf(x);
    case Opcode::kExp:
      return Exp(x);
    case Opcode::kExpm1:
      return Expm1(x);
    case Opcode::kLog:
      return Log(x);
    case Opcode::kLog1p:
      return Log1p(x);
    case Opcode::kLogistic:
      return Logistic(x);
    case Opcode::kRsqrt:
      return Rsqrt(x);
    case Opcode::kSin:
      return Sin(x);
    case Opcode::kSinh:
      return Sinh(x);
    case Opcode::kTan:
      return Tan(x);
    case Opcode::kTanh:
      return Tanh(x);
    default:
      return V();
  }
}

V MathFunction(Opcode opcode, const V& x, const V& y) {
  switch (opcode) {
    case Opcode::kAtan2:
      return Atan2(x, y);
    case Opcode::kPower:
      return Power(x, y);
    case Opcode::kRemainder:
      return Remainder(x, y);
    default:
      return V();
  }
}

}  // namespace subfloor::codegen::elemental
