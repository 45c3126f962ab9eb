#include "passes/expand/rng_bit_generator.h"

#include <algorithm>
#include <array>

#include "passes/expand/replace.h"

namespace subfloor::passes {
namespace {

using enum ElementType;
using hlo::Builder;
using hlo::ComparisonDirection;
using hlo::Instruction;
using hlo::Opcode;

constexpr int64_t Word(uint32_t value) { return static_cast<int64_t>(value); }

class Bits {
 public:
  Bits(Builder& b, Instruction& op)
      : b_(b), state_(op.operand(0)), shape_(op.shape().tuple_shape(1)), count_(shape_.element_count()) {
    wide_ = BitWidth(shape_.element_type()) == 64;
    key_ = StateWord(0);
  }

  // (new state, bits)
  Result<Instruction*> Philox() {
    const int64_t per_block = wide_ ? 2 : 4;
    const int64_t blocks = (count_ + per_block - 1) / per_block;
    const Shape wide = Shape::ArrayOf(kU64, {blocks});
    const bool short_state = state_->shape().dimension(0) == 2;
    Instruction* low = StateWord(1);
    Instruction* high = short_state ? key_ : StateWord(2);

    // Block j counts 128 bits from the state on; the lower half may carry.
    Instruction* start = Spread(low, wide);
    Instruction* counter = b_.Add(start, b_.Iota(wide, 0));
    Instruction* carried = b_.Compare(counter, start, ComparisonDirection::kLt);
    Instruction* upper = b_.Add(Spread(high, wide), b_.Convert(carried, kU64));
    std::array<Instruction*, 4> c = {Low(counter), High(counter), Low(upper), High(upper)};
    Instruction *k0 = Low(key_), *k1 = High(key_);
    for (int round = 0; round < 10; ++round) {
      if (round > 0) {
        k0 = b_.Add(k0, b_.ScalarInt(kU32, Word(0x9E3779B9)));
        k1 = b_.Add(k1, b_.ScalarInt(kU32, Word(0xBB67AE85)));
      }
      const Shape narrow = c[0]->shape();
      Instruction* p0 = Product(c[0], 0xD2511F53);
      Instruction* p1 = Product(c[2], 0xCD9E8D57);
      c = {b_.Xor(b_.Xor(High(p1), c[1]), Spread(k0, narrow)), Low(p1),
           b_.Xor(b_.Xor(High(p0), c[3]), Spread(k1, narrow)), Low(p0)};
    }
    std::vector<Instruction*> parts(c.begin(), c.end());
    if (wide_) parts = {Join(c[0], c[1]), Join(c[2], c[3])};
    for (Instruction*& part : parts) part = b_.Reshape(part, {blocks, 1});
    Instruction* flat = b_.Reshape(b_.Concatenate(parts, 1), {blocks * per_block});
    Instruction* bits = b_.Reshape(b_.SliceIn(flat, 0, 0, count_), shape_.dimensions());

    Instruction* delta = b_.ScalarInt(kU64, ((wide_ ? 2 * count_ : count_) + 3) / 4);
    Instruction* new_low = b_.Add(low, delta);
    std::vector<Instruction*> words = {key_, new_low};
    if (!short_state) {
      words.push_back(b_.Add(high, b_.Convert(b_.Compare(new_low, low, ComparisonDirection::kLt), kU64)));
    }
    return Finished(words, bits);
  }

  Result<Instruction*> Threefry() {
    Instruction* start = StateWord(1);
    std::vector<int64_t> sizes(shape_.dimensions().begin(), shape_.dimensions().end());
    if (wide_) {
      const auto [x0, x1] = ThreefryBlocks(start, sizes);
      return Finished({key_, b_.Add(start, b_.ScalarInt(kU64, count_))}, Join(x0, x1));
    }
    // One dimension is halved, the first of even size, else the largest; a block's two words lie side by side
    // along it.
    if (sizes.empty()) sizes.push_back(1);
    const auto even = std::ranges::find_if(sizes, [](int64_t size) { return size % 2 == 0; });
    const auto split =
        static_cast<size_t>((even != sizes.end() ? even : std::ranges::max_element(sizes)) - sizes.begin());
    std::vector<int64_t> halved = sizes, paired = sizes;
    halved[split] = (sizes[split] + 1) / 2;
    paired[split] = 2 * halved[split];
    std::vector<int64_t> beside = halved;
    beside.insert(beside.begin() + static_cast<int64_t>(split) + 1, 1);
    const auto [x0, x1] = ThreefryBlocks(start, halved);
    Instruction* both =
        b_.Concatenate({b_.Reshape(x0, beside), b_.Reshape(x1, beside)}, static_cast<int64_t>(split) + 1);
    Instruction* bits = b_.SliceIn(b_.Reshape(both, paired), static_cast<int64_t>(split), 0, sizes[split]);
    int64_t blocks = 1;
    for (int64_t size : halved) blocks *= size;
    return Finished({key_, b_.Add(start, b_.ScalarInt(kU64, blocks))}, b_.Reshape(bits, shape_.dimensions()));
  }

