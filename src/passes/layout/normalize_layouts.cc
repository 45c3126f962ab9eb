#include "passes/layout/normalize_layouts.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "passes/make.h"

namespace subfloor::passes {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Opcode;

constexpr int64_t kHostMemorySpace = 5;

Status CheckLayout(const Shape& shape, const Instruction* instruction) {
  for (const Shape* leaf : Leaves(shape)) {
    const Layout* layout = leaf->layout();
    if (layout == nullptr) continue;
    const auto unsupported = [&](std::string_view what) {
      auto error =
          Error(ErrorKind::kNotSupported,
                fmt::format("layout {} has {}; layouts that order dimensions, S(5) and E(n) are supported",
                            layout->ToString(), what));
      if (instruction) error.In(instruction->name());
      return std::unexpected(std::move(error));
    };
    if (layout->extras) {
      const LayoutExtras& extras = *layout->extras;
      if (!extras.tiles.empty()) return unsupported("tiles");
      if (extras.memory_space != 0 && extras.memory_space != kHostMemorySpace)
        return unsupported("a memory space");
      if (extras.tail_padding_alignment != 1) return unsupported("tail padding");
      if (extras.index_type || extras.pointer_type) return unsupported("an index or pointer type");
      if (!extras.split_configs.empty() || !extras.physical_shape.empty() ||
          extras.metadata_prefix_bytes != 0) {
        return unsupported("parts that only accelerators know");
      }
    }
    if (!layout->IsRowMajor() && leaf->HasDynamicDimension())
      return unsupported("a dynamic dimension out of order");
  }
  return {};
}

// Dimensions from the slowest varying to the fastest: the order in which they lie in a row-major array of the
// same bytes.
std::vector<int64_t> MajorToMinor(const Shape& array) {
  if (array.layout() == nullptr) {
    std::vector<int64_t> order(static_cast<size_t>(array.rank()));
    std::iota(order.begin(), order.end(), int64_t{0});
    return order;
  }
  const std::vector<int64_t>& order = array.layout()->minor_to_major;
  return {order.rbegin(), order.rend()};
}

int64_t PackedBits(const Shape& array) { return array.layout() ? array.layout()->element_bits : 0; }

bool IsNormal(const Shape& array) {
  if (!array.IsArray() || array.layout() == nullptr) return true;
  return array.layout()->IsRowMajor() && PackedBits(array) == 0 && array.layout()->extras == nullptr;
}

bool AllNormal(const Shape& shape) {
  return std::ranges::all_of(Leaves(shape), [](const Shape* leaf) { return IsNormal(*leaf); });
}

// Row-major layouts on every array, logical dimensions as they are. Nested tuples are rebuilt bottom up
// without recursion.
Shape RowMajorShape(const Shape& shape) { return shape.WithoutLayout().WithDefaultLayout(); }

// The row-major array that holds the same bytes as `array` does in its layout.
Shape PhysicalArray(const Shape& array) {
  Shape physical = array.IsArray() && !array.HasDynamicDimension()
                       ? ArrayShape(array.element_type(), Permute(array.dimensions(), MajorToMinor(array)))
                       : RowMajorShape(array);
  if (PackedBits(array) != 0) {
    Layout layout = *physical.layout();
    layout.element_bits = PackedBits(array);
    physical.set_layout(std::move(layout));
  }
  return physical;
}

// From the row-major array of the bytes to the array as the program means it, and back.
Instruction* FromPhysical(Instruction* bytes, const Shape& meant) {
  if (!meant.IsArray()) return bytes;
  if (PackedBits(meant) != 0)
    bytes = bytes->parent()->Add(Opcode::kCopy, RowMajorShape(bytes->shape()), {bytes});
  return MakeTranspose(bytes, InversePermutation(MajorToMinor(meant)));
}
Instruction* ToPhysical(Instruction* value, const Shape& meant) {
  if (!meant.IsArray()) return value;
  Instruction* bytes = MakeTranspose(value, MajorToMinor(meant));
  if (PackedBits(meant) != 0) bytes = bytes->parent()->Add(Opcode::kCopy, PhysicalArray(meant), {bytes});
  return bytes;
}

// Applies `convert` to every array leaf of `value`, whose leaves `meant` describes, and puts the tuple
// together again. Works level by level: nodes of the tuple tree in breadth-first order, children after their
// parents.
Instruction* ConvertLeaves(Instruction* value, const Shape& meant,
                           Instruction* (*convert)(Instruction*, const Shape&)) {
  struct Node {
    Instruction* value;
    const Shape* meant;
    size_t first_child = 0;
  };
  std::vector<Node> nodes = {{value, &meant}};
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].meant->IsTuple()) continue;
    nodes[i].first_child = nodes.size();
    for (int64_t k = 0; k < nodes[i].meant->tuple_size(); ++k) {
      nodes.push_back({MakeGetTupleElement(nodes[i].value, k), &nodes[i].meant->tuple_shape(k)});
    }
  }
  for (size_t i = nodes.size(); i-- > 0;) {
    Node& node = nodes[i];
    if (!node.meant->IsTuple()) {
      node.value = convert(node.value, *node.meant);
      continue;
    }
    std::vector<Instruction*> elements;
    for (int64_t k = 0; k < node.meant->tuple_size(); ++k)
      elements.push_back(nodes[node.first_child + static_cast<size_t>(k)].value);
    node.value = MakeTuple(value->parent(), elements);
  }
  return nodes[0].value;
}

