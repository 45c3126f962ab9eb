// sort and topk.

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "evaluator/index_space.h"
#include "evaluator/op_functions.h"
#include "evaluator/scalar_function.h"
#include "types/narrow.h"

namespace subfloor::evaluator {
namespace {

// Answers whether one entry comes before another, for many pairs at once.
class Comparator {
 public:
  // Entries are linear indices into the operands, which must outlive this.
  Comparator(Context& context, const hlo::Computation& computation, Operands operands)
      : one_by_one_(context, computation), program_(ScalarProgram::Compile(computation)) {
    for (const Literal* operand : operands) {
      arguments_.insert(arguments_.end(), {operand, operand});
      if (!program_) continue;
      const WideKind kind = WideKindOf(operand->element_type());
      const int64_t count = operand->shape().element_count();
      sizes_.push_back(static_cast<size_t>(WideSize(kind)));
      wide_.emplace_back(sizes_.back() * static_cast<size_t>(count));
      LoadAs(kind, operand->element_type(), operand->bytes().data(), 0, count, wide_.back().data());
    }
    indices_.resize(arguments_.size());
  }

  struct Question {
    int64_t first, second;
    bool answer;
  };
  Status Answer(std::span<Question> questions) {
    if (!program_) {
      for (Question& question : questions) {
        for (size_t i = 0; i < indices_.size(); i += 2)
          indices_[i] = question.first, indices_[i + 1] = question.second;
        question.answer = SF_TRY(one_by_one_(arguments_, indices_));
      }
      return {};
    }
    for (size_t start = 0; start < questions.size(); start += ScalarProgram::kWidth) {
      const size_t count = std::min<size_t>(ScalarProgram::kWidth, questions.size() - start);
      for (size_t operand = 0; operand < wide_.size(); ++operand) {
        const std::byte* values = wide_[operand].data();
        auto* first = static_cast<std::byte*>(program_->parameter(static_cast<int64_t>(2 * operand)));
        auto* second = static_cast<std::byte*>(program_->parameter(static_cast<int64_t>(2 * operand + 1)));
        const size_t size = sizes_[operand];
        for (size_t i = 0; i < count; ++i) {
          const Question& question = questions[start + i];
          std::copy_n(values + static_cast<size_t>(question.first) * size, size, first + i * size);
          std::copy_n(values + static_cast<size_t>(question.second) * size, size, second + i * size);
        }
      }
      program_->Run(static_cast<int64_t>(count));
      const auto* answers = program_->result_as<int64_t>(0);
      for (size_t i = 0; i < count; ++i) questions[start + i].answer = answers[i] != 0;
    }
    return {};
  }

 private:
  Predicate one_by_one_;
  std::optional<ScalarProgram> program_;
  std::vector<const Literal*> arguments_;
  std::vector<int64_t> indices_;
  std::vector<size_t> sizes_;                 // of a wide value, by operand
  std::vector<std::vector<std::byte>> wide_;  // every operand, widened
};

// A stable merge sort of each run of `length` entries. The merges of one level are independent and go on side
// by side, a question each at a time. Any answers, consistent or not, give a permutation: a merge takes each
// entry exactly once.
Status MergeSort(std::vector<int64_t>& entries, size_t length, Comparator& comparator) {
  struct Merge {
    size_t left, middle, right, end, to;
  };
  std::vector<int64_t> merged(entries.size());
  std::vector<Merge> merges;
  std::vector<Comparator::Question> questions;
  for (size_t width = 1; width < length; width *= 2) {
    merges.clear();
    for (size_t line = 0; line < entries.size(); line += length) {
      for (size_t begin = line; begin < line + length; begin += 2 * width) {
        const size_t middle = std::min(begin + width, line + length);
        merges.push_back({begin, middle, middle, std::min(begin + 2 * width, line + length), begin});
      }
    }
    constexpr size_t kSideBySide = 1024;
    for (size_t start = 0; start < merges.size(); start += kSideBySide) {
      const std::span<Merge> batch =
          std::span(merges).subspan(start, std::min(kSideBySide, merges.size() - start));
      size_t live = batch.size();
      while (live > 0) {
        questions.clear();
        // Merges with a side used up are finished by copying the other and leave the batch.
        for (size_t i = 0; i < live;) {
          Merge& merge = batch[i];
          if (merge.left < merge.middle && merge.right < merge.end) {
            questions.push_back({entries[merge.right], entries[merge.left], false});
            ++i;
            continue;
          }
          while (merge.left < merge.middle) merged[merge.to++] = entries[merge.left++];
          while (merge.right < merge.end) merged[merge.to++] = entries[merge.right++];
          std::swap(merge, batch[--live]);
        }
        SF_CHECK(comparator.Answer(questions));
        for (size_t i = 0; i < live; ++i) {
          // The right one goes first only if it is less: equal entries keep their order.
          Merge& merge = batch[i];
          merged[merge.to++] = entries[questions[i].answer ? merge.right++ : merge.left++];
        }
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

  const int64_t length = shape.dimension(dim);
  const int64_t stride = RowMajorStrides(shape.dimensions())[static_cast<size_t>(dim)];
  // Where the sorted elements go: line after line along the dimension.
  std::vector<int64_t> places;
  for (int64_t line :
       OffsetsOver(shape, OtherDimensions(shape.rank(), instruction.As<hlo::SortAttributes>().dimensions))) {
    for (int64_t i = 0; i < length; ++i) places.push_back(line + i * stride);
  }
  std::vector<int64_t> entries = places;
  Comparator comparator(context, *instruction.called(), operands);
  SF_CHECK(MergeSort(entries, static_cast<size_t>(length), comparator));
  for (size_t operand = 0; operand < operands.size(); ++operand) {
    const auto size = static_cast<size_t>(ByteWidth(operands[operand]->element_type()));
    const std::byte* in = operands[operand]->bytes().data();
    std::byte* out = results[operand].mutable_bytes().data();
    for (size_t i = 0; i < places.size(); ++i) {
      std::copy_n(in + static_cast<size_t>(entries[i]) * size, size,
                  out + static_cast<size_t>(places[i]) * size);
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
  std::vector<std::pair<TotalOrderKey, int64_t>> entries(static_cast<size_t>(length));
  for (int64_t line = 0; line < lines; ++line) {
    for (int64_t i = 0; i < length; ++i) {
      entries[static_cast<size_t>(i)] = {KeyOf(type, GetBits(operand, line * length + i)), i};
    }
    // Of equal elements the one with the lower index comes first.
    std::ranges::sort(entries, [&](const auto& a, const auto& b) {
      if (a.first < b.first) return !attributes.largest;
      if (b.first < a.first) return attributes.largest;
      return a.second < b.second;
    });
    for (int64_t i = 0; i < attributes.k; ++i) {
      const int64_t from = entries[static_cast<size_t>(i)].second, to = line * attributes.k + i;
      SetBits(values, to, GetBits(operand, line * length + from));
      SetFromInt(positions, to, from);
    }
  }
  return Literal::Tuple({std::move(values), std::move(positions)});
}

}  // namespace subfloor::evaluator
