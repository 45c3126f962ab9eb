#include "passes/fuse/cost.h"

#include <algorithm>

namespace subfloor::passes {

using hlo::Instruction;
using hlo::Opcode;

double FlopsPerElement(const Instruction* instruction) {
  const ElementType type = instruction->operand_count() > 0 ? instruction->operand(0)->shape().element_type()
                                                            : instruction->shape().element_type();
  const double complex_factor = IsComplex(type) ? 4 : 1;
  const bool integer = IsIntegral(type);
  switch (instruction->opcode()) {
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kConstant:
    case Opcode::kCopy:
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
    case Opcode::kGetTupleElement:
    case Opcode::kParameter:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
    case Opcode::kTuple:
    case Opcode::kBitcastConvert:
    case Opcode::kIota:
    case Opcode::kPad:
    case Opcode::kReal:
    case Opcode::kImag:
    case Opcode::kComplex:
      return 0;
    case Opcode::kDivide:
      return (integer ? 20 : 5) * complex_factor;
    case Opcode::kRemainder:
      return 20;
    case Opcode::kSqrt:
      return 5 * complex_factor;
    case Opcode::kRsqrt:
      return 8 * complex_factor;
    case Opcode::kExp:
    case Opcode::kExpm1:
    case Opcode::kLog:
    case Opcode::kLog1p:
    case Opcode::kLogistic:
    case Opcode::kTanh:
    case Opcode::kErf:
    case Opcode::kCbrt:
      return 20 * complex_factor;
    case Opcode::kSin:
    case Opcode::kCosine:
    case Opcode::kTan:
    case Opcode::kAtan2:
    case Opcode::kAsin:
    case Opcode::kAcos:
    case Opcode::kAsinh:
    case Opcode::kAcosh:
    case Opcode::kAtanh:
    case Opcode::kSinh:
    case Opcode::kCosh:
      return 30 * complex_factor;
    case Opcode::kPower:
      return integer ? 30 : 60 * complex_factor;
    case Opcode::kConvert: {
      // Types that registers hold convert in one instruction; the others take a handful of integer
      // operations.
      const auto narrow = [](ElementType t) { return IsFloat(t) && BitWidth(t) <= 8; };
      return narrow(type) || narrow(instruction->shape().element_type()) ? 6 : 1;
    }
    case Opcode::kReducePrecision:
    case Opcode::kStochasticConvert:
      return 6;
    case Opcode::kReduce:
    case Opcode::kReduceWindow: {
      const double in = static_cast<double>(instruction->operand(0)->shape().element_count());
      double out = 1;
      for (const Shape* leaf : Leaves(instruction->shape()))
        out = std::max(1.0, static_cast<double>(leaf->element_count()));
      if (instruction->opcode() == Opcode::kReduce) return in / out * complex_factor;
      double reach = 1;
      for (const auto& d : instruction->As<hlo::WindowAttributes>().window)
        reach *= static_cast<double>(d.size);
      return reach * complex_factor;
    }
    default:
      return complex_factor;
  }
}

double BytesRead(const Instruction* instruction) {
  const double result_bytes = static_cast<double>(instruction->shape().byte_size());
  switch (instruction->opcode()) {
    case Opcode::kIota:
    case Opcode::kConstant:
      return 0;
    case Opcode::kSlice:
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
      return result_bytes;
    default:
      break;
  }
  double bytes = 0;
  for (int64_t i = 0; i < instruction->operand_count(); ++i) {
    const Instruction* operand = instruction->operand(i);
    bool repeated = false;
    for (int64_t k = 0; k < i; ++k) repeated |= instruction->operand(k) == operand;
    if (repeated) continue;
    while (operand->opcode() == Opcode::kBroadcast || operand->opcode() == Opcode::kReshape)
      operand = operand->operand(0);
    if (operand->opcode() == Opcode::kIota || operand->shape().IsScalar() || !operand->shape().IsArray())
      continue;
    bytes += std::min(static_cast<double>(operand->shape().byte_size()),
                      static_cast<double>(instruction->operand(i)->shape().byte_size()));
  }
  return bytes;
}

}  // namespace subfloor::passes
