#include "types/shape.h"

#include <algorithm>
#include <numeric>

namespace subfloor {
namespace {

// Product of the sizes times the element's bytes if it fits an int64, else -1. Unbounded sizes count as 0.
int64_t CheckedElementCount(ElementType type, std::span<const int64_t> dimensions) {
  __int128 count = 1;
  constexpr __int128 kLimit = std::numeric_limits<int64_t>::max();
  // A zero anywhere makes the array empty, but its other sizes must still multiply safely for strides.
  bool empty = false;
  for (int64_t size : dimensions) {
    if (size <= 0) {
      empty = true;
      continue;
    }
    count *= size;
    if (count * std::max(1, ByteWidth(type)) > kLimit) return -1;
  }
  return empty ? 0 : static_cast<int64_t>(count);
}

}  // namespace

Layout Layout::RowMajor(int64_t rank) {
  Layout layout;
  layout.minor_to_major.resize(static_cast<size_t>(rank));
  for (int64_t i = 0; i < rank; ++i) layout.minor_to_major[static_cast<size_t>(i)] = rank - 1 - i;
  return layout;
}

bool Layout::IsRowMajor() const {
  const auto rank = static_cast<int64_t>(minor_to_major.size());
  for (int64_t i = 0; i < rank; ++i) {
    if (minor_to_major[static_cast<size_t>(i)] != rank - 1 - i) return false;
  }
  return true;
}

bool Layout::operator==(const Layout& other) const {
  if (minor_to_major != other.minor_to_major || element_bits != other.element_bits) return false;
  static const LayoutExtras kNone;
  return (extras ? *extras : kNone) == (other.extras ? *other.extras : kNone);
}

std::string Layout::ToString() const {
  std::string text = fmt::format("{{{}", fmt::join(minor_to_major, ","));
  std::string rest;
  if (extras) {
    for (const auto& tile : extras->tiles) {
      rest += rest.empty() ? "T(" : "(";
      for (size_t i = 0; i < tile.size(); ++i) {
        if (i > 0) rest += ",";
        rest += tile[i] == LayoutExtras::kCombineDimension ? "*" : fmt::format("{}", tile[i]);
      }
      rest += ")";
    }
    if (extras->tail_padding_alignment != 1) rest += fmt::format("L({})", extras->tail_padding_alignment);
    if (extras->index_type) rest += fmt::format("#({})", subfloor::ToString(*extras->index_type));
    if (extras->pointer_type) rest += fmt::format("*({})", subfloor::ToString(*extras->pointer_type));
  }
  if (element_bits != 0) rest += fmt::format("E({})", element_bits);
  if (extras) {
    if (extras->memory_space != 0) rest += fmt::format("S({})", extras->memory_space);
    if (!extras->split_configs.empty()) rest += fmt::format("SC({})", extras->split_configs);
    if (!extras->physical_shape.empty()) rest += fmt::format("P({})", extras->physical_shape);
    if (extras->metadata_prefix_bytes != 0) rest += fmt::format("M({})", extras->metadata_prefix_bytes);
  }
  if (!rest.empty()) text += ":" + rest;
  return text + "}";
}

constinit Shape::Immortal Shape::kToken;

// Destroys a tree of tuples without recursing: what loses its last owner goes to a flat list.
void Shape::Destroy(Fields* fields) {
  if (fields->elements.empty()) {
    delete fields;
    return;
  }
  std::vector<Fields*> pending = {fields};
  while (!pending.empty()) {
    Fields* top = pending.back();
    pending.pop_back();
    for (Shape& child : top->elements) {
      Fields* below = std::exchange(child.fields_, &kToken.fields);
      if (Leave(below)) pending.push_back(below);
    }
    delete top;
  }
}

Shape::Fields& Shape::Own() {
  if (fields_ == &kToken.fields || fields_->owners.load(std::memory_order_acquire) != 1) {
    auto* copy = new Fields{.type = fields_->type,
                            .element_count = fields_->element_count,
                            .dimensions = fields_->dimensions,
                            .dynamic = fields_->dynamic,
                            .layout = fields_->layout,
                            .elements = fields_->elements};
    Drop(std::exchange(fields_, copy));
  }
  return *fields_;
}

Result<Shape> Shape::Array(ElementType type, std::span<const int64_t> dimensions,
                           std::span<const bool> dynamic) {
  for (int64_t size : dimensions) {
    if (size < 0 && size != kUnbounded) return BadInput("a dimension of size {}; sizes are 0 or more", size);
  }
  Shape shape = ArrayOf(type, dimensions, dynamic);
  if (shape.IsOversized()) {
    return BadInput("an array {}[{}] of more than 2^63 - 1 bytes", subfloor::ToString(type),
                    fmt::join(dimensions, ","));
  }
  return shape;
}

Shape Shape::ArrayOf(ElementType type, std::span<const int64_t> dimensions, std::span<const bool> dynamic) {
  auto* fields = new Fields;
  fields->type = type;
  fields->element_count = CheckedElementCount(type, dimensions);
  fields->dimensions.assign(dimensions.begin(), dimensions.end());
  if (std::ranges::find(dimensions, kUnbounded) != dimensions.end() ||
      std::ranges::find(dynamic, true) != dynamic.end()) {
    fields->dynamic.assign(dimensions.size(), false);
    for (size_t i = 0; i < dimensions.size(); ++i) {
      fields->dynamic[i] = dimensions[i] == kUnbounded || (i < dynamic.size() && dynamic[i]);
    }
  }
  return Shape(fields);
}

Shape Shape::WithElements(ElementType type, std::vector<Shape> elements) {
  auto* fields = new Fields;
  fields->type = type;
  fields->elements = std::move(elements);
  return Shape(fields);
}

Shape Shape::Tuple(std::vector<Shape> elements) {
  return WithElements(ElementType::kTuple, std::move(elements));
}

Shape Shape::Opaque() { return WithElements(ElementType::kOpaque, {}); }

Shape Shape::Buffer(Shape array) {
  std::vector<Shape> elements;
  elements.push_back(std::move(array));
  return WithElements(ElementType::kBuffer, std::move(elements));
}

namespace {

// Visits every shape of the tree, parents first, left to right, without recursion. `visit` returns false to
// stop.
template <typename Visit>
void ForEachShape(const Shape& root, Visit&& visit) {
  std::vector<const Shape*> pending = {&root};
  while (!pending.empty()) {
    const Shape* shape = pending.back();
    pending.pop_back();
    if (!visit(*shape)) return;
    for (size_t i = shape->tuple_shapes().size(); i-- > 0;) pending.push_back(&shape->tuple_shapes()[i]);
  }
}

// Rebuilds a tree of tuples bottom up, without recursion, with `change` applied to every leaf.
template <typename Change>
Shape MapLeaves(const Shape& root, Change&& change) {
  struct Frame {
    const Shape* shape;
    std::vector<Shape> done;
  };
  std::vector<Frame> stack;
  stack.push_back({&root, {}});
  Shape result;
  while (true) {
    Frame& top = stack.back();
    const auto children = top.shape->tuple_shapes();
    if (top.done.size() < children.size()) {
      stack.push_back({&children[top.done.size()], {}});
      continue;
    }
    if (top.shape->IsTuple()) {
      result = Shape::Tuple(std::move(top.done));
    } else if (top.shape->IsBuffer()) {
      result = Shape::Buffer(std::move(top.done[0]));
    } else {
      result = change(*top.shape);
    }
    stack.pop_back();
    if (stack.empty()) return result;
    stack.back().done.push_back(std::move(result));
  }
}

template <typename SameNode>
bool SameTree(const Shape& a, const Shape& b, SameNode&& same) {
  std::vector<std::pair<const Shape*, const Shape*>> pending = {{&a, &b}};
  while (!pending.empty()) {
    const auto [x, y] = pending.back();
    pending.pop_back();
    if (x == y) continue;
    if (x->element_type() != y->element_type() || x->tuple_size() != y->tuple_size() || !same(*x, *y))
      return false;
    if (x->tuple_shapes().data() == y->tuple_shapes().data()) continue;  // shared elements
    for (int64_t i = 0; i < x->tuple_size(); ++i)
      pending.emplace_back(&x->tuple_shape(i), &y->tuple_shape(i));
  }
  return true;
}

}  // namespace

bool Shape::HasDynamicDimension() const {
  bool found = false;
  ForEachShape(*this, [&](const Shape& shape) {
    const std::vector<bool>& dynamic = shape.fields_->dynamic;
    found = std::ranges::find(dynamic, true) != dynamic.end();
    return !found;
  });
  return found;
}

void Shape::set_dynamic(int64_t i, bool dynamic) {
  if (IsDynamic(i) == dynamic) return;
  Fields& fields = Own();
  if (fields.dynamic.empty()) fields.dynamic.assign(fields.dimensions.size(), false);
  fields.dynamic[static_cast<size_t>(i)] = dynamic;
  if (std::ranges::find(fields.dynamic, true) == fields.dynamic.end()) fields.dynamic.clear();
}

Shape Shape::WithElementType(ElementType type) const {
  if (type == element_type()) return *this;
  Shape shape = ArrayOf(type, dimensions());
  shape.fields_->dynamic = fields_->dynamic;
  shape.fields_->layout = fields_->layout;
  return shape;
}

Shape Shape::WithoutLayout() const {
  return MapLeaves(*this, [](const Shape& leaf) {
    Shape shape = leaf;
    shape.clear_layout();
    return shape;
  });
}

Shape Shape::WithDefaultLayout() const {
  return MapLeaves(*this, [](const Shape& leaf) {
    Shape shape = leaf;
    if (shape.IsArray() && !shape.layout()) shape.set_layout(Layout::RowMajor(shape.rank()));
    return shape;
  });
}

Shape Shape::WithoutPacking() const {
  return MapLeaves(*this, [](const Shape& leaf) {
    Shape shape = leaf;
    if (shape.layout() && shape.layout()->element_bits != 0) shape.Own().layout->element_bits = 0;
    return shape;
  });
}

bool Shape::SameSizes(const Shape& a, const Shape& b) {
  return a.fields_->dimensions == b.fields_->dimensions && a.fields_->dynamic == b.fields_->dynamic;
}

bool Shape::operator==(const Shape& other) const {
  if (fields_ == other.fields_) return true;
  return SameTree(*this, other, [](const Shape& a, const Shape& b) {
    return a.fields_ == b.fields_ || (SameSizes(a, b) && a.fields_->layout == b.fields_->layout);
  });
}

bool Shape::Compatible(const Shape& other) const {
  return fields_ == other.fields_ || SameTree(*this, other, SameSizes);
}

bool Shape::SameDimensions(const Shape& other) const {
  return IsArray() && other.IsArray() && fields_->dimensions == other.fields_->dimensions;
}

std::string Shape::ToString(bool with_layout, bool index_comments) const {
  std::string text;
  struct Frame {
    const Shape* shape;
    size_t next = 0;
  };
  std::vector<Frame> stack = {{this, 0}};
  while (!stack.empty()) {
    Frame& top = stack.back();
    const Shape& shape = *top.shape;
    if (!shape.IsTuple() && !shape.IsBuffer()) {
      text += subfloor::ToString(shape.element_type());
      text += "[";
      for (int64_t i = 0; i < shape.rank(); ++i) {
        if (i > 0) text += ",";
        const int64_t size = shape.dimension(i);
        if (size == kUnbounded) {
          text += "?";
        } else {
          text += fmt::format("{}{}", shape.IsDynamic(i) ? "<=" : "", size);
        }
      }
      text += "]";
      // A scalar's empty layout says nothing and is not written.
      if (with_layout && shape.layout()) {
        std::string layout = shape.layout()->ToString();
        if (layout != "{}") text += layout;
      }
      stack.pop_back();
      continue;
    }
    const auto children = shape.tuple_shapes();
    if (top.next == 0) text += shape.IsBuffer() ? "b(" : "(";
    if (top.next == children.size()) {
      text += ")";
      stack.pop_back();
      continue;
    }
    if (top.next > 0) text += ", ";
    if (index_comments && top.next > 0 && top.next % 5 == 0) text += fmt::format("/*index={}*/", top.next);
    const Shape* child = &children[top.next++];
    stack.push_back({child, 0});
  }
  return text;
}

const Shape* SubshapeAt(const Shape& shape, std::span<const int64_t> index) {
  const Shape* current = &shape;
  for (int64_t i : index) {
    if (!current->IsTuple() || i < 0 || i >= current->tuple_size()) return nullptr;
    current = &current->tuple_shape(i);
  }
  return current;
}

namespace {

template <typename Visit>
void ForEachLeaf(const Shape& shape, Visit&& visit) {
  std::vector<const Shape*> pending = {&shape};
  while (!pending.empty()) {
    const Shape* current = pending.back();
    pending.pop_back();
    if (!current->IsTuple()) {
      visit(current);
      continue;
    }
    for (int64_t i = current->tuple_size(); i-- > 0;) pending.push_back(&current->tuple_shape(i));
  }
}

}  // namespace

std::vector<const Shape*> Leaves(const Shape& shape) {
  std::vector<const Shape*> leaves;
  ForEachLeaf(shape, [&](const Shape* leaf) { leaves.push_back(leaf); });
  return leaves;
}

int64_t LeafCount(const Shape& shape) {
  if (!shape.IsTuple()) return 1;
  int64_t count = 0;
  ForEachLeaf(shape, [&](const Shape*) { ++count; });
  return count;
}

std::vector<int64_t> RowMajorStrides(std::span<const int64_t> dimensions) {
  std::vector<int64_t> strides(dimensions.size(), 1);
  for (size_t i = dimensions.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::max<int64_t>(dimensions[i], 1);
  return strides;
}

}  // namespace subfloor
