#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "types/element_type.h"

namespace subfloor {

/// The parts of a layout that few arrays have; everything beyond the order of dimensions and E(n).
struct LayoutExtras {
  std::vector<std::vector<int64_t>> tiles;  ///< T(...); kCombineDimension stands for `*`
  int64_t tail_padding_alignment = 1;       ///< L(n), in elements
  std::optional<ElementType> index_type;    ///< #(type)
  std::optional<ElementType> pointer_type;  ///< *(type)
  int64_t memory_space = 0;                 ///< S(n); 5 is host memory
  std::string split_configs;                ///< SC(...), the text between the parentheses
  std::string physical_shape;               ///< P(...), the text between the parentheses
  int64_t metadata_prefix_bytes = 0;        ///< M(n)

  static constexpr int64_t kCombineDimension = std::numeric_limits<int64_t>::min();
  bool operator==(const LayoutExtras&) const = default;
};

/// How an array lies in memory. minor_to_major lists dimensions, the fastest varying first.
struct Layout {
  std::vector<int64_t> minor_to_major;
  int64_t element_bits = 0;  ///< E(n): elements are packed n bits apart; 0 when they are not
  std::shared_ptr<const LayoutExtras> extras;

  static Layout RowMajor(int64_t rank);
  bool IsRowMajor() const;  ///< ignores extras and element_bits
  bool operator==(const Layout& other) const;
  /// "{1,0}", "{1,0:T(8,128)S(5)}", "{}" for rank 0.
  std::string ToString() const;
};

/// An array shape, a tuple of shapes, a token, an opaque value, or a buffer that holds an array.
///
/// A handle of one pointer: copies share what they describe, and whoever changes a shared one gets its own
/// first. Copies may be used by different threads, one object by one at a time. Destruction, comparison and
/// printing of a deeply nested tuple do not recurse. A shape's bytes always fit an int64: making one that
/// does not is an error.
class Shape {
 public:
  /// Size of an unbounded dynamic dimension, written `?`.
  static constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::min();

  /// A token; so that a Shape member can be filled in later.
  Shape() : fields_(&kToken.fields) {}
  ~Shape() { Drop(fields_); }
  Shape(const Shape& other) : fields_(other.fields_) { Share(fields_); }
  Shape(Shape&& other) noexcept : fields_(std::exchange(other.fields_, &kToken.fields)) {}
  Shape& operator=(Shape other) noexcept {
    std::swap(fields_, other.fields_);
    return *this;
  }

  /// An array. `dynamic[i]` marks a dimension whose size is only a bound (`<=n`); empty means all static.
  /// Errors: bad input for a negative size, or when the bytes exceed int64.
  static Result<Shape> Array(ElementType type, std::span<const int64_t> dimensions,
                             std::span<const bool> dynamic = {});
  /// The same for sizes that are known to be good, e.g. a permutation of another shape's. Sizes whose product
  /// is too large make a shape with IsOversized(), which the verifier refuses; nothing aborts.
  static Shape ArrayOf(ElementType type, std::span<const int64_t> dimensions,
                       std::span<const bool> dynamic = {});
  static Shape ArrayOf(ElementType type, std::initializer_list<int64_t> dimensions) {
    return ArrayOf(type, std::span<const int64_t>(dimensions.begin(), dimensions.size()));
  }
  static Shape Scalar(ElementType type) { return ArrayOf(type, std::span<const int64_t>()); }
  static Shape Tuple(std::vector<Shape> elements);
  static Shape Token() { return Shape(); }
  static Shape Opaque();
  /// A buffer `b(array)`.
  static Shape Buffer(Shape array);

  ElementType element_type() const { return fields_->type; }
  bool IsArray() const { return IsArrayType(element_type()); }
  bool IsTuple() const { return element_type() == ElementType::kTuple; }
  bool IsToken() const { return element_type() == ElementType::kToken; }
  bool IsBuffer() const { return element_type() == ElementType::kBuffer; }
  bool IsScalar() const { return IsArray() && fields_->dimensions.empty(); }
  bool IsOversized() const { return fields_->element_count < 0; }

