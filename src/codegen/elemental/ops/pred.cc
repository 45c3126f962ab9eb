#include "codegen/elemental/ops/ops.h"
#include "codegen/elemental/value.h"

namespace subfloor::codegen::elemental {

Result<Element> PredOp(mlir::ImplicitLocOpBuilder& b, hlo::Opcode opcode, std::span<const Element> x) {
  using hlo::Opcode;
  V a(b, x[0].value);
  V c = x.size() > 1 ? V(b, x[1].value) : V();
  auto pred = [](const V& value) { return Element{ElementType::kPred, value.get(), {}}; };
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMaximum:
    case Opcode::kOr:
      return pred(a | c);
    case Opcode::kMultiply:
    case Opcode::kMinimum:
    case Opcode::kAnd:
      return pred(a & c);
    case Opcode::kXor:
      return pred(a ^ c);
    case Opcode::kNot:
      return pred(~a);
    case Opcode::kPower:
      return pred(a | ~c);
    default:
      return TypeNotTaken(opcode, ElementType::kPred);
  }
}

}  // namespace subfloor::codegen::elemental
