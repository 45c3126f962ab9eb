#include "passes/canonical/canonicalize_gathers.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "passes/make.h"

namespace subfloor::passes {
namespace {

using hlo::GatherAttributes;
using hlo::Instruction;
using hlo::Opcode;
using hlo::ScatterAttributes;

std::vector<int64_t> Iota(int64_t first, int64_t count) {
  std::vector<int64_t> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return values;
}

bool Contains(const hlo::IntList& values, int64_t value) {
  return std::ranges::find(values, value) != values.end();
}

// Indices as rows: [n, k], and the sizes that n stands for.
struct Rows {
  Instruction* indices;
  std::vector<int64_t> sizes;
};

Rows MakeRows(Instruction* indices, int64_t index_vector_dim, const hlo::IntList& batching) {
  const int64_t rank = indices->shape().rank();
  std::vector<int64_t> order;
  for (int64_t d = 0; d < rank; ++d) {
    if (d != index_vector_dim) order.push_back(d);
  }
  const std::vector<int64_t> sizes = Permute(indices->shape().dimensions(), order);
  std::vector<int64_t> with_vector = sizes;
  with_vector.push_back(index_vector_dim < rank ? indices->shape().dimension(index_vector_dim) : 1);
  if (index_vector_dim < rank) {
    std::vector<int64_t> permutation = order;
    permutation.push_back(index_vector_dim);
    indices = MakeTranspose(indices, permutation);
  }
  indices = MakeReshape(indices, with_vector);
  if (!batching.empty()) {
    if (BitWidth(indices->shape().element_type()) < 32) indices = MakeConvert(indices, ElementType::kS32);
    std::vector<Instruction*> columns;
    with_vector.back() = 1;
    for (const int64_t d : batching) {
      const auto place = std::ranges::find(order, d) - order.begin();
      columns.push_back(indices->parent()->Add(Opcode::kIota,
                                               ArrayShape(indices->shape().element_type(), with_vector), {},
                                               hlo::IotaAttributes{place}));
    }
    columns.push_back(indices);
    indices = MakeConcatenate(columns, static_cast<int64_t>(sizes.size()));
  }
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  const int64_t width = indices->shape().dimensions().back();
  return {MakeReshape(indices, std::vector<int64_t>{count, width}), sizes};
}

// Where dimension i of an array comes from when the `special` ones (in order) stand last: the others in
// order, then these.
std::vector<int64_t> SpecialLast(int64_t rank, const hlo::IntList& special) {
  std::vector<int64_t> order;
  for (int64_t d = 0; d < rank; ++d) {
    if (!Contains(special, d)) order.push_back(d);
  }
  order.insert(order.end(), special.begin(), special.end());
  return order;
}

bool CanonicalizeGather(Instruction* gather) {
  const GatherAttributes& attributes = gather->As<GatherAttributes>();
  Instruction *operand = gather->operand(0), *indices = gather->operand(1);
  const int64_t rank = operand->shape().rank();
  if (indices->shape().rank() == 2 && attributes.index_vector_dim == 1 &&
      attributes.offset_dims == Iota(1, rank) && attributes.operand_batching_dims.empty()) {
    return false;
  }
  const Rows rows = MakeRows(indices, attributes.index_vector_dim, attributes.start_indices_batching_dims);
  GatherAttributes made;
  made.offset_dims = Iota(1, rank);
  made.start_index_map = attributes.operand_batching_dims;
  made.start_index_map.insert(made.start_index_map.end(), attributes.start_index_map.begin(),
                              attributes.start_index_map.end());
  made.index_vector_dim = 1;
  made.slice_sizes = attributes.slice_sizes;
  made.indices_are_sorted = attributes.indices_are_sorted && attributes.operand_batching_dims.empty();
  std::vector<int64_t> sizes = {rows.indices->shape().dimension(0)};
  sizes.insert(sizes.end(), attributes.slice_sizes.begin(), attributes.slice_sizes.end());
  Instruction* operands[] = {operand, rows.indices};
  Instruction* value =
      gather->parent()->Add(Opcode::kGather, ArrayShape(gather->shape().element_type(), sizes), operands,
                            std::move(made), {}, gather->name());
  // [n, window] -> [rows..., window without what was collapsed], then windows to their places.
  std::vector<int64_t> spread = rows.sizes;
  for (int64_t d = 0; d < rank; ++d) {
    if (!Contains(attributes.collapsed_slice_dims, d) && !Contains(attributes.operand_batching_dims, d)) {
      spread.push_back(attributes.slice_sizes[static_cast<size_t>(d)]);
    }
  }
  const std::vector<int64_t> order = SpecialLast(gather->shape().rank(), attributes.offset_dims);
  value = MakeTranspose(MakeReshape(value, spread), InversePermutation(order));
  gather->parent()->Replace(gather, value);
  return true;
}

bool CanonicalizeScatter(Instruction* scatter) {
  const ScatterAttributes& attributes = scatter->As<ScatterAttributes>();
  const int64_t arrays = scatter->operand_count() / 2;
  Instruction* indices = scatter->operand(arrays);
  const int64_t rank = scatter->operand(0)->shape().rank();
  if (indices->shape().rank() == 2 && attributes.index_vector_dim == 1 &&
      attributes.update_window_dims == Iota(1, rank) && attributes.input_batching_dims.empty()) {
    return false;
  }
  const Rows rows = MakeRows(indices, attributes.index_vector_dim, attributes.scatter_indices_batching_dims);
  ScatterAttributes made;
  made.update_window_dims = Iota(1, rank);
  made.scatter_dims_to_operand_dims = attributes.input_batching_dims;
  made.scatter_dims_to_operand_dims.insert(made.scatter_dims_to_operand_dims.end(),
                                           attributes.scatter_dims_to_operand_dims.begin(),
                                           attributes.scatter_dims_to_operand_dims.end());
  made.index_vector_dim = 1;
  made.indices_are_sorted = attributes.indices_are_sorted && attributes.input_batching_dims.empty();
  made.unique_indices = attributes.unique_indices;
  std::vector<Instruction*> operands;
  for (int64_t i = 0; i < arrays; ++i) operands.push_back(scatter->operand(i));
  operands.push_back(rows.indices);
  for (int64_t i = 0; i < arrays; ++i) {
    Instruction* updates = scatter->operand(arrays + 1 + i);
    std::vector<int64_t> window = {rows.indices->shape().dimension(0)};
    size_t next = 0;
    for (int64_t d = 0; d < rank; ++d) {
      const bool missing =
          Contains(attributes.inserted_window_dims, d) || Contains(attributes.input_batching_dims, d);
      window.push_back(missing ? 1 : updates->shape().dimension(attributes.update_window_dims[next]));
      if (!missing) ++next;
    }
    updates = MakeTranspose(updates, SpecialLast(updates->shape().rank(), attributes.update_window_dims));
    operands.push_back(MakeReshape(updates, window));
  }
  Instruction* value = scatter->parent()->Add(Opcode::kScatter, scatter->shape(), operands, std::move(made),
                                              scatter->called_computations(), scatter->name());
  if (scatter->has_annotations()) value->mutable_annotations() = scatter->annotations();
  scatter->parent()->Replace(scatter, value);
  return true;
}

bool MayTouch(const Instruction* instruction) {
  if (HasControlEdges(instruction)) return false;
  for (const Instruction* operand : instruction->operands()) {
    if (operand->shape().HasDynamicDimension() || operand->shape().element_count() == 0) return false;
  }
  return true;
}

}  // namespace

Result<bool> CanonicalizeGathers(hlo::Module& module, PassContext&) {
  bool changed = false;
  for (hlo::Computation* computation : module.computations()) {
    for (Instruction* instruction : computation->MakePostOrder()) {
      if (instruction->opcode() == Opcode::kGather && MayTouch(instruction))
        changed |= CanonicalizeGather(instruction);
      else if (instruction->opcode() == Opcode::kScatter && MayTouch(instruction))
        changed |= CanonicalizeScatter(instruction);
    }
  }
  return changed;
}

}  // namespace subfloor::passes
