#include "dispatch/transpose_shape.h"

#include <algorithm>

#include "dispatch/physical_order.h"

namespace subfloor::dispatch {
namespace {

using What = TransposeProblem::What;

constexpr int64_t kBanks = 32, kBankBits = 32;
// Both minor dimensions fill half a tile, or a quarter of one if there are many tiles.
constexpr int64_t kMinMinor = 16, kMinMinorOfMany = 8, kManyElements = 8192;
constexpr int64_t kMostUnmovedBits = 64;

std::vector<int64_t> Permuted(const std::vector<int64_t>& sizes, const std::vector<int64_t>& permutation) {
  std::vector<int64_t> result;
  for (int64_t from : permutation) result.push_back(sizes[static_cast<size_t>(from)]);
  return result;
}

std::vector<int64_t> Inverse(const std::vector<int64_t>& permutation) {
  std::vector<int64_t> inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) {
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  }
  return inverse;
}

// The sizes with A and B put in where the transpose has none.
PackedTransposeShape Canonical(const TransposeShape& shape) {
  PackedTransposeShape packed;
  packed.output = shape.output;
  packed.permutation = shape.permutation;
  if (shape.minor_moves()) {
    packed.permutation.push_back(shape.rank());
    packed.output.push_back(1);
  }
  const auto rank = static_cast<int64_t>(packed.output.size());
  if (packed.permutation[static_cast<size_t>(rank - 3)] != rank - 3) {
    for (int64_t& from : packed.permutation) {
      if (from > rank - 3) ++from;
    }
    packed.output.insert(packed.output.begin() + (rank - 2), 1);
    packed.permutation.insert(packed.permutation.begin() + (rank - 2), rank - 2);
  }
  const std::vector<int64_t> inverse = Inverse(packed.permutation);
  packed.input = Permuted(packed.output, inverse);
  const auto last = static_cast<int64_t>(packed.output.size()) - 1;
  packed.a = last - 2;
  packed.t1_input = packed.t2_output = last - 1;
  packed.t1_output = inverse[static_cast<size_t>(packed.t1_input)];
  packed.t2_input = packed.permutation[static_cast<size_t>(packed.t2_output)];
  return packed;
}

}  // namespace

std::vector<int64_t> TransposeShape::input() const { return Permuted(output, Inverse(permutation)); }

std::optional<TransposeShape> NormalizedTranspose(const hlo::Instruction& instruction) {
  if (instruction.opcode() != hlo::Opcode::kTranspose) return std::nullopt;
  const Shape& result = instruction.shape();
  if (!IsRowMajor(result) || !IsRowMajor(instruction.operand(0)->shape())) return std::nullopt;
  // Where input dimensions stand once those of size 1 are gone.
  const auto dimensions = instruction.dimensions();
  std::vector<int64_t> place(dimensions.size(), -1);
  int64_t kept = 0;
  for (int64_t i = 0; i < result.rank(); ++i) {
    if (instruction.operand(0)->shape().dimension(i) != 1) place[static_cast<size_t>(i)] = kept++;
  }
  TransposeShape shape;
  shape.transpose = &instruction;
  shape.element_bits = BitWidth(result.element_type());
  std::vector<int64_t> starts;  // the first input place of each merged dimension, in output order
  int64_t previous = -2;
  for (int64_t i = 0; i < result.rank(); ++i) {
    if (result.dimension(i) == 1) continue;
    const int64_t from = place[static_cast<size_t>(dimensions[static_cast<size_t>(i)])];
    if (from == previous + 1) {
      shape.output.back() *= result.dimension(i);
    } else {
      shape.output.push_back(result.dimension(i));
      starts.push_back(from);
    }
    previous = from;
  }
  if (shape.output.size() < 2) return std::nullopt;
  std::vector<int64_t> sorted = starts;
  std::ranges::sort(sorted);
  for (int64_t start : starts) {
    shape.permutation.push_back(std::ranges::lower_bound(sorted, start) - sorted.begin());
  }
  return shape;
}

std::optional<PackedTransposeShape> PackTranspose(const TransposeShape& shape) {
  if (shape.element_bits >= kBankBits || kBankBits % shape.element_bits != 0) return std::nullopt;
  PackedTransposeShape packed = Canonical(shape);
  packed.vector = kBankBits / shape.element_bits;
  const auto size = [&](int64_t output_dimension) {
    return packed.output[static_cast<size_t>(output_dimension)];
  };
  const int64_t side = kBanks * packed.vector;
  const int64_t t1 = size(packed.t1_output), t2 = size(packed.t2_output);
  if (packed.output.back() != 1 || t1 == 0 || t2 == 0) return std::nullopt;
  packed.tile_t1 = std::min(t1, side);
  packed.tile_a = std::min(size(packed.a), side / packed.tile_t1);
  packed.tile_t2 = std::min(t2, side);
  // Rows and columns that fill less than a third of a tile are slower than single elements; and every row and
  // column is made of whole banks.
  const int64_t rows = packed.tile_t2, columns = packed.tile_a * packed.tile_t1;
  const int64_t least = 10 * packed.vector;
  if (rows < least || columns < least) return std::nullopt;
  if (rows % packed.vector != 0 || columns % packed.vector != 0 || t2 % packed.tile_t2 % packed.vector != 0) {
    return std::nullopt;
  }
  return packed;
}

TransposeProblem WhyNoTiledTranspose(const hlo::Instruction& instruction) {
  if (instruction.opcode() != hlo::Opcode::kTranspose) return {What::kNotTransposed};
  if (!IsRowMajor(instruction.shape()) || !IsRowMajor(instruction.operand(0)->shape())) {
    return {What::kNotRowMajor};
  }
  const std::optional<TransposeShape> shape = NormalizedTranspose(instruction);
  if (!shape) return {What::kNotTransposed};
  if (PackTranspose(*shape)) return {};
  const std::vector<int64_t> input = shape->input();
  const size_t last = shape->output.size() - 1;
  if (!shape->minor_moves()) {
    const int64_t bits = shape->element_bits * shape->output[last];
    if (bits > kMostUnmovedBits) return {What::kUnmovedTooWide, bits, kMostUnmovedBits};
    const int64_t line = bits * std::min(input[last - 1], shape->output[last - 1]);
    if (line < 8 * kMinMinor) return {What::kUnmovedTooNarrow, line, 8 * kMinMinor};
    return {};
  }
  const int64_t small = std::min(input[last], shape->output[last]);
  const int64_t large = std::max(input[last], shape->output[last]);
  // The quotient, so that no product can be too large.
  const bool many = small >= kMinMinorOfMany && large >= (kManyElements + small - 1) / small;
  if (small < kMinMinor && !many) return {What::kMinorTooSmall, small, kMinMinor};
  if (shape->element_bits == 4) return {What::kFourBits};
  return {};
}

std::optional<TransposeShape> TiledTranspose(const hlo::Instruction& instruction) {
  if (WhyNoTiledTranspose(instruction).what != What::kNone) return std::nullopt;
  return NormalizedTranspose(instruction);
}

}  // namespace subfloor::dispatch
