#include "passes/make.h"
#include "passes/simplify/algebra/rules.h"

namespace subfloor::passes {
namespace {

using hlo::Instruction;
using hlo::Opcode;

// True if every value of `from`, and whether it is NaN or infinite, survives a conversion to `to`.
bool Exact(ElementType from, ElementType to) {
  if (from == to) return true;
  if (IsPred(from))
    return IsIntegral(to) ? BitWidth(to) > 1 || IsUnsigned(to) : IsFloat(to) && FormatOf(to).has_sign;
  if (IsIntegral(from) && IsIntegral(to)) {
    if (IsUnsigned(from))
      return BitWidth(to) > BitWidth(from) || (IsUnsigned(to) && BitWidth(to) == BitWidth(from));
    return IsSigned(to) && BitWidth(to) >= BitWidth(from);
  }
  if (IsIntegral(from) && (to == ElementType::kF32 || to == ElementType::kF64)) {
    return BitWidth(from) - (IsSigned(from) ? 1 : 0) <= FormatOf(to).mantissa_bits + 1;
  }
  if (IsFloat(from) && (to == ElementType::kF32 || to == ElementType::kF64)) {
    // f32 holds every narrower float; f64 holds f32.
    return BitWidth(from) < BitWidth(to);
  }
  return false;
}

// convert(convert(x)) where the first loses nothing is one conversion, provided that it means the same: an
// integer that went through a float saturates where straight conversion wraps.
bool FirstMayBeDropped(ElementType from, ElementType through, ElementType to) {
  if (!Exact(from, through) || IsComplex(to)) return false;
  if ((IsIntegral(from) || IsPred(from)) && IsFloat(through)) return IsFloat(to) || IsPred(to) || to == from;
  return true;
}

Instruction* SimplifyConvert(Instruction* convert) {
  Instruction* x = convert->operand(0);
  const ElementType from = x->shape().element_type(), to = convert->shape().element_type();
  if (from == to) return x;
  if (x->opcode() == Opcode::kConvert) {
    Instruction* source = x->operand(0);
    if (FirstMayBeDropped(source->shape().element_type(), from, to)) return MakeConvert(source, to);
  }
  return nullptr;
}

Instruction* SimplifyBitcastConvert(Instruction* convert) {
  Instruction* x = convert->operand(0);
  const ElementType to = convert->shape().element_type();
  if (x->shape().element_type() == to) return x;
  if (x->opcode() != Opcode::kBitcastConvert) return nullptr;
  Instruction* source = x->operand(0);
  if (!source->shape().SameDimensions(x->shape()) || !x->shape().SameDimensions(convert->shape()))
    return nullptr;
  // pred holds only 0 and 1 and normalises what it is read from.
  if (IsPred(x->shape().element_type())) return nullptr;
  if (source->shape().element_type() == to) return source;
  return source->parent()->Add(Opcode::kBitcastConvert, WithType(source->shape(), to), {source});
}

Instruction* SimplifyReducePrecision(Instruction* reduce) {
  const ElementType type = reduce->shape().element_type();
  if (!IsFloat(type)) return nullptr;
  const auto& attributes = reduce->As<hlo::ReducePrecisionAttributes>();
  const FloatFormat format = FormatOf(type);
  const bool nothing =
      attributes.exponent_bits >= format.exponent_bits && attributes.mantissa_bits >= format.mantissa_bits;
  return nothing && format.mantissa_bits > 0 ? reduce->operand(0) : nullptr;
}

}  // namespace

Instruction* SimplifyConversion(Instruction* instruction) {
  Instruction* x = instruction->operand(0);
  switch (instruction->opcode()) {
    case Opcode::kConvert:
      return SimplifyConvert(instruction);
    case Opcode::kBitcastConvert:
      return SimplifyBitcastConvert(instruction);
    case Opcode::kReducePrecision:
      return SimplifyReducePrecision(instruction);
    case Opcode::kReal:
      if (x->opcode() == Opcode::kComplex) return x->operand(0);
      return IsComplex(x->shape().element_type()) ? nullptr : x;
    case Opcode::kImag:
      return x->opcode() == Opcode::kComplex ? x->operand(1) : nullptr;
    case Opcode::kComplex: {
      const Instruction* y = instruction->operand(1);
      const bool parts = x->opcode() == Opcode::kReal && y->opcode() == Opcode::kImag &&
                         x->operand(0) == y->operand(0) &&
                         x->operand(0)->shape().element_type() == instruction->shape().element_type();
      return parts ? x->operand(0) : nullptr;
    }
    default:
      return nullptr;
  }
}

}  // namespace subfloor::passes
