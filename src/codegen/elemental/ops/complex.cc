#include "codegen/elemental/ops/ops.h"
#include "codegen/elemental/value.h"

namespace subfloor::codegen::elemental {

Result<Element> ComplexOp(mlir::ImplicitLocOpBuilder& b, hlo::Opcode opcode, std::span<const Element> x) {
  using hlo::Opcode;
  const ElementType type = x[0].type;
  V ar(b, x[0].value), ai(b, x[0].imag);
  V br = x.size() > 1 ? V(b, x[1].value) : V();
  V bi = x.size() > 1 ? V(b, x[1].imag) : V();
  auto give = [&](const V& real, const V& imag) { return Element{type, real.get(), imag.get()}; };
  switch (opcode) {
    case Opcode::kAdd: return give(ar + br, ai + bi);
    case Opcode::kSubtract: return give(ar - br, ai - bi);
    case Opcode::kMultiply: return give(ar * br - ai * bi, ar * bi + ai * br);
    case Opcode::kNegate: return give(-ar, -ai);
    default: return TypeNotTaken(opcode, type);
  }
}

}  // namespace subfloor::codegen::elemental
