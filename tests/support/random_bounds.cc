// How large values can be, so that what the contract leaves open is not made: sums and products in a free
// order whose parts overflow.

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/random_generator.h"
#include "types/narrow.h"

namespace subfloor::testing_support {

using enum ElementType;
using hlo::Instruction;
using hlo::Opcode;

namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

double LargestFinite(ElementType type) {
  const FloatFormat format = FormatOf(type);
  const int top = (1 << format.exponent_bits) - 1 - format.bias - (format.has_infinity ? 1 : 0);
  return std::ldexp(1.0, std::min(top, 1023));  // a power of two below it
}

double LargestOf(const Literal& literal) {
  double largest = 0;
  for (int64_t i = 0; i < literal.shape().element_count(); ++i) {
    const double value = std::abs(GetAsDouble(literal, i));
    largest = std::isnan(value) ? kUnknown : std::max(largest, value);
  }
  return largest;
}

}  // namespace

// Follows operands a few steps; what lies deeper counts as unknown.
double RandomGenerator::Magnitude(const Instruction* x, int depth) const {
  if (depth > 6 || IsComplex(x->shape().element_type())) return kUnknown;
  const auto of = [&](int64_t i) { return Magnitude(x->operand(i), depth + 1); };
  switch (x->opcode()) {
    case Opcode::kParameter:  // of the entry: as RandomArguments makes them
      return next_parameter_ && IsFloat(x->shape().element_type()) && x->shape().element_type() != kF8E8M0FNU
                 ? 1.0
                 : kUnknown;
    case Opcode::kConstant:
      return LargestOf(x->literal());
    case Opcode::kIota:
      return static_cast<double>(x->shape().dimension(x->As<hlo::IotaAttributes>().iota_dimension));
    case Opcode::kBroadcast:
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kSlice:
    case Opcode::kReverse:
    case Opcode::kCopy:
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
    case Opcode::kNegate:
    case Opcode::kAbs:
    case Opcode::kOptBarrier:
      return of(0);
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kPad:
    case Opcode::kDynamicUpdateSlice:
      return std::max(of(0), of(1));
    case Opcode::kConcatenate: {
      double most = 0;
      for (int64_t i = 0; i < x->operand_count(); ++i) most = std::max(most, of(i));
      return most;
    }
    case Opcode::kClamp:
      return std::max(of(0), of(2));
    case Opcode::kSelect:
      return std::max(of(1), of(2));
    case Opcode::kAdd:
    case Opcode::kSubtract:
      return of(0) + of(1);
    case Opcode::kMultiply:
      return of(0) * of(1);
    case Opcode::kTanh:
    case Opcode::kErf:
    case Opcode::kSin:
    case Opcode::kCosine:
    case Opcode::kLogistic:
    case Opcode::kSign:
      return 1;
    case Opcode::kConvert: {
      const ElementType from = x->operand(0)->shape().element_type();
      if (IsFloat(from)) return of(0);
      return IsComplex(from) ? kUnknown : IsPred(from) ? 1 : std::ldexp(1.0, BitWidth(from));
    }
    default:
      return kUnknown;
  }
}

// Operands of sums of `terms` products of `factors` values each: no partial sum comes near the type's end.
Instruction* RandomGenerator::Summable(Instruction* x, int64_t terms, int factors) {
  const ElementType type = x->shape().element_type();
  if (!options_.tame || !IsFloat(type) || type == kF8E8M0FNU) return x;
  const double room = LargestFinite(type) / (2.0 * static_cast<double>(std::max<int64_t>(terms, 1)));
  const double most = std::min(16.0, factors == 1 ? room : std::sqrt(room));
  return Magnitude(x) <= most ? x : Bounded(x, -most, most);
}

// Operands of products of `terms` values: no partial product comes near either end of the type.
Instruction* RandomGenerator::Multipliable(Instruction* x, int64_t terms) {
  const ElementType type = x->shape().element_type();
  if (!options_.tame || !IsFloat(type) || type == kF8E8M0FNU) return x;
  if (random_.OneIn(2)) return Magnitude(x) <= 1 ? x : Bounded(x, -1, 1);
  const double most = std::exp2(std::min(1.0, 3.0 / static_cast<double>(std::max<int64_t>(terms, 1))));
  return Bounded(x, 1 / most, most);
}

Instruction* RandomGenerator::Combinable(const Combination& combination, Instruction* x, int64_t terms) {
  switch (combination.kind) {
    case Combination::Kind::kSum:
      return Summable(x, terms, 1);
    case Combination::Kind::kProduct:
      return Multipliable(x, terms);
    case Combination::Kind::kOther:
      return x;
  }
  return x;
}

}  // namespace subfloor::testing_support
