#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Value.h"

/// Arithmetic on MLIR values written as arithmetic: `Fma(r, p, V::Number(r, 0.5)) * s`.
///
/// A V is a scalar or a vector of i1, iN, f32 or f64 together with the builder that extends it; each operator
/// adds one op of the arith or LLVM dialect. Numbers beside a V take its type and lanes. Nothing here rounds,
/// contracts or reorders by itself. Precondition throughout: both sides have one type.
namespace subfloor::codegen::elemental {

class V {
 public:
  V() = default;
  V(mlir::ImplicitLocOpBuilder& b, mlir::Value value) : b_(&b), value_(value) {}

  /// The number in the type and lanes of `like`: integers wrap to its width.
  static V Number(const V& like, double value);
  static V Number(const V& like, int64_t value);

  mlir::Value get() const { return value_; }
  mlir::ImplicitLocOpBuilder& builder() const { return *b_; }
  explicit operator bool() const { return static_cast<bool>(value_); }

  mlir::Type type() const { return value_.getType(); }
  mlir::Type element() const { return mlir::getElementTypeOrSelf(value_.getType()); }
  bool is_float() const { return mlir::isa<mlir::FloatType>(element()); }
  bool is_f64() const { return element().isF64(); }
  int bits() const { return static_cast<int>(element().getIntOrFloatBitWidth()); }
  /// 0 for a scalar, N for vector<Nx...>.
  int64_t lanes() const;
  /// `element` in the lanes of this value.
  mlir::Type With(mlir::Type element) const;
  mlir::Type IntType(int bits) const;