  // Arrays.
  // -------------------------------------------------------------------------------------------------------
  int64_t rank() const { return static_cast<int64_t>(fields_->dimensions.size()); }
  std::span<const int64_t> dimensions() const { return fields_->dimensions; }
  int64_t dimension(int64_t i) const { return fields_->dimensions[static_cast<size_t>(i)]; }
  bool IsDynamic(int64_t i) const {
    return !fields_->dynamic.empty() && fields_->dynamic[static_cast<size_t>(i)];
  }
  /// True if any dimension, here or in any element of a tuple, is dynamic.
  bool HasDynamicDimension() const;
  /// Product of the dimensions (bounds where dynamic); 1 for a scalar. Negative sizes (`?`) count as 0.
  int64_t element_count() const {
    return IsOversized() ? std::numeric_limits<int64_t>::max() : fields_->element_count;
  }
  /// Bytes of the array with one byte per sub-byte element; tuples: 0.
  int64_t byte_size() const { return IsArray() ? element_count() * ByteWidth(element_type()) : 0; }

  const Layout* layout() const { return fields_->layout ? &*fields_->layout : nullptr; }
  void set_layout(Layout layout) { Own().layout = std::move(layout); }
  void clear_layout() {
    if (fields_->layout) Own().layout.reset();
  }
  void set_dynamic(int64_t i, bool dynamic);
  /// This shape with another element type, the same sizes and layout.
  Shape WithElementType(ElementType type) const;
  /// This shape without any layout, in tuples too.
  Shape WithoutLayout() const;
  /// Every array (in tuples too) that has no layout gets the row-major one.
  Shape WithDefaultLayout() const;
  /// No array (in tuples too) is packed: E(n) is gone from every layout.
  Shape WithoutPacking() const;

  // Tuples (a buffer counts as a tuple of one).
  // ---------------------------------------------------------------------
  std::span<const Shape> tuple_shapes() const { return fields_->elements; }
  const Shape& tuple_shape(int64_t i) const { return fields_->elements[static_cast<size_t>(i)]; }
  int64_t tuple_size() const { return static_cast<int64_t>(fields_->elements.size()); }

  /// Equal in everything, layouts included.
  bool operator==(const Shape& other) const;
  /// Equal but for layouts.
  bool Compatible(const Shape& other) const;
  /// Arrays of equal sizes, whatever their types and layouts.
  bool SameDimensions(const Shape& other) const;

  /// As HLO text writes it: "f32[2,<=3]{1,0}", "(s32[], token[])". With `index_comments`, `/*index=5*/`
  /// precedes every fifth element of a tuple, as in printed modules.
  std::string ToString(bool with_layout = true, bool index_comments = false) const;

 private:
  // What copies share. Whoever made it and no other may change it, and only while there is one owner.
  struct Fields {
    ElementType type = ElementType::kToken;
    int64_t element_count = 1;  // -1: does not fit
    std::vector<int64_t> dimensions;
    std::vector<bool> dynamic;  // empty when every dimension is static
    std::optional<Layout> layout;
    std::vector<Shape> elements;
    std::atomic<int64_t> owners = 1;
  };
  // The token's, which nobody counts and nothing destroys: it serves shapes of every thread to the last.
  union Immortal {
    Fields fields;
    constexpr Immortal() : fields() {}
    constexpr ~Immortal() {}
  };
  static Immortal kToken;

  explicit Shape(Fields* fields) : fields_(fields) {}
  static void Share(Fields* fields) {
    if (fields != &kToken.fields) fields->owners.fetch_add(1, std::memory_order_relaxed);
  }
  /// True if that was the last owner.
  static bool Leave(Fields* fields) {
    return fields != &kToken.fields && fields->owners.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  static void Drop(Fields* fields) {
    if (Leave(fields)) Destroy(fields);
  }
  static void Destroy(Fields* fields);
  /// The fields, made this shape's own.
  Fields& Own();
  static Shape WithElements(ElementType type, std::vector<Shape> elements);
  static bool SameSizes(const Shape& a, const Shape& b);

  Fields* fields_;
};

/// The path to an array inside a nested tuple; empty for the whole.
using ShapeIndex = std::vector<int64_t>;

/// The shape at `index`, or nullptr if there is none.
const Shape* SubshapeAt(const Shape& shape, std::span<const int64_t> index);

/// The leaves (everything but tuples) in order; pointers into `shape`. The nesting's depth costs no stack.
std::vector<const Shape*> Leaves(const Shape& shape);
int64_t LeafCount(const Shape& shape);

/// Row-major strides in elements of an array of these sizes.
std::vector<int64_t> RowMajorStrides(std::span<const int64_t> dimensions);

}  // namespace subfloor
