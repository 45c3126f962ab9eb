// rng-bit-generator, rng and rng-get-and-update-state.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "evaluator/index_space.h"
#include "evaluator/op_functions.h"
#include "evaluator/random_bits.h"
#include "types/narrow.h"

namespace subfloor::evaluator {
namespace {

using Counter = std::array<uint64_t, 2>;

// The words of consecutive Philox blocks, from a counter on.
class PhiloxStream {
 public:
  PhiloxStream(uint64_t key, Counter counter) : key_(key), counter_(counter) {}
  uint32_t Next32() {
    if (used_ == 4) {
      block_ = PhiloxBlock(counter_, key_);
      counter_ = Advance(counter_, 1);
      used_ = 0;
    }
    return block_[used_++];
  }
  uint64_t Next64() {
    const uint64_t low = Next32();
    return low | uint64_t{Next32()} << 32;
  }

 private:
  uint64_t key_;
  Counter counter_;
  std::array<uint32_t, 4> block_{};
  size_t used_ = 4;
};

// An element's bits from a word of 32 or 64: the low ones. pred is 0 or 1.
void PutBits(Literal& bits, int64_t i, uint64_t word) {
  const int width = IsPred(bits.element_type()) ? 1 : BitWidth(bits.element_type());
  SetBits(bits, i, width == 64 ? word : word & ((uint64_t{1} << width) - 1));
}

void FillPhilox(Literal& bits, const Literal& state, Literal& new_state) {
  const uint64_t key = GetBits(state, 0);
  const bool short_state = state.shape().element_count() == 2;
  // Two words of state leave the counter's upper half to the key.
  const Counter counter = {GetBits(state, 1), short_state ? key : GetBits(state, 2)};
  PhiloxStream stream(key, counter);
  const int64_t count = bits.shape().element_count();
  const bool wide = BitWidth(bits.element_type()) == 64;
  for (int64_t i = 0; i < count; ++i) PutBits(bits, i, wide ? stream.Next64() : stream.Next32());
  const int64_t words = wide ? 2 * count : count;
  const Counter after = Advance(counter, static_cast<uint64_t>((words + 3) / 4));
  SetBits(new_state, 1, after[0]);
  if (!short_state) SetBits(new_state, 2, after[1]);
}

// 32-bit words come in pairs, one block for both, that lie side by side along one dimension: the first of
// even size, else the largest, padded by one. Blocks are numbered by the row-major index in the shape with
// that dimension halved.
void FillThreefry(Literal& bits, const Literal& state, Literal& new_state) {
  const uint64_t key = GetBits(state, 0), counter = GetBits(state, 1);
  const Shape& shape = bits.shape();
  const auto block = [&](uint64_t number) {
    const uint64_t c = counter + number;
    return ThreefryBlock({static_cast<uint32_t>(c), static_cast<uint32_t>(c >> 32)}, key);
  };
  if (BitWidth(bits.element_type()) == 64) {
    for (int64_t i = 0; i < shape.element_count(); ++i) {
      const auto words = block(static_cast<uint64_t>(i));
      PutBits(bits, i, words[0] | uint64_t{words[1]} << 32);
    }
    return SetBits(new_state, 1, counter + static_cast<uint64_t>(shape.element_count()));
  }
  std::vector<int64_t> halved(shape.dimensions().begin(), shape.dimensions().end());
  if (halved.empty()) halved.push_back(1);  // a scalar is the first of a pair
  size_t split = 0;
  const auto even = std::ranges::find_if(halved, [](int64_t size) { return size % 2 == 0; });
  split =
      static_cast<size_t>((even != halved.end() ? even : std::ranges::max_element(halved)) - halved.begin());
  const int64_t size = halved[split];
  halved[split] = (size + 1) / 2;
  const std::vector<int64_t> strides =
      shape.rank() == 0 ? std::vector<int64_t>{1} : RowMajorStrides(shape.dimensions());
  uint64_t number = 0;
  std::vector<int64_t> index(halved.size(), 0);
  if (std::ranges::find(halved, 0) == halved.end()) {
    do {
      const auto words = block(number++);
      int64_t at = 0;
      for (size_t d = 0; d < index.size(); ++d) at += index[d] * (d == split ? 2 : 1) * strides[d];
      PutBits(bits, at, words[0]);
      if (2 * index[split] + 1 < size) PutBits(bits, at + strides[split], words[1]);
    } while (NextIndex(index, halved));
  }
  SetBits(new_state, 1, counter + number);
}

uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// The unit interval in 53 steps of a double, 0 included, 1 not.
double Unit(PhiloxStream& stream) { return static_cast<double>(stream.Next64() >> 11) * 0x1p-53; }

}  // namespace

Result<Literal> EvaluateRngBitGenerator(Context& context, const hlo::Instruction& instruction,
                                        Operands operands) {
  const Literal& state = *operands[0];
  const Shape& shape = instruction.shape();
  if (state.element_type() != ElementType::kU64 || state.shape().rank() != 1 ||
      state.shape().dimension(0) < 2 || state.shape().dimension(0) > 3) {
    return NotSupported("rng-bit-generator with a state of {}; u64[2] and u64[3] would work",
                        state.shape().ToString(false));
  }
  Literal new_state = state;
  Literal bits = SF_TRY(Literal::Zeros(shape.tuple_shape(1)));
  if (IsComplex(bits.element_type()))
    return BadInput("random bits of type {}", ToString(bits.element_type()));
  if (instruction.As<hlo::RngBitGeneratorAttributes>().algorithm == hlo::RandomAlgorithm::kThreeFry) {
    FillThreefry(bits, state, new_state);
  } else {
    FillPhilox(bits, state, new_state);
  }
  return Literal::Tuple({std::move(new_state), std::move(bits)});
}

Result<Literal> EvaluateRngGetAndUpdateState(Context& context, const hlo::Instruction& instruction,
                                             Operands operands) {
  Literal state = SF_TRY(Literal::Zeros(instruction.shape()));
  if (state.element_type() != ElementType::kU64 || state.shape().element_count() != 2) {
    return NotSupported("a random state of {}; u64[2] would work", instruction.shape().ToString(false));
  }
  const uint64_t seed = context.options().rng_seed;
  Counter& counter = context.RngState(instruction, {Mix(seed + 1), Mix(seed + 2)});
  SetBits(state, 0, counter[0]);
  SetBits(state, 1, counter[1]);
  counter = Advance(counter, static_cast<uint64_t>(instruction.As<hlo::RngStateAttributes>().delta));
  return state;
}

Result<Literal> EvaluateRng(Context& context, const hlo::Instruction& instruction, Operands operands) {
  const Shape& shape = instruction.shape();
  const ElementType type = shape.element_type();
  Literal result = SF_TRY(Literal::Zeros(shape));
  // Seed, participant, instruction and visit choose the stream.
  const uint64_t key =
      Mix(Mix(context.options().rng_seed ^ Mix(static_cast<uint64_t>(instruction.id()))) +
          static_cast<uint64_t>(context.replica() * context.partition_count() + context.partition()));
  PhiloxStream stream(key, {0, context.NextVisit(instruction)});
  const bool normal = instruction.As<hlo::RngAttributes>().distribution == hlo::RandomDistribution::kNormal;
  if (IsComplex(type))
    return NotSupported("rng of {}; its real and imaginary parts one by one would work", ToString(type));
  if (IsFloat(type)) {
    const double a = GetAsDouble(*operands[0], 0), b = GetAsDouble(*operands[1], 0);
    for (int64_t i = 0; i < shape.element_count(); ++i) {
      if (normal) {
        // Box and Muller; the first number is kept off 0.
        const double u = 1 - Unit(stream), v = Unit(stream);
        SetFromDouble(result, i, a + b * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v));
        continue;
      }
      const double u = Unit(stream);
      SetFromDouble(result, i, a + (b - a) * u);
      // Rounding to the type must not reach the end that is left out.
      if (GetAsDouble(result, i) >= b && a < b) SetFromDouble(result, i, a);
    }
    return result;
  }
  if (normal) return BadInput("a normal distribution of {}; a floating-point type is wanted", ToString(type));
  if (IsPred(type)) {
    for (int64_t i = 0; i < shape.element_count(); ++i) SetBits(result, i, stream.Next32() & 1);
    return result;
  }
  const auto low = static_cast<uint64_t>(GetAsInt(*operands[0], 0)),
             high = static_cast<uint64_t>(GetAsInt(*operands[1], 0));
  const bool empty = IsSigned(type) ? static_cast<int64_t>(high) <= static_cast<int64_t>(low) : high <= low;
  for (int64_t i = 0; i < shape.element_count(); ++i) {
    const uint64_t bits = stream.Next64();
    SetBits(result, i, FromUint(type, empty ? low : low + bits % (high - low)));
  }
  return result;
}

}  // namespace subfloor::evaluator