// The shape with each array leaf replaced by the row-major array of its bytes.
Shape PhysicalShape(const Shape& shape) {
  struct Node {
    const Shape* shape;
    size_t first_child = 0;
    Shape result;
  };
  std::vector<Node> nodes = {{&shape, 0, {}}};
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].shape->IsTuple()) continue;
    nodes[i].first_child = nodes.size();
    for (const Shape& element : nodes[i].shape->tuple_shapes()) nodes.push_back({&element, 0, {}});
  }
  for (size_t i = nodes.size(); i-- > 0;) {
    Node& node = nodes[i];
    if (!node.shape->IsTuple()) {
      node.result = node.shape->IsArray() ? PhysicalArray(*node.shape) : *node.shape;
      continue;
    }
    std::vector<Shape> elements;
    for (int64_t k = 0; k < node.shape->tuple_size(); ++k) {
      elements.push_back(std::move(nodes[node.first_child + static_cast<size_t>(k)].result));
    }
    node.result = Shape::Tuple(std::move(elements));
  }
  return nodes[0].result;
}

// `bitcast`: the operand's bytes under another shape. What it reads and gives is described by the shapes as
// written.
Result<Instruction*> Reinterpret(Instruction* operand, const Shape& from, const Shape& to) {
  if (!from.IsArray() || !to.IsArray() || from.HasDynamicDimension() || to.HasDynamicDimension()) {
    return NotSupported("bitcast from {} to {}; static arrays would work", from.ToString(), to.ToString());
  }
  if (PackedBits(from) != PackedBits(to)) {
    return NotSupported("bitcast from {} to {} changes how elements are packed; equal packing would work",
                        from.ToString(), to.ToString());
  }
  Instruction* bytes = MakeTranspose(operand, MajorToMinor(from));
  const int64_t from_width = ByteWidth(from.element_type()), to_width = ByteWidth(to.element_type());
  if (from.element_type() != to.element_type()) {
    // One dimension, split or joined by the ratio of the widths as bitcast-convert does it.
    const int64_t count = from.element_count();
    Shape converted;
    if (from_width == to_width) {
      converted = ArrayShape(to.element_type(), bytes->shape().dimensions());
    } else if (from_width > to_width) {
      bytes = MakeReshape(bytes, std::vector<int64_t>{count});
      converted = ArrayShape(to.element_type(), std::vector<int64_t>{count, from_width / to_width});
    } else {
      const int64_t ratio = to_width / from_width;
      if (count % ratio != 0)
        return BadInput("bitcast from {} to {} cuts an element", from.ToString(), to.ToString());
      bytes = MakeReshape(bytes, std::vector<int64_t>{count / ratio, ratio});
      converted = ArrayShape(to.element_type(), std::vector<int64_t>{count / ratio});
    }
    bytes = bytes->parent()->Add(Opcode::kBitcastConvert, converted, {bytes});
  }
  const int64_t have = bytes->shape().element_count(), want = to.element_count();
  if (have < want)
    return BadInput("bitcast from {} to {} reads beyond its operand", from.ToString(), to.ToString());
  if (have > want) {
    bytes = MakeReshape(bytes, std::vector<int64_t>{have});
    bytes = MakeSlice(bytes, {{0, want, 1}});
  }
  bytes = MakeReshape(bytes, Permute(to.dimensions(), MajorToMinor(to)));
  return MakeTranspose(bytes, InversePermutation(MajorToMinor(to)));
}

