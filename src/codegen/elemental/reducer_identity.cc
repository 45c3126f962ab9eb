#include <cmath>

#include "codegen/elemental/elemental.h"
#include "codegen/elemental/ops/ops.h"
#include "types/narrow.h"

namespace subfloor::codegen::elemental {
namespace {

using hlo::Opcode;

/// The least value of a type (for maximum), or the greatest (for minimum).
Element Extreme(mlir::ImplicitLocOpBuilder& b, ElementType type, bool least, int64_t lanes) {
  if (IsPred(type)) return EmitInteger(b, type, least ? 0 : 1, lanes);
  if (IsIntegral(type)) return EmitInteger(b, type, ToInt(type, least ? MinInt(type) : MaxInt(type)), lanes);
  const FloatFormat format = FormatOf(type);
  const double greatest = format.has_infinity ? HUGE_VAL : ToDouble(type, MaxFinite(type));
  if (least && !format.has_sign) return EmitNumber(b, type, ToDouble(type, SmallestPositive(type)), lanes);
  return EmitNumber(b, type, least ? -greatest : greatest, lanes);
}

}  // namespace

Result<Element> ReducerIdentity(mlir::ImplicitLocOpBuilder& b, Opcode opcode, ElementType type,
                                int64_t lanes) {
  const bool has_order = !IsComplex(type);
  const bool has_bits = IsPred(type) || IsIntegral(type);
  switch (opcode) {
    case Opcode::kAdd:
      if (IsFloat(type) && !FormatOf(type).has_sign) break;  // f8e8m0fnu has no zero
      // -0 + x is x for every x; +0 would turn a sum of -0 alone into +0.
      if (IsFloat(type) || IsComplex(type)) {
        Element zero = EmitNumber(b, type, -0.0, lanes);
        if (IsComplex(type)) zero.imag = zero.value;
        return zero;
      }
      return EmitInteger(b, type, 0, lanes);
    case Opcode::kMultiply:
      return has_bits ? EmitInteger(b, type, 1, lanes) : EmitNumber(b, type, 1.0, lanes);
    case Opcode::kMaximum:
      if (has_order) return Extreme(b, type, /*least=*/true, lanes);
      break;
    case Opcode::kMinimum:
      if (has_order) return Extreme(b, type, /*least=*/false, lanes);
      break;
    case Opcode::kAnd:
      if (has_bits) return EmitInteger(b, type, -1, lanes);
      break;
    case Opcode::kOr:
    case Opcode::kXor:
      if (has_bits) return EmitInteger(b, type, 0, lanes);
      break;
    default:
      break;
  }
  return TypeNotTaken(opcode, type);
}

}  // namespace subfloor::codegen::elemental
