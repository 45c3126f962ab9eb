#include "passes/expand/rng.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "passes/expand/replace.h"

namespace subfloor::passes {
namespace {

using enum ElementType;
using hlo::Builder;
using hlo::ComparisonDirection;
using hlo::Instruction;
using hlo::Opcode;

// States of different instructions may run in step, so that every draw needs a key of its own.
uint64_t KeyOf(int64_t id, uint64_t draw) {
  uint64_t x = static_cast<uint64_t>(id) * 2 + draw + 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

class Rng {
 public:
  Rng(Builder& b, Instruction& op) : b_(b), op_(op), shape_(op.shape().WithoutLayout()) {}

  Result<Instruction*> Expand() {
    const ElementType type = shape_.element_type();
    if (IsPred(type)) {
      Instruction* bits = Bits(kU32, shape_.dimensions());
      return b_.Compare(b_.And(bits, b_.FullInt(bits->shape(), 1)), b_.FullInt(bits->shape(), 0),
                        ComparisonDirection::kNe);
    }
    if (IsIntegral(type)) return Integers();
    if (!IsFloat(type))
      return NotSupported("rng of {}; its real and imaginary parts one by one work", ToString(type));
    return op_.As<hlo::RngAttributes>().distribution == hlo::RandomDistribution::kNormal ? Normal()
                                                                                         : Uniform();
  }

 private:
  Instruction* Bits(ElementType type, std::span<const int64_t> dimensions) {
    const Shape shape = Shape::ArrayOf(type, dimensions);
    const int64_t words = shape.element_count() * (type == kU64 ? 2 : 1);
    Instruction* counter = b_.MakeAs(Shape::ArrayOf(kU64, {2}), Opcode::kRngGetAndUpdateState, {},
                                     hlo::RngStateAttributes{std::max<int64_t>((words + 3) / 4, 1)});
    Instruction* key = b_.Reshape(b_.ScalarBits(kU64, KeyOf(op_.id(), draws_++)), {1});
    Instruction* state = b_.Concatenate({key, counter}, 0);
    Instruction* both = b_.MakeAs(Shape::Tuple({state->shape(), shape}), Opcode::kRngBitGenerator, {state},
                                  hlo::RngBitGeneratorAttributes{hlo::RandomAlgorithm::kPhilox});
    return b_.GetTupleElement(both, 1);
  }

  // Multiples of 2^-digits in [0, 1).
  Instruction* Unit(ElementType type, std::span<const int64_t> dimensions) {
    const ElementType bits = type == kF64 ? kU64 : kU32;
    const int digits = FormatOf(type).mantissa_bits + 1;
    Instruction* drawn = Bits(bits, dimensions);
    Instruction* kept = b_.ShiftRightLogical(drawn, b_.FullInt(drawn->shape(), BitWidth(bits) - digits));
    Instruction* number = b_.Convert(kept, type);
    return b_.Multiply(number, b_.Full(number->shape(), std::ldexp(1.0, -digits)));
  }

  ElementType Wide() const { return shape_.element_type() == kF64 ? kF64 : kF32; }
  Instruction* Spread(Instruction* scalar) { return b_.Broadcast(scalar, shape_.dimensions(), {}); }

  Instruction* Uniform() {
    Instruction *low = b_.Convert(op_.operand(0), Wide()), *high = b_.Convert(op_.operand(1), Wide());
    Instruction* scaled = b_.Multiply(Unit(Wide(), shape_.dimensions()), Spread(b_.Subtract(high, low)));
    Instruction* value = b_.Convert(b_.Add(scaled, Spread(low)), shape_.element_type());
    // Rounding must not reach the end that is left out.
    Instruction* end = Spread(b_.Convert(op_.operand(1), shape_.element_type()));
    Instruction* begin = Spread(b_.Convert(op_.operand(0), shape_.element_type()));
    Instruction* beyond = b_.And(b_.Compare(value, end, ComparisonDirection::kGe),
                                 b_.Compare(begin, end, ComparisonDirection::kLt));
    return b_.Select(beyond, begin, value);
  }

  Instruction* Normal() {
    Instruction* first = Unit(Wide(), shape_.dimensions());
    Instruction* radius_from = b_.Subtract(b_.Full(first->shape(), 1), first);  // in (0, 1]
    Instruction* radius = b_.Sqrt(b_.Multiply(b_.Log(radius_from), b_.Full(first->shape(), -2)));
    Instruction* turn = Unit(Wide(), shape_.dimensions());
    Instruction* angle = b_.Multiply(turn, b_.Full(turn->shape(), 2 * std::numbers::pi));
    Instruction* standard = b_.Multiply(radius, b_.Cosine(angle));
    Instruction *mean = b_.Convert(op_.operand(0), Wide()), *deviation = b_.Convert(op_.operand(1), Wide());
    return b_.Convert(b_.Add(b_.Multiply(standard, Spread(deviation)), Spread(mean)), shape_.element_type());
  }

  // Sign-extended to 64 bits, every range is a difference that wraps.
  Instruction* Integers() {
    const ElementType type = shape_.element_type();
    const auto wide = [&](Instruction* x) {
      return b_.Convert(b_.Convert(x, IsSigned(type) ? kS64 : kU64), kU64);
    };
    Instruction *low = wide(op_.operand(0)), *high = wide(op_.operand(1));
    Instruction* drawn = b_.Remainder(Bits(kU64, shape_.dimensions()), Spread(b_.Subtract(high, low)));
    Instruction* empty = b_.Compare(op_.operand(1), op_.operand(0), ComparisonDirection::kLe);
    Instruction* value = b_.Convert(b_.Add(Spread(low), drawn), type);
    return b_.Select(empty, Spread(op_.operand(0)), value);
  }

  Builder& b_;
  Instruction& op_;
  const Shape shape_;
  uint64_t draws_ = 0;  // at most two
};

}  // namespace

Result<bool> ExpandRng(hlo::Module& module, PassContext& context) {
  const auto wanted = [](const Instruction& op) { return op.opcode() == Opcode::kRng; };
  return ReplaceEach(module, wanted,
                     [](Builder& b, Instruction& op) -> Result<Instruction*> { return Rng(b, op).Expand(); });
}

}  // namespace subfloor::passes
