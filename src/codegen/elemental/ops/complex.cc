#include <optional>

#include "codegen/elemental/math/complex/complex.h"
#include "codegen/elemental/ops/ops.h"

namespace subfloor::codegen::elemental {
namespace {

using hlo::Opcode;

/// Nothing when the op is none of one complex number.
std::optional<C> Unary(Opcode opcode, const C& z) {
  switch (opcode) {
    case Opcode::kNegate:
      return C{-z.re, -z.im};
    case Opcode::kSign:
      return Sign(z);
    case Opcode::kExp:
      return Exp(z);
    case Opcode::kExpm1:
      return Expm1(z);
    case Opcode::kLog:
      return Log(z);
    case Opcode::kLog1p:
      return Log1p(z);
    case Opcode::kLogistic:
      return Logistic(z);
    case Opcode::kSqrt:
      return Sqrt(z);
    case Opcode::kRsqrt:
      return Rsqrt(z);
    case Opcode::kSin:
      return Sin(z);
    case Opcode::kCosine:
      return Cos(z);
    case Opcode::kTan:
      return Tan(z);
    case Opcode::kSinh:
      return Sinh(z);
    case Opcode::kCosh:
      return Cosh(z);
    case Opcode::kTanh:
      return Tanh(z);
    case Opcode::kAsin:
      return Asin(z);
    case Opcode::kAcos:
      return Acos(z);
    case Opcode::kAsinh:
      return Asinh(z);
    case Opcode::kAcosh:
      return Acosh(z);
    case Opcode::kAtanh:
      return Atanh(z);
    default:
      return std::nullopt;
  }
}

std::optional<C> Binary(Opcode opcode, const C& a, const C& b) {
  switch (opcode) {
    case Opcode::kAdd:
      return a + b;
    case Opcode::kSubtract:
      return a - b;
    case Opcode::kMultiply:
      return a * b;
    case Opcode::kDivide:
      return Divide(a, b);
    case Opcode::kPower:
      return Power(a, b);
    case Opcode::kAtan2:
      return Atan2(a, b);
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<Element> ComplexOp(mlir::ImplicitLocOpBuilder& b, Opcode opcode, std::span<const Element> x) {
  const ElementType type = x[0].type;
  auto number = [&](const Element& e) { return C{V(b, e.value), V(b, e.imag)}; };
  if (opcode == Opcode::kAbs) return Element{ComponentType(type), Modulus(number(x[0])).get(), {}};
  std::optional<C> result =
      x.size() == 1 ? Unary(opcode, number(x[0])) : Binary(opcode, number(x[0]), number(x[1]));
  if (!result) return TypeNotTaken(opcode, type);
  return Element{type, result->re.get(), result->im.get()};
}

}  // namespace subfloor::codegen::elemental
