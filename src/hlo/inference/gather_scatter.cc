#include <algorithm>

#include "hlo/inference/rules.h"

/// gather and scatter.
namespace subfloor::hlo::inference {
namespace {

bool Contains(const IntList& list, int64_t value) { return std::ranges::find(list, value) != list.end(); }

// What both share: how a vector of indices names a place in the operand.
struct IndexNumbers {
  std::string_view map_name, collapsed_name, batching_name, indices_batching_name;
  const IntList& map;        // operand dimension of each component of the index vector
  const IntList& collapsed;  // operand dimensions that the window lacks
  const IntList& batching;   // operand dimensions that go with one of the indices' own
  const IntList& indices_batching;
  int64_t index_vector_dim;
};

Status CheckIndexNumbers(const OpView& op, const IndexNumbers& n, const Shape& operand,
                         const Shape& indices) {
  if (!IsIntegral(indices.element_type())) {
    return BadInput("the indices of {} are {}; it wants integers", op.name(), indices.ToString(false));
  }
  if (n.index_vector_dim < 0 || n.index_vector_dim > indices.rank()) {
    return BadInput("index_vector_dim of {} is {}; the indices are {}, so 0 to {} work", op.name(),
                    n.index_vector_dim, indices.ToString(false), indices.rank());
  }
  const int64_t components = n.index_vector_dim == indices.rank() ? 1 : indices.dimension(n.index_vector_dim);
  if (components >= 0 && static_cast<int64_t>(n.map.size()) != components) {
    return BadInput("{} of {} has {} dimensions; the index vectors have {}", n.map_name, op.name(),
                    n.map.size(), components);
  }
  SF_CHECK(WantDimensions(op, n.map_name, n.map, operand.rank()));
  SF_CHECK(WantDimensions(op, n.collapsed_name, n.collapsed, operand.rank(), /*sorted=*/true));
  SF_CHECK(WantDimensions(op, n.batching_name, n.batching, operand.rank(), /*sorted=*/true));
  SF_CHECK(WantDimensions(op, n.indices_batching_name, n.indices_batching, indices.rank()));
  SF_CHECK(WantSameSize(op, fmt::format("{} and {}", n.batching_name, n.indices_batching_name), n.batching,
                        n.indices_batching));
  for (int64_t d : n.batching) {
    if (Contains(n.collapsed, d) || Contains(n.map, d)) {
      return BadInput("{} of {} names dimension {}, which {} or {} names too", n.batching_name, op.name(), d,
                      n.collapsed_name, n.map_name);
    }
  }
  for (size_t i = 0; i < n.batching.size(); ++i) {
    const int64_t d = n.indices_batching[i];
    if (d == n.index_vector_dim) {
      return BadInput("{} of {} names dimension {}, which is index_vector_dim", n.indices_batching_name,
                      op.name(), d);
    }
    if (!SizesAgree(indices.dimension(d), operand.dimension(n.batching[i]))) {
      return BadInput(
          "batching dimension {} of {} meets dimension {} of the indices {}; the sizes must be equal",
          n.batching[i], operand.ToString(false), d, indices.ToString(false));
    }
  }
  return {};
}

// The dimensions of the indices but for the index vector's.
std::vector<int64_t> IndexDims(const Shape& indices, int64_t index_vector_dim) {
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < indices.rank(); ++d) {
    if (d != index_vector_dim) dims.push_back(d);
  }
  return dims;
}

}  // namespace

Result<Shape> InferGather(const OpView& op) {
  SF_CHECK(WantOperands(op, 2, 2));
  SF_CHECK(WantArrays(op));
  const auto& gather = op.As<GatherAttributes>();
  const Shape& operand = op.operand(0);
  const Shape& indices = op.operand(1);
  SF_CHECK(CheckIndexNumbers(
      op,
      {"start_index_map", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims",
       gather.start_index_map, gather.collapsed_slice_dims, gather.operand_batching_dims,
       gather.start_indices_batching_dims, gather.index_vector_dim},
      operand, indices));
  const auto rank = static_cast<size_t>(operand.rank());
  if (gather.slice_sizes.size() != rank) {
    return BadInput("gather has {} slice_sizes; operand 0 is {} and wants {}", gather.slice_sizes.size(),
                    operand.ToString(false), rank);
  }
  if (gather.offset_dims.size() + gather.collapsed_slice_dims.size() + gather.operand_batching_dims.size() !=
      rank) {
    return BadInput(
        "gather has {} offset, {} collapsed and {} batching dimensions; operand 0 is {} and wants {} in all",
        gather.offset_dims.size(), gather.collapsed_slice_dims.size(), gather.operand_batching_dims.size(),
        operand.ToString(false), rank);
  }
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const int64_t size = gather.slice_sizes[static_cast<size_t>(d)];
    const bool dropped =
        Contains(gather.collapsed_slice_dims, d) || Contains(gather.operand_batching_dims, d);
    if (size < 0 || (operand.dimension(d) >= 0 && size > operand.dimension(d)) || (dropped && size > 1)) {
      return BadInput("slice_sizes of gather takes {} of dimension {} of {}{}", size, d,
                      operand.ToString(false),
                      dropped ? "; collapsed and batching dimensions want 1 at most" : "");
    }
  }
  const std::vector<int64_t> index_dims = IndexDims(indices, gather.index_vector_dim);
  const auto result_rank = static_cast<int64_t>(index_dims.size() + gather.offset_dims.size());
  SF_CHECK(WantDimensions(op, "offset_dims", gather.offset_dims, result_rank, /*sorted=*/true));
  Dims dims;
  size_t next_index = 0;
  int64_t next_window = 0;
  for (int64_t d = 0; d < result_rank; ++d) {
    if (!Contains(gather.offset_dims, d)) {
      dims.AddFrom(indices, index_dims[next_index++]);
      continue;
    }
    while (Contains(gather.collapsed_slice_dims, next_window) ||
           Contains(gather.operand_batching_dims, next_window)) {
      ++next_window;
    }
    const int64_t size = gather.slice_sizes[static_cast<size_t>(next_window)];
    dims.Add(size, operand.IsDynamic(next_window) && size == operand.dimension(next_window));
    ++next_window;
  }
  return dims.Make(operand.element_type());
}

