// gather and scatter: windows of an array whose positions come from an index array.

#include <algorithm>
#include <unordered_map>

#include "evaluator/combiner.h"
#include "evaluator/index_space.h"
#include "evaluator/op_functions.h"

namespace subfloor::evaluator {
namespace {

// The index array, seen as a list of index vectors: one for each position in its dimensions but the index
// vector's.
class IndexVectors {
 public:
  IndexVectors(const Literal& indices, int64_t vector_dim) : indices_(indices) {
    const std::vector<int64_t> strides = RowMajorStrides(indices.shape().dimensions());
    for (int64_t d = 0; d < indices.shape().rank(); ++d) {
      if (d == vector_dim) continue;
      dims_.push_back(d);
      sizes_.push_back(indices.shape().dimension(d));
      strides_.push_back(strides[static_cast<size_t>(d)]);
    }
    // An index_vector_dim one beyond the last stands for vectors of one component.
    component_stride_ = vector_dim < indices.shape().rank() ? strides[static_cast<size_t>(vector_dim)] : 0;
  }

  std::span<const int64_t> sizes() const { return sizes_; }
  bool empty() const { return std::ranges::find(sizes_, 0) != sizes_.end(); }
  int64_t Component(std::span<const int64_t> position, size_t component) const {
    int64_t at = static_cast<int64_t>(component) * component_stride_;
    for (size_t d = 0; d < position.size(); ++d) at += position[d] * strides_[d];
    return IndexValue(indices_, at);
  }
  // The coordinate of `position` along one dimension of the index array.
  int64_t Coordinate(std::span<const int64_t> position, int64_t dim) const {
    return position[static_cast<size_t>(std::ranges::find(dims_, dim) - dims_.begin())];
  }

