#include "codegen/elemental/math/math.h"

namespace subfloor::codegen::elemental {

using hlo::Opcode;

V MathFunction(Opcode opcode, const V& x) {
  switch (opcode) {
    default: return V();
  }
}

V MathFunction(Opcode opcode, const V& x, const V& y) {
  switch (opcode) {
    case Opcode::kRemainder: return Remainder(x, y);
    default: return V();
  }
}

}  // namespace subfloor::codegen::elemental