 private:
  Instruction* StateWord(int64_t i) { return b_.Reshape(b_.SliceIn(state_, 0, i, i + 1), {}); }
  Instruction* Spread(Instruction* scalar, const Shape& shape) {
    return b_.Broadcast(scalar, shape.dimensions(), {});
  }
  Instruction* Low(Instruction* x) { return b_.Convert(x, kU32); }
  Instruction* High(Instruction* x) {
    return b_.Convert(b_.ShiftRightLogical(x, b_.FullInt(x->shape(), 32)), kU32);
  }
  Instruction* Join(Instruction* low, Instruction* high) {
    Instruction* upper = b_.Convert(high, kU64);
    return b_.Or(b_.Convert(low, kU64), b_.ShiftLeft(upper, b_.FullInt(upper->shape(), 32)));
  }
  // The 64 bits of a 32-bit product.
  Instruction* Product(Instruction* x, uint32_t factor) {
    Instruction* wide = b_.Convert(x, kU64);
    return b_.Multiply(wide, b_.FullInt(wide->shape(), Word(factor)));
  }

  std::pair<Instruction*, Instruction*> ThreefryBlocks(Instruction* start,
                                                       const std::vector<int64_t>& sizes) {
    int64_t blocks = 1;
    for (int64_t size : sizes) blocks *= size;
    Instruction* number = b_.Reshape(b_.Iota(Shape::ArrayOf(kU64, {blocks}), 0), sizes);
    Instruction* counter = b_.Add(Spread(start, number->shape()), number);
    constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    Instruction *k0 = Low(key_), *k1 = High(key_);
    Instruction* k2 = b_.Xor(b_.Xor(k0, k1), b_.ScalarInt(kU32, Word(0x1BD11BDA)));
    const std::array<Instruction*, 3> keys = {k0, k1, k2};
    const Shape shape = Shape::ArrayOf(kU32, sizes);
    Instruction* x0 = b_.Add(Low(counter), Spread(k0, shape));
    Instruction* x1 = b_.Add(High(counter), Spread(k1, shape));
    for (size_t group = 0; group < 5; ++group) {
      for (int rotation : kRotations[group % 2]) {
        x0 = b_.Add(x0, x1);
        Instruction* rotated = b_.Or(b_.ShiftLeft(x1, b_.FullInt(shape, rotation)),
                                     b_.ShiftRightLogical(x1, b_.FullInt(shape, 32 - rotation)));
        x1 = b_.Xor(rotated, x0);
      }
      x0 = b_.Add(x0, Spread(keys[(group + 1) % 3], shape));
      Instruction* injected =
          b_.Add(keys[(group + 2) % 3], b_.ScalarInt(kU32, static_cast<int64_t>(group) + 1));
      x1 = b_.Add(x1, Spread(injected, shape));
    }
    return {x0, x1};
  }

  // The words as elements of the wanted type: its width's low bits.
  Result<Instruction*> Typed(Instruction* words) {
    const ElementType type = shape_.element_type();
    if (!IsFloat(type)) return b_.Convert(words, type);
    switch (BitWidth(type)) {
      case 4:
        return b_.BitcastConvert(b_.Convert(words, kU4), type);
      case 8:
        return b_.BitcastConvert(b_.Convert(words, kU8), type);
      case 16:
        return b_.BitcastConvert(b_.Convert(words, kU16), type);
      case 32:
      case 64:
        return b_.BitcastConvert(words, type);
      default:
        return NotSupported("random bits of type {}; an 8-bit type works", ToString(type));
    }
  }

  Result<Instruction*> Finished(std::vector<Instruction*> words, Instruction* bits) {
    for (Instruction*& word : words) word = b_.Reshape(word, {1});
    return b_.Tuple({b_.Concatenate(words, 0), SF_TRY(Typed(bits))});
  }

  Builder& b_;
  Instruction* state_;
  const Shape shape_;
  const int64_t count_;
  bool wide_ = false;
  Instruction* key_ = nullptr;
};

}  // namespace

Result<bool> ExpandRngBitGenerator(hlo::Module& module, PassContext& context) {
  const auto wanted = [](const Instruction& op) { return op.opcode() == Opcode::kRngBitGenerator; };
  return ReplaceEach(module, wanted, [](Builder& b, Instruction& op) -> Result<Instruction*> {
    Bits bits(b, op);
    const bool threefry =
        op.As<hlo::RngBitGeneratorAttributes>().algorithm == hlo::RandomAlgorithm::kThreeFry;
    return threefry ? bits.Threefry() : bits.Philox();
  });
}

}  // namespace subfloor::passes
