// sort and topk.

#include <algorithm>
#include <bit>
#include <numeric>

#include "evaluator/index_space.h"
#include "evaluator/op_functions.h"
#include "evaluator/scalar_function.h"
#include "types/narrow.h"

namespace subfloor::evaluator {
namespace {

// A stable merge sort that asks `less` for two entries at a time. Any answers, consistent or not, give a
// permutation: the merge takes each entry exactly once.
template <typename Less>
Status MergeSort(std::vector<int64_t>& entries, Less&& less) {
  std::vector<int64_t> merged(entries.size());
  for (size_t width = 1; width < entries.size(); width *= 2) {
    for (size_t begin = 0; begin < entries.size(); begin += 2 * width) {
      const size_t middle = std::min(begin + width, entries.size()),
                   end = std::min(begin + 2 * width, entries.size());
      size_t left = begin, right = middle;
      for (size_t to = begin; to < end; ++to) {
        // The right one goes first only if it is less: equal entries keep their order.
        bool take_right = left == middle;
        if (left < middle && right < end) take_right = SF_TRY(less(entries[right], entries[left]));
        merged[to] = take_right ? entries[right++] : entries[left++];
      }
    }
    entries.swap(merged);
  }
  return {};
}

// An integer that orders like totalOrder for floats, like the value for integers.
struct TotalOrderKey {
  bool is_unsigned64;
  int64_t value;
  bool operator<(const TotalOrderKey& other) const {
    if (is_unsigned64) return static_cast<uint64_t>(value) < static_cast<uint64_t>(other.value);
    return value < other.value;
  }
};

TotalOrderKey KeyOf(ElementType type, uint64_t bits) {
  if (!IsFloat(type)) return {type == ElementType::kU64, ToInt(type, bits)};
  const auto wide = std::bit_cast<int64_t>(ToDouble(type, bits));
  // Sign and magnitude to two's complement.
  return {false, wide >= 0 ? wide : static_cast<int64_t>(~static_cast<uint64_t>(wide) | uint64_t{1} << 63)};
}

}  // namespace

Result<Literal> EvaluateSort(Context& context, const hlo::Instruction& instruction, Operands operands) {
  const int64_t dim = instruction.As<hlo::SortAttributes>().dimensions[0];
  const Shape& shape = operands[0]->shape();
  std::vector<Literal> results;
  for (const Literal* operand : operands) results.push_back(SF_TRY(Literal::Zeros(operand->shape())));

  Predicate comparator(context, *instruction.called());
  // The comparator takes both entries of each operand in turn.
  std::vector<const Literal*> arguments;
  for (const Literal* operand : operands) arguments.insert(arguments.end(), {operand, operand});
  std::vector<int64_t> indices(arguments.size());

  const int64_t length = shape.dimension(dim);
  const int64_t stride = RowMajorStrides(shape.dimensions())[static_cast<size_t>(dim)];
  std::vector<int64_t> entries(static_cast<size_t>(length));
  for (int64_t line :
       OffsetsOver(shape, OtherDimensions(shape.rank(), instruction.As<hlo::SortAttributes>().dimensions))) {
    for (int64_t i = 0; i < length; ++i) entries[static_cast<size_t>(i)] = line + i * stride;
    SF_CHECK(MergeSort(entries, [&](int64_t a, int64_t b) -> Result<bool> {
      for (size_t i = 0; i < indices.size(); i += 2) indices[i] = a, indices[i + 1] = b;
      return comparator(arguments, indices);
    }));
    for (size_t operand = 0; operand < operands.size(); ++operand) {
      const auto size = static_cast<size_t>(ByteWidth(operands[operand]->element_type()));
      const std::byte* in = operands[operand]->bytes().data();
      std::byte* out = results[operand].mutable_bytes().data();
      for (int64_t i = 0; i < length; ++i) {
        std::copy_n(in + static_cast<size_t>(entries[static_cast<size_t>(i)]) * size, size,
                    out + static_cast<size_t>(line + i * stride) * size);
      }
    }
  }
  return results.size() == 1 ? std::move(results[0]) : Literal::Tuple(std::move(results));
}

Result<Literal> EvaluateTopK(Context& context, const hlo::Instruction& instruction, Operands operands) {
  const auto& attributes = instruction.As<hlo::TopKAttributes>();
  const Literal& operand = *operands[0];
  const ElementType type = operand.element_type();
  if (IsComplex(type)) return BadInput("topk of {}; complex numbers have no order", ToString(type));
  Literal values = SF_TRY(Literal::Zeros(instruction.shape().tuple_shape(0)));
  Literal positions = SF_TRY(Literal::Zeros(instruction.shape().tuple_shape(1)));
  const int64_t length = operand.shape().dimension(operand.shape().rank() - 1);
  if (attributes.k < 0 || attributes.k > length) {
    return BadInput("topk of {} out of {} elements", attributes.k, length);
  }
  const int64_t lines = length == 0 ? 0 : operand.shape().element_count() / length;
  std::vector<int64_t> entries(static_cast<size_t>(length));
  for (int64_t line = 0; line < lines; ++line) {
    std::iota(entries.begin(), entries.end(), 0);
    // Equal elements keep their order, so that the lower index comes first.
    SF_CHECK(MergeSort(entries, [&](int64_t a, int64_t b) -> Result<bool> {
      const TotalOrderKey first = KeyOf(type, GetBits(operand, line * length + a));
      const TotalOrderKey second = KeyOf(type, GetBits(operand, line * length + b));
      return attributes.largest ? second < first : first < second;
    }));
    for (int64_t i = 0; i < attributes.k; ++i) {
      const int64_t from = entries[static_cast<size_t>(i)], to = line * attributes.k + i;
      SetBits(values, to, GetBits(operand, line * length + from));
      SetFromInt(positions, to, from);
    }
  }
  return Literal::Tuple({std::move(values), std::move(positions)});
}

}  // namespace subfloor::evaluator