class Normalizer {
 public:
  explicit Normalizer(hlo::Module& module) : module_(module) {}

  Result<bool> Run() {
    SF_CHECK(Check());
    FixEntryLayout();
    for (Computation* computation : module_.computations()) SF_CHECK(NormalizeComputation(*computation));
    NormalizeResult();
    if (module_.header().is_scheduled) {
      module_.header().is_scheduled = false;
      changed_ = true;
    }
    return changed_;
  }

 private:
  Status Check() {
    for (const Computation* computation : module_.computations()) {
      for (const Instruction* instruction : computation->instructions()) {
        SF_CHECK(CheckLayout(instruction->shape(), instruction));
        const bool seen_outside =
            instruction->opcode() == Opcode::kInfeed || instruction->opcode() == Opcode::kOutfeed;
        if (seen_outside && !AllNormal(instruction->shape())) {
          auto error = Error(ErrorKind::kNotSupported, "infeed and outfeed take row-major arrays only");
          return std::unexpected(std::move(error.In(instruction->name())));
        }
      }
    }
    if (const auto& layout = module_.header().entry_layout) {
      for (const Shape& shape : layout->parameters) SF_CHECK(CheckLayout(shape, nullptr));
      SF_CHECK(CheckLayout(layout->result, nullptr));
    }
    return {};
  }

  // What callers see is written down before the shapes that it would be read from change.
  void FixEntryLayout() {
    entry_layout_ = module_.entry_layout();
    bool normal = AllNormal(entry_layout_.result);
    for (const Shape& shape : entry_layout_.parameters) normal &= AllNormal(shape);
    if (!normal && !module_.header().entry_layout) module_.header().entry_layout = entry_layout_;
  }

  // A bitcast or a custom call with the shapes as written, which decide what its bytes mean.
  struct Written {
    Instruction* instruction;
    std::vector<Shape> operands;
    Shape result;
  };

  Status NormalizeComputation(Computation& computation) {
    const std::vector<Instruction*> order = computation.MakePostOrder();
    std::vector<Written> written;
    for (Instruction* instruction : order) {
      if (instruction->opcode() != Opcode::kBitcast && instruction->opcode() != Opcode::kCustomCall) continue;
      Written& entry = written.emplace_back(instruction, std::vector<Shape>(), instruction->shape());
      for (const Instruction* operand : instruction->operands()) entry.operands.push_back(operand->shape());
    }
    for (Instruction* instruction : order) {
      Shape shape = RowMajorShape(instruction->shape());
      if (shape != instruction->shape()) SetShape(instruction, std::move(shape));
    }
    if (computation.IsEntry()) NormalizeParameters(computation);
    for (const Written& entry : written) {
      Status done = entry.instruction->opcode() == Opcode::kBitcast ? ReplaceBitcast(entry)
                                                                    : NormalizeCustomCall(entry);
      if (!done) return std::unexpected(std::move(done.error().In(entry.instruction->name())));
    }
    return {};
  }