Result<Shape> InferScatter(const OpView& op) {
  const size_t count = op.operand_count();
  if (count < 3 || count % 2 == 0) {
    return BadInput("scatter has {} operands; it wants inputs, indices and as many updates", count);
  }
  SF_CHECK(WantCalled(op, 1));
  SF_CHECK(WantArrays(op));
  const auto& scatter = op.As<ScatterAttributes>();
  const size_t n = count / 2;
  const Shape& operand = op.operand(0);
  const Shape& indices = op.operand(n);
  SF_CHECK(CheckIndexNumbers(
      op,
      {"scatter_dims_to_operand_dims", "inserted_window_dims", "input_batching_dims",
       "scatter_indices_batching_dims", scatter.scatter_dims_to_operand_dims, scatter.inserted_window_dims,
       scatter.input_batching_dims, scatter.scatter_indices_batching_dims, scatter.index_vector_dim},
      operand, indices));
  const auto rank = static_cast<size_t>(operand.rank());
  if (scatter.update_window_dims.size() + scatter.inserted_window_dims.size() +
          scatter.input_batching_dims.size() !=
      rank) {
    return BadInput(
        "scatter has {} window, {} inserted and {} batching dimensions; operand 0 is {} and wants {} in all",
        scatter.update_window_dims.size(), scatter.inserted_window_dims.size(),
        scatter.input_batching_dims.size(), operand.ToString(false), rank);
  }
  const std::vector<int64_t> index_dims = IndexDims(indices, scatter.index_vector_dim);
  const auto update_rank = static_cast<int64_t>(index_dims.size() + scatter.update_window_dims.size());
  SF_CHECK(
      WantDimensions(op, "update_window_dims", scatter.update_window_dims, update_rank, /*sorted=*/true));
  std::vector<ElementType> types, inits;
  std::vector<Shape> results;
  for (size_t i = 0; i < n; ++i) {
    const Shape& input = op.operand(i);
    const Shape& update = op.operand(n + 1 + i);
    if (!DimensionsAgree(input, operand)) {
      return BadInput("operand {} is {} but operand 0 is {}; scatter wants inputs of equal sizes", i,
                      input.ToString(false), operand.ToString(false));
    }
    if (update.rank() != update_rank) {
      return WrongOperand(op, n + 1 + i, fmt::format("updates of {} dimensions there", update_rank));
    }
    size_t next_index = 0;
    int64_t next_window = 0;
    for (int64_t d = 0; d < update_rank; ++d) {
      if (!Contains(scatter.update_window_dims, d)) {
        const int64_t of_indices = index_dims[next_index++];
        if (!SizesAgree(update.dimension(d), indices.dimension(of_indices))) {
          return BadInput(
              "dimension {} of the updates {} meets dimension {} of the indices {}; the sizes must be equal",
              d, update.ToString(false), of_indices, indices.ToString(false));
        }
        continue;
      }
      while (Contains(scatter.inserted_window_dims, next_window) ||
             Contains(scatter.input_batching_dims, next_window)) {
        ++next_window;
      }
      if (input.dimension(next_window) >= 0 && update.dimension(d) > input.dimension(next_window)) {
        return BadInput("dimension {} of the updates {} is larger than dimension {} of {}", d,
                        update.ToString(false), next_window, input.ToString(false));
      }
      ++next_window;
    }
    types.push_back(input.element_type());
    inits.push_back(update.element_type());
    results.push_back(Retyped(input, input.element_type()));
  }
  SF_CHECK(ReducerTypes(op, *op.called[0], types, inits));
  return OneOrTuple(std::move(results));
}

}  // namespace subfloor::hlo::inference