 private:
  mlir::ImplicitLocOpBuilder* b_ = nullptr;
  mlir::Value value_;
};

template <typename T>
concept Number = std::is_arithmetic_v<T>;
template <Number T>
V Num(const V& like, T value) {
  if constexpr (std::is_floating_point_v<T>)
    return V::Number(like, static_cast<double>(value));
  else
    return V::Number(like, static_cast<int64_t>(value));
}

// One op each. Floats and integers by the type of the operands. ---------------------------------------------
V operator+(const V& a, const V& b);
V operator-(const V& a, const V& b);
V operator*(const V& a, const V& b);
V operator/(const V& a, const V& b);  ///< floats only
V operator-(const V& a);              ///< floats: the sign bit; integers: 0 - a
V operator&(const V& a, const V& b);
V operator|(const V& a, const V& b);
V operator^(const V& a, const V& b);
V operator~(const V& a);
V Shl(const V& a, const V& amount);
V Shr(const V& a, const V& amount);  ///< zeros come in
V Sar(const V& a, const V& amount);  ///< copies of the sign come in
#define SUBFLOOR_WITH_NUMBER(F) \
  template <Number T>           \
  V F(const V& a, T b) {        \
    return F(a, Num(a, b));     \
  }                             \
  template <Number T>           \
  V F(T a, const V& b) {        \
    return F(Num(b, a), b);     \
  }
SUBFLOOR_WITH_NUMBER(operator+)
SUBFLOOR_WITH_NUMBER(operator-)
SUBFLOOR_WITH_NUMBER(operator*)
SUBFLOOR_WITH_NUMBER(operator/)
SUBFLOOR_WITH_NUMBER(operator&)
SUBFLOOR_WITH_NUMBER(operator|)
SUBFLOOR_WITH_NUMBER(operator^)
SUBFLOOR_WITH_NUMBER(Shl)
SUBFLOOR_WITH_NUMBER(Shr)
SUBFLOOR_WITH_NUMBER(Sar)

// Comparisons give i1. Floats: ordered, except that Ne is true for NaN. Integers: signed; the U kinds
// unsigned.
V Eq(const V& a, const V& b);
V Ne(const V& a, const V& b);
V Lt(const V& a, const V& b);
V Le(const V& a, const V& b);
V Gt(const V& a, const V& b);
V Ge(const V& a, const V& b);
V ULt(const V& a, const V& b);
V UGe(const V& a, const V& b);
V UGt(const V& a, const V& b);
V ULe(const V& a, const V& b);
SUBFLOOR_WITH_NUMBER(Eq)
SUBFLOOR_WITH_NUMBER(Ne)
SUBFLOOR_WITH_NUMBER(Lt)
SUBFLOOR_WITH_NUMBER(Le)
SUBFLOOR_WITH_NUMBER(Gt)
SUBFLOOR_WITH_NUMBER(Ge)
SUBFLOOR_WITH_NUMBER(ULt)
SUBFLOOR_WITH_NUMBER(UGe)
SUBFLOOR_WITH_NUMBER(UGt)
SUBFLOOR_WITH_NUMBER(ULe)
V IsNan(const V& a);

V Select(const V& condition, const V& if_true, const V& if_false);
template <Number T>
V Select(const V& c, const V& a, T b) {
  return Select(c, a, Num(a, b));
}
template <Number T>
V Select(const V& c, T a, const V& b) {
  return Select(c, Num(b, a), b);
}

// Floats. ---------------------------------------------------------------------------------------------------
V Fma(const V& a, const V& b, const V& c);  ///< a * b + c, rounded once
template <Number T>
V Fma(const V& a, T b, const V& c) {
  return Fma(a, Num(a, b), c);
}
template <Number T>
V Fma(const V& a, const V& b, T c) {
  return Fma(a, b, Num(a, c));
}
V Abs(const V& a);
V Sqrt(const V& a);
V Floor(const V& a);
V Ceil(const V& a);
V Trunc(const V& a);
V RoundEven(const V& a);
V CopySign(const V& magnitude, const V& sign);
/// NaN from either side, and -0 < +0.
V Maximum(const V& a, const V& b);
V Minimum(const V& a, const V& b);

// Between types of one width, and of several. ---------------------------------------------------------------
V AsInt(const V& a);           ///< the bits of a float; an integer stays
V AsFloat(const V& a);         ///< i32 -> f32, i64 -> f64; a float stays
V ZExt(const V& a, int bits);  ///< to a wider integer, or to the same
V SExt(const V& a, int bits);
V TruncTo(const V& a, int bits);                      ///< the low bits
V ToF64(const V& a);                                  ///< f32 -> f64, exact
V ToF32(const V& a);                                  ///< f64 -> f32, to nearest even
V SIntToFloat(const V& a, mlir::Type float_element);  ///< rounds to nearest even; f32 or f64 only
V UIntToFloat(const V& a, mlir::Type float_element);
V FloatToSInt(const V& a, int bits);  ///< towards zero. Precondition: in range, else the result is poison

// Lanes. ----------------------------------------------------------------------------------------------------
V SplatTo(const V& a, int64_t lanes);                    ///< a scalar in every lane; vectors stay
V AnyLane(const V& condition);                           ///< scalar i1: true in some lane
V Lane(const V& a, int64_t i);                           ///< the scalar of one lane; a scalar stays
V FromLanes(std::span<const V> scalars, int64_t lanes);  ///< lanes 0: the one scalar

/// Horner's rule by fma: c[0] + x (c[1] + x (c[2] + ...)).
V Polynomial(const V& x, std::span<const double> coefficients);

/// Calls the module's private function `name.<types of args>`, which is made by `body` (arguments -> results)
/// when the module does not have it yet. `body` must depend on nothing but its arguments and `name`. For
/// bodies too large to stand in every kernel.
std::vector<V> CallHelper(std::string_view name, std::span<const V> args,
                          const std::function<std::vector<V>(std::span<const V>)>& body);
inline V CallHelper1(std::string_view name, std::initializer_list<V> args,
                     const std::function<V(std::span<const V>)>& body) {
  return CallHelper(name, std::span<const V>(args.begin(), args.size()),
                    [&](std::span<const V> a) { return std::vector<V>{body(a)}; })[0];
}

/// `then_body` where a scalar i1 holds, else `otherwise`, which is there already. Types must agree.
std::vector<V> IfElse(const V& condition, const std::function<std::vector<V>()>& then_body,
                      std::span<const V> otherwise);
/// Repeats `body` on `state` while `condition(state)` (a scalar i1) holds.
std::vector<V> While(std::span<const V> state, const std::function<V(std::span<const V>)>& condition,
                     const std::function<std::vector<V>(std::span<const V>)>& body);

}  // namespace subfloor::codegen::elemental