  Status ReplaceBitcast(const Written& entry) {
    Instruction* bitcast = entry.instruction;
    Instruction* value = SF_TRY(Reinterpret(bitcast->operand(0), entry.operands[0], entry.result));
    const std::vector<Instruction*> before(bitcast->control_predecessors().begin(),
                                           bitcast->control_predecessors().end());
    const std::vector<Instruction*> after(bitcast->control_successors().begin(),
                                          bitcast->control_successors().end());
    bitcast->ReplaceAllUsesWith(value);
    bitcast->parent()->Remove(bitcast);
    // What waited for the bytes waits for the value; what the bitcast waited for has come before its operand
    // or does not matter.
    for (Instruction* successor : after) value->AddControlSuccessor(successor);
    for (Instruction* predecessor : before) {
      for (Instruction* successor : after) predecessor->AddControlSuccessor(successor);
    }
    changed_ = true;
    return {};
  }

  void SetShape(Instruction* instruction, Shape shape) {
    instruction->mutable_shape() = shape;
    if (instruction->IsConstant())
      instruction->MutableAs<hlo::ConstantAttributes>().literal.set_shape_layout(shape);
    changed_ = true;
  }

  void NormalizeParameters(Computation& entry) {
    for (int64_t i = 0; i < entry.parameter_count(); ++i) {
      Instruction* parameter = entry.parameter(i);
      const Shape& seen = entry_layout_.parameters[static_cast<size_t>(i)];
      if (parameter == nullptr || AllNormal(seen)) continue;
      // Users are moved to what stands for the value; the parameter itself then takes the shape of the bytes.
      const std::vector<hlo::Use> uses(parameter->uses().begin(), parameter->uses().end());
      const bool was_root = parameter->IsRoot();
      parameter->mutable_shape() = PhysicalShape(seen);
      Instruction* value = ConvertLeaves(parameter, seen, FromPhysical);
      for (const hlo::Use& use : uses) use.user->ReplaceOperand(use.operand_index, value);
      if (was_root) entry.set_root(value);
      changed_ = true;
    }
  }

  void NormalizeResult() {
    if (AllNormal(entry_layout_.result)) return;
    Computation* entry = module_.entry();
    entry->set_root(ConvertLeaves(entry->root(), entry_layout_.result, ToPhysical));
    changed_ = true;
  }

  // The call sees bytes: operands and results are turned into the row-major arrays that hold what it was
  // promised.
  Status NormalizeCustomCall(const Written& entry) {
    Instruction* call = entry.instruction;
    auto& attributes = call->MutableAs<hlo::CustomCallAttributes>();
    auto& constraints = attributes.operand_layout_constraints;
    for (int64_t i = 0; i < call->operand_count(); ++i) {
      const auto k = static_cast<size_t>(i);
      const bool constrained = attributes.has_operand_layout_constraints && k < constraints.size();
      const Shape seen = constrained ? constraints[k] : entry.operands[k];
      if (AllNormal(seen)) continue;
      SF_CHECK(CheckLayout(seen, call));
      call->ReplaceOperand(i, ConvertLeaves(call->operand(i), seen, ToPhysical));
      if (constrained) constraints[k] = PhysicalShape(seen);
      changed_ = true;
    }
    if (AllNormal(entry.result)) return {};
    const std::vector<hlo::Use> uses(call->uses().begin(), call->uses().end());
    const bool was_root = call->IsRoot();
    call->mutable_shape() = PhysicalShape(entry.result);
    Instruction* value = ConvertLeaves(call, entry.result, FromPhysical);
    for (const hlo::Use& use : uses) use.user->ReplaceOperand(use.operand_index, value);
    if (was_root) call->parent()->set_root(value);
    changed_ = true;
    return {};
  }

  hlo::Module& module_;
  hlo::EntryLayout entry_layout_;
  bool changed_ = false;
};

}  // namespace

Result<bool> NormalizeLayouts(hlo::Module& module, PassContext&) { return Normalizer(module).Run(); }

}  // namespace subfloor::passes
