#include "driver/signature.h"

#include "types/physical.h"

namespace subfloor::driver {
namespace {

std::vector<int64_t> SizesOf(std::span<const Shape> leaves) {
  std::vector<int64_t> sizes;
  for (const Shape& leaf : leaves) sizes.push_back(leaf.byte_size());
  return sizes;
}

}  // namespace

Signature::Signature(const hlo::Module& module) {
  const hlo::EntryLayout layout = module.entry_layout();
  for (const Shape& parameter : layout.parameters) {
    parameters_.push_back(parameter);
    for (const Shape* leaf : Leaves(parameter)) argument_leaves_.push_back(*leaf);
  }
  result_ = layout.result;
  for (const Shape* leaf : Leaves(layout.result)) result_leaves_.push_back(*leaf);
}

std::vector<int64_t> Signature::argument_sizes() const { return SizesOf(argument_leaves_); }
std::vector<int64_t> Signature::result_sizes() const { return SizesOf(result_leaves_); }

Status Signature::Place(std::span<const Literal> arguments,
                        std::span<const std::span<std::byte>> buffers) const {
  if (arguments.size() != parameters_.size())
    return BadInput("{} arguments for a program of {} parameters", arguments.size(), parameters_.size());
  size_t leaf = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].shape().Compatible(parameters_[i])) {
      return BadInput("argument {} is {}, the program wants {}", i, arguments[i].shape().ToString(false),
                      parameters_[i].ToString(false));
    }
    for (const Literal* literal : Leaves(arguments[i])) {
      if (literal->shape().IsArray())
        RowMajorToPhysical(argument_leaves_[leaf], literal->bytes(), buffers[leaf]);
      ++leaf;
    }
  }
  return {};
}

Result<Literal> Signature::Take(std::span<const std::span<const std::byte>> buffers) const {
  Literal result = SF_TRY(Literal::Zeros(result_));
  size_t number = 0;
  for (Literal* leaf : MutableLeaves(result)) {
    if (leaf->shape().IsArray())
      PhysicalToRowMajor(result_leaves_[number], buffers[number], leaf->mutable_bytes());
    ++number;
  }
  return result;
}

}  // namespace subfloor::driver
