#include "types/literal.h"

#include <cstring>
#include <new>

namespace subfloor {

Literal::~Literal() {
  if (!elements_ || elements_.use_count() != 1) return;
  // Nested tuples are taken apart level by level, by the last owner of each, so that depth costs no stack.
  std::vector<std::shared_ptr<std::vector<Literal>>> pending;
  pending.push_back(std::move(elements_));
  while (!pending.empty()) {
    const std::shared_ptr<std::vector<Literal>> level = std::move(pending.back());
    pending.pop_back();
    for (Literal& child : *level) {
      if (child.elements_ && child.elements_.use_count() == 1) pending.push_back(std::move(child.elements_));
    }
  }
}

Result<Literal> Literal::Zeros(const Shape& shape) {
  Literal literal;
  literal.shape_ = shape;
  if (shape.IsTuple()) {
    // Depth-first with an explicit stack: each frame collects its finished elements.
    struct Frame {
      const Shape* shape;
      std::vector<Literal> done;
    };
    std::vector<Frame> stack;
    stack.push_back({&shape, {}});
    while (true) {
      Frame& top = stack.back();
      if (static_cast<int64_t>(top.done.size()) < top.shape->tuple_size()) {
        const Shape& child = top.shape->tuple_shape(static_cast<int64_t>(top.done.size()));
        if (child.IsTuple()) {
          stack.push_back({&child, {}});
        } else {
          top.done.push_back(SF_TRY(Zeros(child)));
        }
        continue;
      }
      Literal finished = Tuple(std::move(top.done));
      finished.shape_ = *top.shape;
      stack.pop_back();
      if (stack.empty()) return finished;
      stack.back().done.push_back(std::move(finished));
    }
  }
  if (!shape.IsArray()) return literal;
  for (int64_t size : shape.dimensions()) {
    if (size == Shape::kUnbounded)
      return NotSupported("a value of shape {}: its size is not known", shape.ToString());
  }
  if (shape.IsOversized())
    return OutOfResources("a value of shape {} does not fit any memory", shape.ToString());
  literal.size_ = static_cast<size_t>(shape.byte_size());
  auto* memory = new (std::nothrow) std::byte[std::max<size_t>(literal.size_, 1)]();
  if (memory == nullptr) return OutOfResources("no memory for a value of shape {}", shape.ToString());
  literal.data_.reset(memory);
  return literal;
}

Result<Literal> Literal::FromBytes(const Shape& shape, std::span<const std::byte> bytes) {
  Literal literal = SF_TRY(Zeros(shape));
  if (bytes.size() != literal.size_) {
    return BadInput("{} bytes for a value of shape {}, which has {}", bytes.size(), shape.ToString(),
                    literal.size_);
  }
  if (!bytes.empty()) std::memcpy(literal.data_.get(), bytes.data(), bytes.size());
  return literal;
}

Literal Literal::Tuple(std::vector<Literal> elements) {
  Literal literal;
  std::vector<Shape> shapes;
  shapes.reserve(elements.size());
  for (const Literal& element : elements) shapes.push_back(element.shape_);
  literal.shape_ = Shape::Tuple(std::move(shapes));
  if (!elements.empty()) literal.elements_ = std::make_shared<std::vector<Literal>>(std::move(elements));
  return literal;
}

std::span<std::byte> Literal::mutable_bytes() {
  if (data_ && data_.use_count() > 1) {
    std::shared_ptr<std::byte[]> copy(new std::byte[std::max<size_t>(size_, 1)]);
    std::memcpy(copy.get(), data_.get(), size_);
    data_ = std::move(copy);
  }
  return {data_.get(), size_};
}

Literal Literal::Reshaped(const Shape& shape) const {
  Literal literal = *this;
  literal.shape_ = shape;
  return literal;
}

std::span<Literal> Literal::mutable_elements() {
  if (!elements_) return {};
  if (elements_.use_count() > 1) elements_ = std::make_shared<std::vector<Literal>>(*elements_);
  return *elements_;
}

std::vector<const Literal*> Leaves(const Literal& literal) {
  std::vector<const Literal*> leaves, pending = {&literal};
  while (!pending.empty()) {
    const Literal* current = pending.back();
    pending.pop_back();
    if (!current->shape().IsTuple()) {
      leaves.push_back(current);
      continue;
    }
    for (size_t i = current->elements().size(); i-- > 0;) pending.push_back(&current->elements()[i]);
  }
  return leaves;
}

std::vector<Literal*> MutableLeaves(Literal& literal) {
  std::vector<Literal*> leaves, pending = {&literal};
  while (!pending.empty()) {
    Literal* current = pending.back();
    pending.pop_back();
    if (!current->shape().IsTuple()) {
      leaves.push_back(current);
      continue;
    }
    const std::span<Literal> elements = current->mutable_elements();
    for (size_t i = elements.size(); i-- > 0;) pending.push_back(&elements[i]);
  }
  return leaves;
}

bool Literal::Identical(const Literal& other) const {
  std::vector<std::pair<const Literal*, const Literal*>> pending = {{this, &other}};
  while (!pending.empty()) {
    const auto [a, b] = pending.back();
    pending.pop_back();
    if (a->elements().size() != b->elements().size() || a->size_ != b->size_) return false;
    if (a->elements().empty() && !a->shape_.Compatible(b->shape_)) return false;
    if (a->size_ > 0 && std::memcmp(a->data_.get(), b->data_.get(), a->size_) != 0) return false;
    if (a->elements_ == b->elements_) continue;  // shared, or both without
    for (size_t i = 0; i < a->elements().size(); ++i)
      pending.emplace_back(&a->elements()[i], &b->elements()[i]);
  }
  return true;
}

}  // namespace subfloor
