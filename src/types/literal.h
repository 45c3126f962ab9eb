#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/error.h"
#include "types/shape.h"

namespace subfloor {

/// A value of any shape, held by the host.
///
/// An array's elements lie in row-major order of its logical dimensions, whatever layout its shape names,
/// little endian, one byte per sub-byte element (value in the low bits, upper bits zero), pred as 0 or 1,
/// complex as (real, imaginary). Copies share bytes and elements until one of them is written to (copy on
/// write), so a copy costs the same whatever the nesting; one Literal is for one thread at a time.
class Literal {
 public:
  Literal() = default;  ///< a token
  ~Literal();
  Literal(const Literal&) = default;
  Literal(Literal&&) noexcept = default;
  Literal& operator=(const Literal&) = default;
  Literal& operator=(Literal&&) noexcept = default;

  /// Zeros. Errors: out of resources when the bytes cannot be had; not supported for an unbounded dimension.
  static Result<Literal> Zeros(const Shape& shape);
  /// An array whose elements are copied from `bytes`, laid out as the class says. Errors: bad input for a
  /// wrong size.
  static Result<Literal> FromBytes(const Shape& shape, std::span<const std::byte> bytes);
  static Literal Tuple(std::vector<Literal> elements);
  static Literal Token() { return Literal(); }

  /// A scalar or a vector of a native type (bool, intN_t, uintN_t, float, double): element type from T.
  template <typename T>
  static Literal Scalar(T value);
  template <typename T>
  static Literal Vector(std::span<const T> values);

  const Shape& shape() const { return shape_; }
  ElementType element_type() const { return shape_.element_type(); }

  std::span<const std::byte> bytes() const { return {data_.get(), size_}; }
  /// For writing: takes a private copy first if the bytes are shared.
  std::span<std::byte> mutable_bytes();
  /// The elements as T. Precondition: sizeof(T) == ByteWidth(element_type()).
  template <typename T>
  std::span<const T> data() const {
    return {reinterpret_cast<const T*>(data_.get()), size_ / sizeof(T)};
  }
  template <typename T>
  std::span<T> mutable_data() {
    auto bytes = mutable_bytes();
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }

  std::span<const Literal> elements() const {
    return elements_ ? std::span<const Literal>(*elements_) : std::span<const Literal>();
  }
  /// For writing: takes private copies of the elements first if they are shared.
  std::span<Literal> mutable_elements();

  /// The same bytes under another shape of equal byte size and element type.
  Literal Reshaped(const Shape& shape) const;
  void set_shape_layout(const Shape& with_layout) { shape_ = with_layout; }

  /// Equal shapes (but for layouts) and equal bits.
  bool Identical(const Literal& other) const;

 private:
  Shape shape_;
  std::shared_ptr<std::byte[]> data_;
  size_t size_ = 0;
  std::shared_ptr<std::vector<Literal>> elements_;
};

/// The leaves (everything but tuples) in the order of Leaves(literal.shape()); the nesting's depth costs no
/// stack.
std::vector<const Literal*> Leaves(const Literal& literal);
/// The same for writing: each is private to `literal` afterwards, as far as elements go.
std::vector<Literal*> MutableLeaves(Literal& literal);

namespace internal {
template <typename T>
constexpr ElementType NativeElementType() {
  if constexpr (std::is_same_v<T, bool>) return ElementType::kPred;
  if constexpr (std::is_same_v<T, int8_t>) return ElementType::kS8;
  if constexpr (std::is_same_v<T, int16_t>) return ElementType::kS16;
  if constexpr (std::is_same_v<T, int32_t>) return ElementType::kS32;
  if constexpr (std::is_same_v<T, int64_t>) return ElementType::kS64;
  if constexpr (std::is_same_v<T, uint8_t>) return ElementType::kU8;
  if constexpr (std::is_same_v<T, uint16_t>) return ElementType::kU16;
  if constexpr (std::is_same_v<T, uint32_t>) return ElementType::kU32;
  if constexpr (std::is_same_v<T, uint64_t>) return ElementType::kU64;
  if constexpr (std::is_same_v<T, float>) return ElementType::kF32;
  if constexpr (std::is_same_v<T, double>) return ElementType::kF64;
}
}  // namespace internal

template <typename T>
Literal Literal::Scalar(T value) {
  return *FromBytes(Shape::Scalar(internal::NativeElementType<T>()),
                    std::as_bytes(std::span<const T>(&value, 1)));
}

template <typename T>
Literal Literal::Vector(std::span<const T> values) {
  return *FromBytes(Shape::ArrayOf(internal::NativeElementType<T>(), {static_cast<int64_t>(values.size())}),
                    std::as_bytes(values));
}

}  // namespace subfloor
