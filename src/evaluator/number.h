#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "types/element_type.h"
#include "types/literal.h"

/// Elements in their wide types: every op reads its operands widened exactly, computes in the wide type, and
/// rounds its result once when it is stored.
namespace subfloor::evaluator {

using Quad = __float128;  // binary128

template <typename R>
struct Complex {
  R re, im;
};

/// The wide type of an element type: int64 for integers and pred (u64 as its bits), double for floats up to
/// 32 bits, binary128 for f64, and pairs for complex numbers.
enum class WideKind : uint8_t { kInt, kDouble, kQuad, kComplexDouble, kComplexQuad };
WideKind WideKindOf(ElementType type);
int64_t WideSize(WideKind kind);

/// Calls `f.template operator()<W>()` with the C++ type of the kind.
template <typename F>
decltype(auto) WithWide(WideKind kind, F&& f) {
  switch (kind) {
    case WideKind::kInt:
      return f.template operator()<int64_t>();
    case WideKind::kDouble:
      return f.template operator()<double>();
    case WideKind::kQuad:
      return f.template operator()<Quad>();
    case WideKind::kComplexDouble:
      return f.template operator()<Complex<double>>();
    case WideKind::kComplexQuad:
      break;
  }
  return f.template operator()<Complex<Quad>>();
}

/// Reads `count` elements that lie `stride` apart, from `first` on, as row-major literals hold them. W is the
/// type's wide type, or a wider one of the same class (a quad for f32, any complex for a real type).
template <typename W>
void Load(ElementType type, const std::byte* elements, int64_t first, int64_t count, W* out,
          int64_t stride = 1);

/// Rounds each value once to the type and writes it. Integers keep their low bits, pred is 1 unless the value
/// is 0.
template <typename W>
void Store(ElementType type, std::byte* elements, int64_t first, int64_t count, const W* in);

/// Rounds each value to the type, staying in the wide type. Round then Store is the same as Store.
template <typename W>
void Round(ElementType type, W* values, int64_t count);

/// A whole literal, widened.
template <typename W>
std::vector<W> LoadAll(const Literal& literal) {
  std::vector<W> values(static_cast<size_t>(literal.shape().element_count()));
  Load<W>(literal.element_type(), literal.bytes().data(), 0, literal.shape().element_count(), values.data());
  return values;
}
template <typename W>
void StoreAll(const std::vector<W>& values, Literal& literal) {
  Store<W>(literal.element_type(), literal.mutable_bytes().data(), 0, static_cast<int64_t>(values.size()),
           values.data());
}

/// The same, the C++ type following from a kind: values lie WideSize(kind) apart behind the pointers.
void LoadAs(WideKind kind, ElementType type, const std::byte* elements, int64_t first, int64_t count,
            void* out, int64_t stride = 1);
void StoreAs(WideKind kind, ElementType type, std::byte* elements, int64_t first, int64_t count,
             const void* in);
void RoundAs(WideKind kind, ElementType type, void* values, int64_t count);

/// Wraps to the width of an integer type by its signedness; pred to 0 or 1.
int64_t WrapInt(ElementType type, int64_t value);

/// Integers to a float or complex type with one rounding, whatever W: the result is a value of `to`.
double IntToDouble(ElementType to, ElementType from, int64_t value);
Quad IntToQuad(ElementType from, int64_t value);

}  // namespace subfloor::evaluator
