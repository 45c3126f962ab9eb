#include "passes/layout/drop_packing.h"

#include <algorithm>
#include <vector>

namespace subfloor::passes {
namespace {

bool HasPacking(const Shape& shape) {
  const std::vector<const Shape*> leaves = Leaves(shape);
  return std::ranges::any_of(
      leaves, [](const Shape* leaf) { return leaf->layout() && leaf->layout()->element_bits != 0; });
}

// Whether there was something to drop.
bool Drop(Shape& shape) {
  if (!HasPacking(shape)) return false;
  shape = shape.WithoutPacking();
  return true;
}

}  // namespace

Result<bool> DropPacking(hlo::Module& module, PassContext&) {
  bool changed = false;
  for (hlo::Computation* computation : module.computations()) {
    for (hlo::Instruction* instruction : computation->instructions()) {
      if (HasPacking(instruction->shape())) changed |= Drop(instruction->mutable_shape());
    }
  }
  if (auto& layout = module.header().entry_layout) {
    for (Shape& parameter : layout->parameters) changed |= Drop(parameter);
    changed |= Drop(layout->result);
  }
  return changed;
}

}  // namespace subfloor::passes