 private:
  const Literal& indices_;
  std::vector<int64_t> dims_, sizes_, strides_;
  int64_t component_stride_;
};

// Where a window starts: named dimensions from the index vector, batching dimensions from the position
// itself.
void WindowStart(const IndexVectors& vectors, std::span<const int64_t> position,
                 std::span<const int64_t> index_map, std::span<const int64_t> operand_batching,
                 std::span<const int64_t> indices_batching, std::span<int64_t> start) {
  std::ranges::fill(start, 0);
  for (size_t i = 0; i < index_map.size(); ++i) {
    start[static_cast<size_t>(index_map[i])] = vectors.Component(position, i);
  }
  for (size_t i = 0; i < operand_batching.size(); ++i) {
    start[static_cast<size_t>(operand_batching[i])] = vectors.Coordinate(position, indices_batching[i]);
  }
}

int64_t OffsetOf(std::span<const int64_t> a, std::span<const int64_t> b) {
  int64_t sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The strides of an array's listed dimensions.
std::vector<int64_t> StridesOf(const Shape& shape, std::span<const int64_t> dims) {
  const std::vector<int64_t> all = RowMajorStrides(shape.dimensions());
  std::vector<int64_t> strides;
  for (int64_t d : dims) strides.push_back(all[static_cast<size_t>(d)]);
  return strides;
}

}  // namespace

Result<Literal> EvaluateGather(Context& context, const hlo::Instruction& instruction, Operands operands) {
  const auto& attributes = instruction.As<hlo::GatherAttributes>();
  const Literal& source = *operands[0];
  const Shape& shape = instruction.shape();
  Literal result = SF_TRY(Literal::Zeros(shape));
  if (shape.element_count() == 0) return result;

  const IndexVectors vectors(*operands[1], attributes.index_vector_dim);
  const std::vector<int64_t> scatter_strides =
      StridesOf(shape, OtherDimensions(shape.rank(), attributes.offset_dims));
  // A window, element by element: where in the operand (from its start) and where in the result.
  const std::vector<int64_t> window_dims = OtherDimensions(
      source.shape().rank(), attributes.collapsed_slice_dims, attributes.operand_batching_dims);
  std::vector<int64_t> window_sizes;
  for (int64_t d : window_dims) window_sizes.push_back(attributes.slice_sizes[static_cast<size_t>(d)]);
  const std::vector<int64_t> from = BoxOffsets(window_sizes, StridesOf(source.shape(), window_dims));
  const std::vector<int64_t> to = BoxOffsets(window_sizes, StridesOf(shape, attributes.offset_dims));

  const std::vector<int64_t> source_strides = RowMajorStrides(source.shape().dimensions());
  const auto element_bytes = static_cast<size_t>(ByteWidth(shape.element_type()));
  const std::byte* in = source.bytes().data();
  std::byte* out = result.mutable_bytes().data();
  std::vector<int64_t> position(vectors.sizes().size(), 0);
  std::vector<int64_t> start(static_cast<size_t>(source.shape().rank()));
  do {
    WindowStart(vectors, position, attributes.start_index_map, attributes.operand_batching_dims,
                attributes.start_indices_batching_dims, start);
    for (size_t d = 0; d < start.size(); ++d) {
      start[d] = std::clamp<int64_t>(start[d], 0, source.shape().dimensions()[d] - attributes.slice_sizes[d]);
    }
    const int64_t first_in = OffsetOf(start, source_strides), first_out = OffsetOf(position, scatter_strides);
    for (size_t i = 0; i < from.size(); ++i) {
      std::copy_n(in + static_cast<size_t>(first_in + from[i]) * element_bytes, element_bytes,
                  out + static_cast<size_t>(first_out + to[i]) * element_bytes);
    }
  } while (NextIndex(position, vectors.sizes()));
  return result;
}

namespace {

/// Neighbouring elements: `count` updates from `from` on meet elements from `to` on.
struct ScatterRun {
  int64_t to, from, count;
};

/// Few updates to a large array, as in a loop that scatters one element a turn: only the elements that are
/// met are accumulated, and the array is changed in place where nothing else reads it.
Result<Literal> ScatterFew(Context& context, const hlo::Instruction& instruction, Operands operands,
                           Combiner& combiner, std::span<const ScatterRun> runs) {
  const size_t count = operands.size() / 2;
  const Operands updates = operands.subspan(count + 1);
  std::unordered_map<int64_t, int64_t> slots;  // element to accumulator
  for (const ScatterRun& run : runs) {
    for (int64_t i = 0; i < run.count; ++i) slots.try_emplace(run.to + i, static_cast<int64_t>(slots.size()));
  }
  Accumulators sums = combiner.MakeAccumulators(static_cast<int64_t>(slots.size()));
  for (size_t c = 0; c < count; ++c) {
    for (const auto& [element, slot] : slots) sums.Read(c, slot, 1, *operands[c], element);
  }
  for (const ScatterRun& run : runs) {
    for (int64_t i = 0; i < run.count; ++i) {
      SF_CHECK(combiner.FoldEach(sums, slots.at(run.to + i), updates, run.from + i, 1));
    }
  }
  std::vector<Literal> results;
  for (size_t c = 0; c < count; ++c) {
    Literal result = context.Take(operands, static_cast<int64_t>(c));
    for (const auto& [element, slot] : slots) sums.Write(c, slot, 1, result, element);
    results.push_back(std::move(result));
  }
  return count == 1 ? std::move(results[0]) : Literal::Tuple(std::move(results));
}

}  // namespace

Result<Literal> EvaluateScatter(Context& context, const hlo::Instruction& instruction, Operands operands) {
  const auto& attributes = instruction.As<hlo::ScatterAttributes>();
  const size_t count = operands.size() / 2;
  const Operands sources = operands.first(count), updates = operands.subspan(count + 1);
  const Literal& indices = *operands[count];
  const Shape& source_shape = sources[0]->shape();
  const Shape& update_shape = updates[0]->shape();

  Combiner combiner = SF_TRY(Combiner::Make(context, *instruction.called(), static_cast<int64_t>(count)));
  std::vector<ScatterRun> runs;
  const IndexVectors vectors(indices, attributes.index_vector_dim);
  const std::vector<int64_t> scatter_strides =
      StridesOf(update_shape, OtherDimensions(update_shape.rank(), attributes.update_window_dims));
  const std::vector<int64_t> window_dims =
      OtherDimensions(source_shape.rank(), attributes.inserted_window_dims, attributes.input_batching_dims);
  // The window's extent in every dimension of the operand: 1 where it is not named.
  std::vector<int64_t> extent(static_cast<size_t>(source_shape.rank()), 1);
  std::vector<int64_t> window_sizes;
  for (size_t i = 0; i < window_dims.size(); ++i) {
    window_sizes.push_back(update_shape.dimension(attributes.update_window_dims[i]));
    extent[static_cast<size_t>(window_dims[i])] = window_sizes.back();
  }
  const std::vector<int64_t> to = BoxOffsets(window_sizes, StridesOf(source_shape, window_dims));
  const std::vector<int64_t> from =
      BoxOffsets(window_sizes, StridesOf(update_shape, attributes.update_window_dims));
  const std::vector<int64_t> source_strides = RowMajorStrides(source_shape.dimensions());

  std::vector<int64_t> position(vectors.sizes().size(), 0);
  std::vector<int64_t> start(static_cast<size_t>(source_shape.rank()));
  if (!vectors.empty() && !to.empty()) {
    do {
      WindowStart(vectors, position, attributes.scatter_dims_to_operand_dims, attributes.input_batching_dims,
                  attributes.scatter_indices_batching_dims, start);
      bool inside = true;
      for (size_t d = 0; d < start.size() && inside; ++d) {
        inside = start[d] >= 0 && start[d] <= source_shape.dimensions()[d] - extent[d];
      }
      if (!inside) continue;  // no part of it is written
      const int64_t first_to = OffsetOf(start, source_strides),
                    first_from = OffsetOf(position, scatter_strides);
      for (size_t i = 0; i < to.size();) {
        size_t run = 1;  // elements that lie side by side in both
        while (i + run < to.size() && to[i + run] == to[i] + static_cast<int64_t>(run) &&
               from[i + run] == from[i] + static_cast<int64_t>(run)) {
          ++run;
        }
        runs.push_back({first_to + to[i], first_from + from[i], static_cast<int64_t>(run)});
        i += run;
      }
    } while (NextIndex(position, vectors.sizes()));
  }

  if (update_shape.element_count() < source_shape.element_count() / 4) {
    bool same_types = true;
    for (size_t c = 0; c < count; ++c) same_types &= combiner.types()[c] == sources[c]->element_type();
    if (same_types) return ScatterFew(context, instruction, operands, combiner, runs);
  }
  Accumulators sums = combiner.MakeAccumulators(source_shape.element_count());
  for (size_t c = 0; c < count; ++c) sums.Read(c, 0, sums.count(), *sources[c], 0);
  for (const ScatterRun& run : runs) SF_CHECK(combiner.FoldEach(sums, run.to, updates, run.from, run.count));

  std::vector<Literal> results;
  for (size_t c = 0; c < count; ++c) {
    const Shape& shape =
        count == 1 ? instruction.shape() : instruction.shape().tuple_shape(static_cast<int64_t>(c));
    Literal result = SF_TRY(Literal::Zeros(shape));
    sums.Write(c, 0, sums.count(), result, 0);
    results.push_back(std::move(result));
  }
  return count == 1 ? std::move(results[0]) : Literal::Tuple(std::move(results));
}

}  // namespace subfloor::evaluator
